// oracle.h -- what must be true of all holds at every moment, whatever happens; and what was seen, as a trace.
//
//   exclusion   no two holds of one name are valid at one moment, unless both are shared; of a semaphore no more permits than it has
//   loss        before a rival is granted, the holder before it was told, unless its process stands still
//   order       tokens grow with every ticket that is granted: tickets are granted in the order they were made in
//   grant       what is granted is valid
//   delay       after a holder that asked for a lock delay and did not release, the next one is granted no sooner than that
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lock/hold.h"
#include "timeline.h"

namespace holdfast::simulation {

class Oracle {
 public:
  explicit Oracle(const Timeline& timeline) : timeline_(timeline) {}

  struct Holder {
    std::string name;
    std::string who;     // "c1.2/3": client, its life, thread
    std::string client;  // "c1.2"
    bool shared = false;
    std::size_t permits = 0;  // of how many it holds, if the name is a semaphore's
    std::size_t of = 0;
    Moment delay{0};  // the lock delay it asked for
    std::shared_ptr<lock::Hold> hold;
    const spi::Executor* clock = nullptr;
    const class VirtualExecutor* process = nullptr;
  };

  // A thread has been granted the name.
  void granted(const Holder& holder);
  // It has given it back, or its client is gone.
  void over(const lock::Hold& hold);
  // It has lost it, or its client is being killed.
  void ends_without_release(const lock::Hold& hold);
  // The service has lost what it knew of them.
  void forget_delays();
  // Of all holds, by the clocks of their clients. After everything that happens.
  void look();

  void note(const std::string& line);
  void object(const std::string& why);

  const std::vector<std::string>& trace() const { return trace_; }
  const std::vector<std::string>& objections() const { return objections_; }

 private:
  void check_tokens(const Holder& holder);
  void check_delay(const Holder& holder);
  static bool exclude(const Holder& a, const Holder& b) { return a.of == 0 && !(a.shared && b.shared); }

  struct Granted {
    Token newest_exclusive = 0;
    Token newest = 0;
    std::string by;                    // the client that has the newest
    Moment not_before{Moment::min()};  // the next, because of a lock delay
  };

  const Timeline& timeline_;
  std::map<std::string, std::vector<Holder>> holders_;
  std::map<std::string, Granted> granted_;
  std::vector<std::string> trace_;
  std::vector<std::string> objections_;
};

}  // namespace holdfast::simulation
