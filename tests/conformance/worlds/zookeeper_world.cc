#include "node_world.h"
#include "support/zookeeper_server.h"
#include "zk/socket_line.h"

namespace holdfast::testing {
namespace {

struct Server {
  ZooKeeperServer server;
};

class ZooKeeperWorld final : private Server, public NodeWorld {
 public:
  ZooKeeperWorld() : NodeWorld("zk://" + server.address(), server.address()) {}
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    auto& reactor = dynamic_cast<net::Reactor&>(executor);  // that of a client always is one
    return std::make_unique<zookeeper::ZooKeeperBackend>(
        reactor, zookeeper::parse_address("zk://" + server.address()).value(), options, zk::SocketLine::dial(reactor));
  }
  bool child_shares_service() const override { return true; }
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<ZooKeeperWorld>(); }

}  // namespace holdfast::testing
