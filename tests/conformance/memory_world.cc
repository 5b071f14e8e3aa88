#include "backend/memory/memory_service.h"
#include "world.h"

namespace holdfast::testing {
namespace {

class MemoryWorld final : public World {
 public:
  std::string url() const override { return "memory:conformance"; }

  std::vector<std::string> tickets(const std::string& name) override {
    std::vector<std::string> ids;
    for (const auto& ticket : service_->list(name)) {
      if (ticket.mode != spi::Mode::none) ids.push_back(ticket.id);
    }
    return ids;
  }

  std::size_t nodes(const std::string& name) override { return service_->list(name).size() + service_->marks(name); }

  void remove_ticket(const std::string& name, const std::string& ticket) override { service_->dequeue(name, ticket); }
  void write(const std::string& path, const std::string& text) override {
    using What = spi::Change::What;
    if (service_->commit({}, {{What::set, "/" + path, text}})) return;
    ASSERT_TRUE(service_->commit({}, {{What::create, "/" + path, text}}));
  }
  void write_ticket(const std::string& name, const std::string& ticket, const std::string& text) override {
    ASSERT_TRUE(service_->write(name, ticket, {.card = text}));
  }
  void ask_back(const std::string& name, const std::string& ticket) override {
    ASSERT_TRUE(service_->write(name, ticket, {.card = {}, .asked_back = true}));
  }
  std::string permits(const std::string& name) const override { return memory::Service::semaphore(name).permits; }
  std::string turns(const std::string& name) const override { return memory::Service::semaphore(name).turns; }
  std::optional<std::string> read(const std::string& path) override { return service_->value(path); }
  std::size_t listeners() override { return service_->listeners(); }

 private:
  std::shared_ptr<memory::Service> service_ = memory::Service::named("conformance");
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<MemoryWorld>(); }

}  // namespace holdfast::testing
