#include "backend/memory/memory_service.h"
#include "world.h"

namespace holdfast::testing {
namespace {

class MemoryWorld final : public World {
 public:
  std::string url() const override { return "memory:conformance"; }

  std::vector<std::string> tickets(const std::string& name) override {
    std::vector<std::string> ids;
    for (const auto& ticket : service_->list(name)) ids.push_back(ticket.id);
    return ids;
  }

  void remove_ticket(const std::string& name, const std::string& ticket) override { service_->dequeue(name, ticket); }
  std::size_t listeners() override { return service_->listeners(); }

 private:
  std::shared_ptr<memory::Service> service_ = memory::Service::named("conformance");
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<MemoryWorld>(); }

}  // namespace holdfast::testing
