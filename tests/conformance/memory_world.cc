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

  std::size_t nodes(const std::string& name) override { return service_->list(name).size(); }

  void remove_ticket(const std::string& name, const std::string& ticket) override { service_->dequeue(name, ticket); }
  void write(const std::string& path, const std::string& text) override {
    const auto slash = path.rfind('/');
    const auto queue = slash == std::string::npos ? std::string() : path.substr(0, slash);
    if (service_->write(queue, path.substr(slash + 1), text)) return;
    ASSERT_TRUE(service_->commit({}, {{spi::Change::What::create, "/" + path, text}}));
  }
  std::optional<std::string> read(const std::string& path) override {
    const auto slash = path.rfind('/');
    return service_->text(slash == std::string::npos ? std::string() : path.substr(0, slash), path.substr(slash + 1));
  }
  std::size_t listeners() override { return service_->listeners(); }

 private:
  std::shared_ptr<memory::Service> service_ = memory::Service::named("conformance");
};

}  // namespace

std::unique_ptr<World> World::make() { return std::make_unique<MemoryWorld>(); }

}  // namespace holdfast::testing
