// recording_host.h -- for tests: a service that writes down what its connections tell it, and a Listener in front of it.
#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/listener.h"

namespace holdfast::server {

struct RecordingHost final : Host {
  std::shared_ptr<Quotas> quotas() override { return shared; }

  ConnectionId connected(std::shared_ptr<Peer> peer, Origin origin) override {
    if (refuses) return 0;
    peers[++last] = std::move(peer);
    origins.push_back(std::move(origin));
    if (on_connected) on_connected();
    return last;
  }

  void received(ConnectionId connection, std::string frame) override {
    frames.push_back(frame);
    if (on_frame) on_frame(*peers.at(connection), frame);
  }

  void disconnected(ConnectionId connection) override {
    gone.push_back(connection);
    peers.erase(connection);
  }

  std::shared_ptr<Quotas> shared = std::make_shared<Quotas>(EngineLimits{});
  bool refuses = false;
  std::function<void()> on_connected;
  std::function<void(Peer&, const std::string&)> on_frame;
  ConnectionId last = 0;
  std::map<ConnectionId, std::shared_ptr<Peer>> peers;
  std::vector<Origin> origins;
  std::vector<std::string> frames;
  std::vector<ConnectionId> gone;
};

// Everything about it happens in its own thread: look at it, and change it, by inside().
class RecordingServer {
 public:
  // One address on loopback unless there are some in `options`. Throws std::runtime_error with the listener's sentence.
  explicit RecordingServer(EngineOptions options = {}) {
    if (options.listen.empty()) options.listen.emplace_back();
    host.shared = std::make_shared<Quotas>(options.limits);
    auto opened = Listener::open(context_, host, options, [this](std::string_view word) {
      words.emplace_back(word);
      return report;
    });
    if (!opened) throw std::runtime_error(opened.error());
    listener = std::move(*opened);
    thread = std::thread([this] { context_.run(); });
  }

  ~RecordingServer() {
    inside([this] {
      listener.reset();
      work_.reset();
      context_.stop();
    });
    thread.join();
    host.peers.clear();
  }

  RecordingServer(const RecordingServer&) = delete;
  RecordingServer& operator=(const RecordingServer&) = delete;

  template <typename F>
  std::invoke_result_t<F> inside(F f) {
    const auto task = std::make_shared<std::packaged_task<std::invoke_result_t<F>()>>(std::move(f));
    auto result = task->get_future();
    asio::post(context_, [task] { (*task)(); });
    return result.get();
  }

  // Runs `f` in the server's thread, some time.
  template <typename F>
  void post(F f) {
    asio::post(context_, std::move(f));
  }

  // Runs `f` here. Nothing is accepted, read or timed meanwhile: what `f` sends is there before the server looks.
  template <typename F>
  void while_it_stands_still(F f) {
    std::promise<void> go_on;
    asio::post(context_, [wait = go_on.get_future().share()] { wait.get(); });
    f();
    go_on.set_value();
  }

  std::uint16_t port(bool tls = false) {
    return inside([&] { return static_cast<std::uint16_t>(listener->port(tls)); });
  }
  std::size_t connections() {
    return inside([&] { return listener->connections(); });
  }
  std::vector<std::string> frames() {
    return inside([&] { return host.frames; });
  }
  std::size_t frame_count() {
    return inside([&] { return host.frames.size(); });
  }
  std::size_t gone_count() {
    return inside([&] { return host.gone.size(); });
  }

 private:
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};

 public:
  RecordingHost host;
  Report report;
  std::vector<std::string> words;  // that a report was asked for
  std::unique_ptr<Listener> listener;
  std::thread thread;
};

}  // namespace holdfast::server
