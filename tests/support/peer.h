// peer.h -- a process that takes locks on command.
//
// Workers in C++, Java (Curator) and Python (kazoo) speak one protocol: a command per line on stdin, a reply
// per line on stdout.
//
//   (start)                          ready
//   acquire                          acquired <token|->
//   acquire <milliseconds>           acquired <token|-> | timeout
//   release                          released | error <text>
//   share                            acquired <token|->
//   downgrade                        downgraded <token|->
//   revoke                           asked
//   count <n>                        counted
//   rounds <n> <oracle-dir> <id>     done <n> | overlap <text>
//   exit, or end of stdin            exits with 0 after closing cleanly
//
// At any time a worker may add the line "lost" (the C++ one does, when it loses a hold) or "revoked" (those that listen
// do, when somebody asks for the lock). These are no replies: they are recorded with their arrival times, see lost_at()
// and revoked_at().
//
// Start peers from a thread that outlives them (see process.h). One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "process.h"

namespace holdfast::testing {

// What the peer was expected to say and what it said, or that it said nothing.
class PeerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Peer {
 public:
  using Clock = Process::Clock;

  // Long enough for a JVM on a starved machine; every wait ends.
  static constexpr std::chrono::milliseconds kReplyTimeout{30'000};

  // Starts the worker and waits for "ready". `name` is for error messages.
  explicit Peer(const ProcessOptions& options, std::string name = "peer");
  explicit Peer(std::vector<std::string> argv, std::string name = "peer");

  void send(std::string_view line);
  // The next reply, which must begin with `prefix`; returned whole.
  std::string expect(std::string_view prefix, std::chrono::milliseconds timeout = kReplyTimeout);
  // The next reply, whatever it says; nothing if there is none in time.
  std::optional<std::string> reply(std::chrono::milliseconds timeout);

  // The token ("-" from peers that have none).
  std::string acquire(std::chrono::milliseconds reply_timeout = kReplyTimeout);
  // Nothing if the peer says that its own timeout passed.
  std::optional<std::string> acquire_within(std::chrono::milliseconds lock_timeout);
  void release();
  // For who holds to write: takes the lock to read, too, and stops writing, in two steps or in one. The token of the
  // read hold.
  std::string share();
  std::string downgrade();
  // Asks who holds the lock to give it back.
  void revoke();
  // The number of permits of a semaphore that has a shared count.
  void set_count(int permits);
  // In two halves, so that several peers can run at once.
  void start_rounds(std::size_t count, const std::filesystem::path& oracle_directory, std::string_view id);
  void finish_rounds(std::chrono::milliseconds timeout);
  // Asks the peer to exit and returns its exit status. Throws PeerError if it does not end in time.
  int exit(std::chrono::milliseconds timeout = kReplyTimeout);

  void kill9();  // and waits for the end
  void pause() { process_.pause(); }
  void resume() { process_.resume(); }
  pid_t pid() const noexcept { return process_.pid(); }
  Process& process() noexcept { return process_; }

  // When the first "lost" since the start (or forget_lost()) arrived here; nothing if none did yet.
  std::optional<Clock::time_point> lost_at();
  bool wait_lost(std::chrono::milliseconds timeout);
  void forget_lost() noexcept { lost_at_.reset(); }
  // The same for "revoked".
  std::optional<Clock::time_point> revoked_at();
  bool wait_revoked(std::chrono::milliseconds timeout);
  void forget_revoked() noexcept { revoked_at_.reset(); }

 private:
  void sort_in(Process::Line line);
  void sort_in_what_is_there();
  bool wait_for(const std::optional<Clock::time_point>& event, std::chrono::milliseconds timeout);

  std::string name_;
  Process process_;
  std::deque<std::string> replies_;  // read while looking for an event, not asked for yet
  std::optional<Clock::time_point> lost_at_;
  std::optional<Clock::time_point> revoked_at_;
};

}  // namespace holdfast::testing
