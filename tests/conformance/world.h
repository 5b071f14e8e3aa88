// world.h -- the storage service that the conformance cases run on, seen from outside the library.
//
// The author of a store writes one class: how to make a backend for it, and what else an operator or another program can do
// there, as far as the store can (Ability). docs/backends/writing-one.md walks through one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::testing {

class StoreSession;

// What not every service can be asked or made to do. The cases that need what a world cannot do are left out, and are said and counted.
enum class Ability {
  listeners,    // World::listeners(): to count what listens
  marks,        // World::marks(): to count marks, also those beside tickets
  values,       // World::read_value() and write_value(): to see what a commit changed
  end_session,  // World::end_session(): to end the session of a client, as the service does on its timeout
  strangers,    // World::add_stranger(): to put into a queue what is not a ticket
  fork,         // a child of fork() can connect, see World::child_shares_service()
};
inline constexpr Ability kAbilities[] = {Ability::listeners,   Ability::marks,     Ability::values,
                                         Ability::end_session, Ability::strangers, Ability::fork};
const char* to_string(Ability ability) noexcept;

// What nearly every store has. One without both has mutexes for which clients ask again and again: most cases are not for it.
enum class Feature {
  order,   // who waits is seen by all clients, and served in the order of asking
  family,  // all kinds of locks: readers and writers, permits, many names, counts, commits, asking back, delays; and a list of names in use
};
const char* to_string(Feature feature) noexcept;

class World {
 public:
  World();
  virtual ~World();

  // Written by the author of a store: a service of its own for every case.
  static std::unique_ptr<World> make();

  // ---------------------------------------------------------------------------------------------------- what every world says

  // The store under test, for one client whose Executor that is. Called from outside it, as Client::connect() calls a BackendFactory.
  virtual std::unique_ptr<spi::QueueBackend> backend(spi::Executor& executor, const ClientOptions& options) = 0;

  // ---------------------------------------------------------------------------------------------------- what a world may say

  virtual bool can(Ability) const { return false; }
  virtual bool has(Feature) const { return true; }
  // A client of the service. If the store has a URL, this is the place to use it.
  virtual Client connect(ClientOptions options);

  // What is there, by the service's own word. Those that are not overridden ask a backend() of this world.
  virtual std::vector<std::string> tickets(const std::string& queue);  // in order
  virtual void remove_ticket(const std::string& queue, const std::string& ticket);
  virtual void write_ticket(const std::string& queue, const std::string& ticket, const std::string& text);
  virtual void ask_back(const std::string& queue, const std::string& ticket);
  virtual spi::SemaphoreQueues semaphore(const std::string& name);

  // Only if it can.
  virtual std::size_t listeners();
  virtual std::size_t marks(const std::string& queue);
  virtual std::optional<std::string> read_value(const std::string& path);  // none if there is nothing
  virtual void write_value(const std::string& path, const std::string& text);
  virtual void end_session(const spi::Session& session);
  virtual void add_stranger(const std::string& queue, const std::string& name);
  // Whether a child of fork() that connects sees the queues of its parent, or a new service.
  virtual bool child_shares_service() const;

  // Before the service goes: ends the session that answers for what is not overridden.
  void end_own_session();

 private:
  StoreSession& own_session();

  std::unique_ptr<StoreSession> own_session_;
};

}  // namespace holdfast::testing
