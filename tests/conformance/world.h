// world.h -- the storage service a conformance case runs on, seen from outside the library.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"

namespace holdfast::testing {

class World {
 public:
  virtual ~World() = default;

  // A service of its own for every case.
  static std::unique_ptr<World> make();

  virtual std::string url() const = 0;
  // The tickets in the queue of that name, in order, as the service itself lists them.
  virtual std::vector<std::string> tickets(const std::string& name) = 0;
  // How many tickets and marks are in it.
  virtual std::size_t nodes(const std::string& name) = 0;
  // What an operator may do.
  virtual void remove_ticket(const std::string& name, const std::string& ticket) = 0;
  // What a stranger may write: a value of the service; the text of a ticket; over a ticket, that it is asked back.
  virtual void write(const std::string& path, const std::string& text) = 0;
  virtual void write_ticket(const std::string& name, const std::string& ticket, const std::string& text) = 0;
  virtual void ask_back(const std::string& name, const std::string& ticket) = 0;
  // Where a semaphore of that name keeps its tickets.
  virtual std::string permits(const std::string& name) const = 0;
  virtual std::string turns(const std::string& name) const = 0;
  // What is there; nothing if there is no such node.
  virtual std::optional<std::string> read(const std::string& path) = 0;
  // How many listeners (watches) the service keeps.
  virtual std::size_t listeners() = 0;
};

class Conformance : public ::testing::Test {
 protected:
  Client connect(ClientOptions options = {}) { return Client::connect(world_->url(), std::move(options)); }
  std::size_t queue_length(const std::string& name) { return world_->tickets(name).size(); }

  std::unique_ptr<World> world_ = World::make();
};

// What a call threw; nothing if it did not.
inline std::error_code code_of(const std::function<void()>& f) {
  try {
    f();
    return {};
  } catch (const Error& error) {
    return error.code();
  }
}

// Long enough for a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kSoon{10};

}  // namespace holdfast::testing
