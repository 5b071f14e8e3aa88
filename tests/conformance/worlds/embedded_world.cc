#include "backend/embedded/engine_line.h"
#include "holdfast/engine.h"
#include "node_world.h"
#include "server/engines.h"

namespace holdfast::testing {
namespace {

struct Inside {
  // The socket is for the test to look at the nodes; what is tested does not use it.
  Engine engine{{.listen = {{}},
                 .name = "conformance",
                 .min_session_timeout = std::chrono::milliseconds(100),
                 .max_session_timeout = std::chrono::minutes(1),
                 .four_letter_words = {"*"}}};
};

class EmbeddedWorld final : private Inside, public NodeWorld {
 public:
  EmbeddedWorld() : NodeWorld("embedded:conformance", engine.addresses().front()) {}
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    const auto inside = [&executor](const net::ServerAddress&, Clock::duration, zk::Line::Events events) {
      return embedded::line_to(server::engine_called("conformance").value(), executor, std::move(events));
    };
    return std::make_unique<zookeeper::ZooKeeperBackend>(
        executor, zookeeper::Address{.called = "the engine of this process"}, options, inside);
  }
  bool child_shares_service() const override { return false; }
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<EmbeddedWorld>(); }

}  // namespace holdfast::testing
