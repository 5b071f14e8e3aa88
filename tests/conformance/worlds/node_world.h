// node_world.h -- a world that keeps ZooKeeper's nodes, looked at through the C client.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "backend/zookeeper/zookeeper_backend.h"
#include "conformance/conformance.h"
#include "support/four_letter_word.h"
#include "support/plain_client.h"

namespace holdfast::testing {

class NodeWorld : public World {
 public:
  NodeWorld(std::string url, const std::string& address)
      : url_(std::move(url)),
        address_(address),
        port_(static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)))),
        client_(address) {}

  bool can(Ability) const override { return true; }
  Client connect(ClientOptions options) override { return Client::connect(url_, std::move(options)); }

  std::vector<std::string> tickets(const std::string& queue) override {
    auto nodes = client_.children("/" + queue);
    std::erase_if(nodes, [](const std::string& node) { return !is_ticket(node); });
    return nodes;
  }
  void remove_ticket(const std::string& queue, const std::string& ticket) override {
    ASSERT_EQ(client_.remove("/" + queue + "/" + ticket), ZOK);
  }
  void write_ticket(const std::string& queue, const std::string& ticket, const std::string& text) override {
    write_value(queue + "/" + ticket, text);
  }
  void ask_back(const std::string& queue, const std::string& ticket) override {
    write_ticket(queue, ticket, "__REVOKE__");
  }
  spi::SemaphoreQueues semaphore(const std::string& name) override {
    return {.turns = name + "/locks", .permits = name + "/leases"};
  }

  std::size_t listeners() override { return std::stoul(parse_mntr(ask(port_, "mntr")).at("zk_watch_count")); }
  std::size_t marks(const std::string& queue) override {
    return client_.children("/" + queue).size() - tickets(queue).size();
  }
  std::optional<std::string> read_value(const std::string& path) override {
    std::string text(1'024, '\0');
    auto size = static_cast<int>(text.size());
    if (zoo_get(client_.handle(), ("/" + path).c_str(), 0, text.data(), &size, nullptr) != ZOK) return std::nullopt;
    text.resize(static_cast<std::size_t>(std::max(size, 0)));
    return text;
  }
  void write_value(const std::string& path, const std::string& text) override {
    const auto node = "/" + path;
    const auto size = static_cast<int>(text.size());
    if (zoo_set(client_.handle(), node.c_str(), text.data(), size, -1) == ZOK) return;
    ASSERT_EQ(zoo_create(client_.handle(), node.c_str(), text.data(), size, &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0), ZOK);
  }
  // Moves the session to a connection of its own, and closes it there.
  void end_session(const spi::Session& session) override {
    clientid_t id{session.id, {}};
    ASSERT_EQ(session.password.size(), sizeof id.passwd);
    std::memcpy(id.passwd, session.password.data(), sizeof id.passwd);
    zhandle_t* const handle = zookeeper_init(address_.c_str(), nullptr, 10'000, &id, nullptr, 0);
    ASSERT_NE(handle, nullptr);
    EXPECT_TRUE(eventually(kSoon, [&] { return zoo_state(handle) == ZOO_CONNECTED_STATE; }));
    EXPECT_EQ(zookeeper_close(handle), ZOK);
  }
  void add_stranger(const std::string& queue, const std::string& name) override { write_value(queue + "/" + name, ""); }

 private:
  // A ticket ends with its number, behind - or _. Marks end with a random one in hex: its last ten may all be digits, by chance.
  static bool is_ticket(const std::string& node) {
    const auto before = node.find_last_not_of("0123456789");
    return before != std::string::npos && before + 11 == node.size() && (node[before] == '-' || node[before] == '_');
  }

  std::string url_;
  std::string address_;
  std::uint16_t port_;
  PlainClient client_;
};

}  // namespace holdfast::testing
