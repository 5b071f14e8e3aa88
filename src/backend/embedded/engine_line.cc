#include "backend/embedded/engine_line.h"

#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <utility>

#include "server/peer.h"
#include "server/service.h"

namespace holdfast::embedded {
namespace {

using zk::Line;

// For the engine to close the session; it only waits for a disk.
constexpr auto kGoodbye = std::chrono::seconds(5);
constexpr std::size_t kLength = 4;  // of a frame's length

// What the engine knows of us. It calls in its own thread; we hear of it in the Executor, until we let go of it.
class OurEnd final : public server::Peer, public std::enable_shared_from_this<OurEnd> {
 public:
  OurEnd(spi::Executor& executor, Line::Events events) : executor_(&executor), events_(std::move(events)) {}

  void send(std::string frame) override {
    tell([frame = std::move(frame)](const Line::Events& events) {
      events.received(std::string_view(frame).substr(kLength));
    });
  }
  void close() override {
    closed_.set_value();
    tell([](const Line::Events& events) { events.lost("the engine has closed it"); });
  }
  void hold_back(bool) override {}
  std::size_t unsent() const override { return 0; }

  // In the engine's thread.
  void connect(server::Service& service) {
    id_ = service.connected(shared_from_this(), {.address = "embedded", .ip = "127.0.0.1"});
    if (id_ == 0) close();
  }
  void say(server::Service& service, std::string frame) const {
    if (id_ != 0) service.received(id_, std::move(frame));
  }

  // The engine has closed it.
  std::future<void> closed() { return closed_.get_future(); }
  void let_go() {
    const std::lock_guard lock(mutex_);
    executor_ = nullptr;
  }

 private:
  bool has_listener() {
    const std::lock_guard lock(mutex_);
    return executor_ != nullptr;
  }
  void tell(std::function<void(const Line::Events&)> what) {
    const std::lock_guard lock(mutex_);
    if (executor_ == nullptr) return;
    executor_->post([self = shared_from_this(), what = std::move(what)] {
      if (self->has_listener()) what(self->events_);
    });
  }

  std::mutex mutex_;
  spi::Executor* executor_;  // none: the client does not listen any more
  const Line::Events events_;
  std::promise<void> closed_;
  server::ConnectionId id_ = 0;  // of the engine's thread
};

class EngineLine final : public Line {
 public:
  EngineLine(std::shared_ptr<server::Runtime> engine, spi::Executor& executor, Events events)
      : engine_(std::move(engine)), end_(std::make_shared<OurEnd>(executor, std::move(events))) {
    engine_->post([end = end_](server::Service& service) { end->connect(service); });
  }
  ~EngineLine() override { end_->let_go(); }

  void send(std::string frame) override {
    engine_->post([end = end_, frame = std::move(frame)](server::Service& service) { end->say(service, frame); });
  }
  bool may_fall_silent() const override { return false; }
  void let_go() override { end_->let_go(); }
  // One that has no session yet is closed by the engine as well: no client owns the session it is about to get.
  void close(std::string goodbye) override {
    if (engine_->stopped()) return;  // the engine cannot hear it
    send(std::move(goodbye));
    end_->closed().wait_for(kGoodbye);
  }

 private:
  const std::shared_ptr<server::Runtime> engine_;
  const std::shared_ptr<OurEnd> end_;
};

}  // namespace

std::shared_ptr<Line> line_to(std::shared_ptr<server::Runtime> engine, spi::Executor& executor, Line::Events events) {
  return std::make_shared<EngineLine>(std::move(engine), executor, std::move(events));
}

}  // namespace holdfast::embedded
