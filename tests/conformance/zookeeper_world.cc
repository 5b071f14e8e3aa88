#include "support/plain_client.h"
#include "support/zookeeper_server.h"
#include "world.h"

namespace holdfast::testing {
namespace {

class ZooKeeperWorld final : public World {
 public:
  std::string url() const override { return "zk://" + server_.address(); }

  std::vector<std::string> tickets(const std::string& name) override { return client_.children("/" + name); }

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
