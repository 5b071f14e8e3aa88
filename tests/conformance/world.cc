#include "world.h"

#include <stdexcept>

#include "store_session.h"

namespace holdfast::testing {
namespace {

// Of a world that says it can, and has not said how.
[[noreturn]] void not_written(const char* what) {
  throw std::logic_error(std::string("this world says that it can, but World::") + what + "() is not overridden");
}

}  // namespace

World::World() = default;
World::~World() = default;

StoreSession& World::own_session() {
  if (!own_session_) own_session_ = std::make_unique<StoreSession>(*this);
  return *own_session_;
}

void World::end_own_session() { own_session_.reset(); }

Client World::connect(ClientOptions options) {
  return Client::connect([&](spi::Executor& executor) { return backend(executor, options); }, options);
}

std::vector<std::string> World::tickets(const std::string& queue) {
  std::vector<std::string> ids;
  for (const auto& ticket : own_session().list(queue)) {
    if (ticket.mode != spi::Mode::none) ids.push_back(ticket.id);
  }
  return ids;
}

void World::remove_ticket(const std::string& queue, const std::string& ticket) {
  EXPECT_TRUE(own_session().dequeue(queue, ticket));
}

void World::write_ticket(const std::string& queue, const std::string& ticket, const std::string& text) {
  EXPECT_TRUE(own_session().write(queue, ticket, {.card = text}));
}

void World::ask_back(const std::string& queue, const std::string& ticket) {
  EXPECT_TRUE(own_session().write(queue, ticket, {.card = {}, .revoked = true}));
}

spi::SemaphoreQueues World::semaphore(const std::string& name) {
  return std::as_const(own_session()).backend().semaphore(name);
}

std::size_t World::listeners() { not_written("listeners"); }
std::size_t World::marks(const std::string&) { not_written("marks"); }
std::optional<std::string> World::read_value(const std::string&) { not_written("read_value"); }
void World::write_value(const std::string&, const std::string&) { not_written("write_value"); }
void World::end_session(const spi::Session&) { not_written("end_session"); }
void World::add_stranger(const std::string&, const std::string&) { not_written("add_stranger"); }
bool World::child_shares_service() const { not_written("child_shares_service"); }

}  // namespace holdfast::testing
