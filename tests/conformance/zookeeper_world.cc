#include "node_world.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

struct Server {
  ZooKeeperServer server;
};

class ZooKeeperWorld final : private Server, public NodeWorld {
 public:
  ZooKeeperWorld() : NodeWorld(server.address()) {}
  std::string url() const override { return "zk://" + server.address(); }
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<ZooKeeperWorld>(); }

}  // namespace holdfast::testing
