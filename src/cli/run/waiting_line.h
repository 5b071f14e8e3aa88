// waiting_line.h -- what a person sees while a command waits for its lock.
//
//   nightly: 2nd in line; held for 4m10s by holdfast (pid 812) on web1: backup
//
// On a terminal one line that is drawn anew every second, and erased in the end. Elsewhere one plain line, once it takes a while. Above it, at
// once and to stay, that a run waits for one that it is part of (nested.h), and that local: has no room to write (disk_room.h).
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/run/acquisition.h"
#include "cli/run/run_options.h"
#include "holdfast/clock.h"
#include "holdfast/inspect.h"

namespace holdfast::cli {

class WaitingLine {
 public:
  // Has a thread, because asking takes as long as the service takes. `acquisition` must outlive it.
  WaitingLine(const RunOptions& options, Acquisition& acquisition, const std::string& url);
  ~WaitingLine();  // finish(), however long it takes
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  // Erases it. False if it is still asking the service by then; a caller that wants to end has to leave the thread behind.
  bool finish(Clock::time_point deadline);

 private:
  struct Seen {
    std::string sentence{};  // the holder that we wait for
    std::string nested{};    // see nested.h
    std::string room{};      // see disk_room.h
    bool answered = false;   // by the service
  };

  void work();
  void draw();
  void say_once();
  Seen look();
  void warn(const Seen& seen);                 // once of each; mutex_ is locked
  bool pause(std::chrono::milliseconds time);  // false: it is over

  const RunOptions& options_;
  Acquisition& acquisition_;
  const std::string url_;  // of the storage service
  const bool live_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;   // it has to end
  bool ended_ = false;  // the thread has
  bool drawn_ = false;
  bool said_nested_ = false;
  bool said_room_ = false;
  std::thread thread_;
};

// The locks that were asked for, as the service has them. Throws as Client::inspect().
std::vector<LockInfo> look_at(Client& client, const RunOptions& options);

}  // namespace holdfast::cli
