// scene.h -- an engine with clients, for tests that ask one thing after the other: each request is executed and settled at once.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "engine/engine.h"
#include "wire/jute.h"

namespace holdfast::testing {

// What somebody was told.
struct Told {
  engine::ConnectionId connection;
  wire::EventType type;
  std::string path;
  friend bool operator==(const Told&, const Told&) = default;
};
std::ostream& operator<<(std::ostream& out, const Told& told);

inline const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};

// Requests with what most tests want.
wire::Create create(std::string path, wire::CreateMode mode = wire::CreateMode::persistent, std::string data = "");

class Scene {
 public:
  explicit Scene(engine::Rules rules = {}, base::HashKey key = {}) : engine(rules, key) {}

  // A new session with a connection of the same number.
  engine::Client client(wire::SessionId number, engine::Identities identities = {{"ip", "127.0.0.1"}});

  // The next zxid for a write; a millisecond passes, by either clock.
  engine::Outcome execute(const engine::Client& client, const wire::Request& request);
  void settle(const engine::Client& client, const wire::Request& request, engine::Outcome& outcome);
  engine::Outcome run(const engine::Client& client, const wire::Request& request);
  wire::Code code(const engine::Client& client, const wire::Request& request) { return run(client, request).code; }
  // The path that a create made; "" if it made none.
  std::string created(const engine::Client& client, const wire::Create& request);
  wire::Stat stat(std::string_view path) const { return engine.tree().find(path)->stat(); }
  // So many milliseconds later by the clock that does not jump: what is due then.
  std::vector<std::string> due_after(std::int64_t milliseconds) {
    engine.advance(now + std::chrono::milliseconds(milliseconds));
    return engine.mortals_due();
  }
  bool is_there(std::string_view path) const { return engine.tree().find(path) != nullptr; }
  // What was told since the last time.
  std::vector<Told> told() { return std::exchange(told_, {}); }

  engine::Engine engine;
  wire::Zxid zxid = 0;
  std::int64_t time = 1'000;
  engine::Moment now{0};

 private:
  std::vector<Told> told_;
};

}  // namespace holdfast::testing
