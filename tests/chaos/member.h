// member.h -- one client of the run: its process, the next one after kill -9, and its own line to the server.
//
//              start()     kill()     pause()     resume()
//   none       -> alive    nothing    nothing     nothing
//   alive      -           -> none    -> paused   nothing
//   paused     -           -> none    nothing     -> alive
//
// start(), kill() and wait_ended() from one thread, which outlives the member (see process.h); the rest from any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "fault_plan.h"
#include "fenced_resource.h"
#include "history.h"
#include "service.h"
#include "support/process.h"

namespace holdfast::testing {

struct MemberOptions {
  std::string name{};  // "c0"
  std::string lock{};
  std::chrono::milliseconds session{};
  Clock::time_point epoch{};
  std::uint64_t seed = 0;
  bool break_lock = false;
  std::filesystem::path log{};  // of the worker's stderr
};

class Member {
 public:
  Member(MemberOptions options, const Service& service, History& history, FencedResource& resource);
  ~Member();

  const std::string& name() const noexcept { return options_.name; }

  void start();
  void kill();
  void pause();
  void resume();
  Line& line() noexcept { return *line_; }

  // Asks for one more round and an orderly end.
  void finish();
  // False if it had to be killed.
  bool wait_ended(std::chrono::milliseconds within);

  // Between the lines "granted" and "released", as far as they have arrived.
  bool holding() const noexcept { return holding_; }

  // Under a fault that is not over. For the thread that causes them.
  bool troubled = false;

 private:
  void listen(Process& process);
  void hear(Process& process, Json entry);
  void reap();

  const MemberOptions options_;
  History& history_;
  FencedResource& resource_;
  const std::unique_ptr<Line> line_;
  const std::string url_;
  int life_ = 0;
  std::atomic<bool> holding_ = false;
  std::unique_ptr<Process> process_;
  std::thread listener_;
};

}  // namespace holdfast::testing
