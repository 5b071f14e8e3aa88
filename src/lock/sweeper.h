// sweeper.h -- removes tickets that no caller wants any more, until the service has confirmed it or the session is dead.
//
// Neither a release nor a caller that gives up waits for the service, so the sweeper makes sure that no ghost
// ticket stays in the queue. A ticket ends with its session, so nothing here outlives the session.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "lock/session.h"

namespace holdfast::lock {

class Sweeper {
 public:
  // Called once, when the ticket is known to be gone.
  using Done = std::function<void()>;

  Sweeper(spi::Executor& executor, spi::QueueBackend& backend, Session& session)
      : executor_(executor), backend_(backend), session_(session) {}

  // A ticket of this client.
  void remove(const std::string& queue, const spi::Place& place, Done done = {});
  // A ticket that may or may not have been made: its enqueue() ended `unknown` in `session`.
  void remove_if_made(const std::string& queue, const std::string& uid, spi::SessionId session);

  void session_connected();
  bool idle() const { return chores_.empty(); }
  void close();

 private:
  struct Chore {
    std::string queue;
    std::string uid;     // set while it is not known whether there is a ticket
    std::string ticket;  // set once there is one
    spi::SessionId session = 0;
    Done done;
    bool in_flight = false;
  };
  using Id = std::uint64_t;

  void add(Chore chore);
  void attempt(Id id);
  void answered(Id id, spi::Status status, const std::string& detail);
  void finish(Id id);

  spi::Executor& executor_;
  spi::QueueBackend& backend_;
  Session& session_;
  std::map<Id, Chore> chores_;
  Id last_id_ = 0;
};

}  // namespace holdfast::lock
