// memory_world.h -- the conformance cases' view of a service in the memory of this process.
#pragma once

#include "backend/memory/memory_backend.h"
#include "backend/memory/memory_service.h"
#include "conformance/conformance.h"

namespace holdfast::testing {

class MemoryWorld : public World {
 public:
  bool can(Ability) const override { return true; }
  std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) override {
    return std::make_unique<memory::MemoryBackend>(executor, service_, options.session_timeout);
  }
  Client connect(ClientOptions options) override { return Client::connect("memory:conformance", std::move(options)); }

  std::vector<std::string> tickets(const std::string& queue) override {
    std::vector<std::string> ids;
    for (const auto& ticket : service_->list(queue)) {
      if (ticket.mode != spi::Mode::none) ids.push_back(ticket.id);
    }
    return ids;
  }
  void remove_ticket(const std::string& queue, const std::string& ticket) override {
    ASSERT_TRUE(service_->dequeue(queue, ticket));
  }
  void write_ticket(const std::string& queue, const std::string& ticket, const std::string& text) override {
    ASSERT_TRUE(service_->write(queue, ticket, {.card = text}));
  }
  void ask_back(const std::string& queue, const std::string& ticket) override {
    ASSERT_TRUE(service_->write(queue, ticket, {.card = {}, .revoked = true}));
  }
  spi::SemaphoreQueues semaphore(const std::string& name) override { return memory::Service::semaphore(name); }

  std::size_t listeners() override { return service_->listeners(); }
  std::size_t marks(const std::string& queue) override { return service_->marks(queue); }
  std::optional<std::string> read_value(const std::string& path) override { return service_->value(path); }
  void write_value(const std::string& path, const std::string& text) override {
    using What = spi::Change::What;
    if (service_->commit({}, {{What::set, "/" + path, text}})) return;
    ASSERT_TRUE(service_->commit({}, {{What::create, "/" + path, text}}));
  }
  void end_session(const spi::Session& session) override { service_->end_session(session.id); }
  void add_stranger(const std::string& queue, const std::string& name) override { write_value(queue + "/" + name, ""); }
  bool child_shares_service() const override { return false; }

 protected:
  const std::shared_ptr<memory::Service> service_ = memory::Service::named("conformance");
};

}  // namespace holdfast::testing
