// work.h -- one thing the service has to do, in its turn.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/engine.h"

namespace holdfast::server {

// When it is.
struct Turn {
  wire::Zxid zxid = 0;    // a new one for who writes, the last one for who reads
  std::int64_t time = 0;  // wall clock, milliseconds
  engine::Moment now{0};
};

// What takes no time worth mentioning is expected to take this.
inline constexpr engine::Moment kLittle = std::chrono::microseconds(5);

// Requests of clients, new sessions, sessions that end: all pass the Pipeline as this.
class Work {
 public:
  virtual ~Work() = default;

  // About what it will take, by what can be told without reading it.
  virtual engine::Moment likely_cost() const { return kLittle; }
  // The same by what it asks for; once, when its turn has come, and again for each further piece.
  virtual engine::Moment weigh(const engine::Engine&) { return likely_cost(); }
  // Takes a zxid, whether it succeeds or not.
  virtual bool writes() const = 0;
  // No client is told of that zxid: it changes nothing that can be seen.
  virtual bool silent() const { return false; }
  // May be called a second time, for who does not write, if what it saw was taken back.
  virtual engine::Outcome execute(engine::Engine& engine, const Turn& turn) = 0;
  // What it did is safe: who asked may know.
  virtual void settle(engine::Engine& engine, engine::Outcome& outcome) = 0;
  // It has done a piece and goes on with the next one in its client's next turn; asked after execute(). What another client asks
  // for is served in between.
  virtual bool unfinished() const { return false; }
  // It could not be made safe and was taken back; `unknown` if it may come back after a crash.
  virtual void fail(bool unknown) = 0;
};

}  // namespace holdfast::server
