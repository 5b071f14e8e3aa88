// roster.h -- the processes below us that are known by now, to be signalled with the least work: one system call each.
//
// Finding them takes far more than that (process_tree.h), and a starved process has next to no time. By descriptors, so that a number that was
// given to another process since is not hit.
#pragma once

#include <sys/types.h>

#include <vector>

#include "holdfast/clock.h"

namespace holdfast::cli {

class Roster {
 public:
  Roster() = default;
  ~Roster();
  Roster(const Roster&) = delete;
  Roster& operator=(const Roster&) = delete;

  // Looks once more what is below `root`, at the longest until the deadline. What may be the shared engine (shared_engine.h) is not in it.
  void look(pid_t root, Clock::time_point deadline);
  // SIGKILL to those that are still the same, parents before children.
  void kill() const;
  // SIGTERM; those that stand still are continued, or they would not hear it.
  void ask_to_end() const;

 private:
  void clear();

  struct Entry {
    int process = -1;  // or none, and its number has to do: descriptors are few
    pid_t pid = 0;
    bool stopped = false;
  };
  static void send(const Entry& entry, int number);

  std::vector<Entry> entries_;
};

}  // namespace holdfast::cli
