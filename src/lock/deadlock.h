// deadlock.h -- whether a wait closes a circle of threads that wait for one another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::lock {

// A thread (of this client, or one that a card names) waits for a queue, or holds it.
template <class Who>
struct WaitsFor {
  Who who;
  std::string queue;
};
template <class Who>
struct Holds {
  Who who;
  std::string queue;
};

// The circle that `who` is in, from itself to the thread that waits for it; empty if there is none. Pure. A thread that waits for a
// queue waits for all its holders: a holder that is compatible would not keep it waiting.
template <class Who>
std::vector<WaitsFor<Who>> find_circle(const Who& who, const std::vector<WaitsFor<Who>>& waiting,
                                       const std::vector<Holds<Who>>& holding) {
  // Depth first; a thread waits for one queue at a time, so the way back is the stack.
  std::vector<WaitsFor<Who>> way;
  std::vector<Who> seen;
  const auto visit = [&](const auto& self, const Who& at) -> bool {
    for (const auto& wait : waiting) {
      if (!(wait.who == at)) continue;
      way.push_back(wait);
      for (const auto& hold : holding) {
        if (hold.queue != wait.queue) continue;
        if (hold.who == who) return true;
        bool known = false;
        for (const auto& each : seen) known = known || each == hold.who;
        if (known) continue;
        seen.push_back(hold.who);
        if (self(self, hold.who)) return true;
      }
      way.pop_back();
    }
    return false;
  };
  if (!visit(visit, who)) way.clear();
  return way;
}

}  // namespace holdfast::lock
