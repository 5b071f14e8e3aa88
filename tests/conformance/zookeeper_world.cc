#include <algorithm>

#include "support/plain_client.h"
#include "support/zookeeper_server.h"
#include "world.h"

namespace holdfast::testing {
namespace {

class ZooKeeperWorld final : public World {
 public:
  std::string url() const override { return "zk://" + server_.address(); }

  std::vector<std::string> tickets(const std::string& name) override {
    std::vector<std::string> ids;
    String_vector children{};
    if (zoo_get_children(client_.handle(), ("/" + name).c_str(), 0, &children) == ZOK) {
      ids.assign(children.data, children.data + children.count);
      deallocate_String_vector(&children);
    }
    const auto sequence = [](const std::string& id) { return id.substr(id.size() - 10); };
    std::sort(ids.begin(), ids.end(), [&](const auto& a, const auto& b) { return sequence(a) < sequence(b); });
    return ids;
  }

  void remove_ticket(const std::string& name, const std::string& ticket) override {
    ASSERT_EQ(client_.remove("/" + name + "/" + ticket), ZOK);
  }

  std::size_t listeners() override {
    std::size_t count = 0;
    for (const auto& [path, sessions] : server_.watches()) count += sessions.size();
    return count;
  }

 private:
  ZooKeeperServer server_;
  PlainClient client_{server_.address()};
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<ZooKeeperWorld>(); }

}  // namespace holdfast::testing
