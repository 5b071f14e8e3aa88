#include "service.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "support/fault_proxy.h"
#include "support/plain_client.h"
#include "support/redis_server.h"
#include "support/tcp_relay.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 200ms;

class FrameLine final : public Line {
 public:
  explicit FrameLine(std::uint16_t port) : proxy_(port) {}
  std::string address() const override { return proxy_.address(); }
  void swallow(Way way) override {
    switch (way) {
      case Way::both: return proxy_.black_hole();
      case Way::to_server: return proxy_.black_hole_client_to_server();
      case Way::to_client: return proxy_.black_hole_server_to_client();
    }
  }
  void heal() override { proxy_.heal(); }
  void cut_all() override { proxy_.cut_all(); }
  void clear() override { proxy_.clear(); }

 private:
  FaultProxy proxy_;
};

class ZooKeeper final : public Service {
 public:
  std::string scheme() const override { return "zk://"; }
  std::unique_ptr<Line> new_line() const override { return std::make_unique<FrameLine>(server_.port()); }
  bool up() const override { return server_.up(); }
  void kill() override { server_.kill(); }
  void restart() override { server_.restart(); }
  std::optional<std::vector<std::string>> tickets(const std::string& lock) override {
    if (!observer_) observer_ = std::make_unique<PlainClient>(server_.address());
    String_vector found{};
    const int result = zoo_get_children(observer_->handle(), ("/" + lock).c_str(), 0, &found);
    if (result == ZNONODE) return std::vector<std::string>();  // an empty queue is removed by the server
    if (result != ZOK) return std::nullopt;
    std::vector<std::string> names(found.data, found.data + found.count);
    deallocate_String_vector(&found);
    return names;
  }

 private:
  ZooKeeperServer server_{{.tick_time = kTick}};
  std::unique_ptr<PlainClient> observer_;
};

// What a silent line holds back arrives after heal(), also over connections that the client has given up: stragglers.
class ByteLine final : public Line {
 public:
  explicit ByteLine(std::uint16_t port) : relay_(port) {}
  std::string address() const override { return fmt::format("127.0.0.1:{}", relay_.port()); }
  void swallow(Way way) override { way == Way::to_client ? relay_.stall_answers() : relay_.stall(); }
  void heal() override { relay_.heal(); }
  void cut_all() override { relay_.cut_all(); }

 private:
  TcpRelay relay_;
};

class Redis final : public Service {
 public:
  std::string scheme() const override { return "redis://"; }
  std::unique_ptr<Line> new_line() const override { return std::make_unique<ByteLine>(server_.port()); }
  bool up() const override { return server_.up(); }
  void kill() override { server_.kill(); }
  void restart() override { server_.restart(); }
  std::optional<std::vector<std::string>> tickets(const std::string& lock) override {
    try {
      std::vector<std::string> found;
      // "<queue>\0<ticket>"
      for (const auto& each : texts_of(server_.ask("ZRANGE {holdfast}:q 0 -1"))) {
        if (each.starts_with(lock + '\0')) found.push_back(each.substr(lock.size() + 1));
      }
      return found;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

 private:
  RedisServer server_{{.keeps = RedisKeeps::all}};
};

}  // namespace

std::unique_ptr<Service> make_service(std::string_view kind) {
  if (kind == "redis") return std::make_unique<Redis>();
  return std::make_unique<ZooKeeper>();
}

}  // namespace holdfast::testing
