// node_world.h -- a world that keeps ZooKeeper's nodes, looked at through the C client.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/four_letter_word.h"
#include "support/plain_client.h"
#include "world.h"

namespace holdfast::testing {

class NodeWorld : public World {
 public:
  explicit NodeWorld(const std::string& address)
      : port_(static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)))), client_(address) {}

  std::vector<std::string> tickets(const std::string& name) override {
    auto nodes = client_.children("/" + name);
    // A ticket ends with its number, behind - or _. Marks end with a random one in hex: its last ten may all be digits, by chance.
    std::erase_if(nodes, [](const std::string& node) {
      const auto before = node.find_last_not_of("0123456789");
      return before == std::string::npos || before + 11 != node.size() || (node[before] != '-' && node[before] != '_');
    });
    return nodes;
  }

  std::size_t nodes(const std::string& name) override { return client_.children("/" + name).size(); }

  void remove_ticket(const std::string& name, const std::string& ticket) override {
    ASSERT_EQ(client_.remove("/" + name + "/" + ticket), ZOK);
  }

  void write(const std::string& path, const std::string& text) override {
    const auto node = "/" + path;
    const auto size = static_cast<int>(text.size());
    if (zoo_set(client_.handle(), node.c_str(), text.data(), size, -1) == ZOK) return;
    ASSERT_EQ(zoo_create(client_.handle(), node.c_str(), text.data(), size, &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0), ZOK);
  }
  void write_ticket(const std::string& name, const std::string& ticket, const std::string& text) override {
    write(name + "/" + ticket, text);
  }
  void ask_back(const std::string& name, const std::string& ticket) override {
    write_ticket(name, ticket, "__REVOKE__");
  }
  std::string permits(const std::string& name) const override { return name + "/leases"; }
  std::string turns(const std::string& name) const override { return name + "/locks"; }
  std::optional<std::string> read(const std::string& path) override {
    std::string text(1'024, '\0');
    auto size = static_cast<int>(text.size());
    if (zoo_get(client_.handle(), ("/" + path).c_str(), 0, text.data(), &size, nullptr) != ZOK) return std::nullopt;
    text.resize(static_cast<std::size_t>(std::max(size, 0)));
    return text;
  }
  std::size_t listeners() override { return std::stoul(parse_mntr(ask(port_, "mntr")).at("zk_watch_count")); }

 private:
  std::uint16_t port_;
  PlainClient client_;
};

}  // namespace holdfast::testing
