#include "holdfast/engine.h"
#include "node_world.h"

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
  EmbeddedWorld() : NodeWorld(engine.addresses().front()) {}
  std::string url() const override { return "embedded:conformance"; }
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<EmbeddedWorld>(); }

}  // namespace holdfast::testing
