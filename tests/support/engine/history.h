// history.h -- a random history of an engine, as a service would drive it: sessions come and go, batches of requests are executed,
// and then settled, or taken back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/engine/random_requests.h"

namespace holdfast::testing {

class History {
 public:
  History();

  // Something random is executed, by the choice of `random`; it is pending until one of the two below.
  void act(RandomRequests& random);
  // Settles all that is pending; their changes go to the log.
  void settle();
  // Takes back all that is pending, as if nobody had ever asked.
  void take_back();

  // At rest: nothing is pending.
  void begin_snapshot() { engine.begin_snapshot(); }
  // The next records, at most that many; fewer only when there are no more.
  std::vector<std::string> snapshot_records(std::size_t most);

  engine::Engine engine;
  std::vector<std::string> log;  // of all that settled
  std::size_t refused = 0;       // requests that changed nothing, so that a test can tell that some did

 private:
  struct Pending {
    engine::Client client;
    wire::Request request;
    engine::Outcome outcome;
  };

  wire::Zxid zxid_ = 0;
  std::int64_t time_ = 0;
  wire::Zxid zxid_at_rest_ = 0;
  std::int64_t time_at_rest_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace holdfast::testing
