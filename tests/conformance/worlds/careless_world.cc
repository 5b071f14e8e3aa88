// A store that answers every request of its clients twice, which none may. They must not notice.
#include "memory_world.h"
#include "testing/faulty_backend.h"

namespace holdfast::testing {
namespace {

class CarelessWorld final : public MemoryWorld {
 public:
  Client connect(ClientOptions options) override {
    // By its name: a child of fork() has another one.
    const auto make = [&, service = memory::Service::named("conformance")](spi::Executor& executor) {
      auto store = std::make_unique<FaultyBackend>(
          executor, std::make_unique<memory::MemoryBackend>(executor, service, options.session_timeout),
          [service](spi::SessionId session) { return service->is_open(session); }, nullptr);
      store->answer_twice();
      return store;
    };
    return Client::connect(make, options);
  }
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<CarelessWorld>(); }

}  // namespace holdfast::testing
