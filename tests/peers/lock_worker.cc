// lock_worker -- ours in the queue: a lock of Holdfast's in a process of its own.
//
//   holdfast_lock_worker <host:port[,host:port], or a URL> <lock path> <session timeout in ms> [KIND]
//                        [--hand-over N] [--sessions N]
//
// Speaks the line protocol of README.md, and adds the line "lost" when it loses a hold. Re-entrant, where the lock
// is: acquire and release run on one thread. With --sessions it is a crowd: N clients, of which each does all the rounds
// of a "rounds N DIR ID" at once with the others, the i-th as "ID.i"; acquire and release are those of the first.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"
#include "support/oracle.h"
#include "worker_lock.h"

namespace holdfast::testing {
namespace {

using std::chrono::milliseconds;

// As patient as the Curator peer; never longer than the session.
constexpr milliseconds kConnectionTimeout{15'000};

// From any thread: one call, so lines do not mix.
void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

class Hold {
 public:
  explicit Hold(Lease lease, bool revocable = false)
      : lease_(std::move(lease)), on_loss_(lease_.lost(), [] { say("lost"); }) {
    if (revocable) on_revocation_.emplace(lease_.revoked(), [] { say("revoked"); });
  }

  std::string token() const { return std::to_string(lease_.token()); }
  std::error_code release() { return lease_.release(); }

 private:
  Lease lease_;
  std::stop_callback<std::function<void()>> on_loss_;
  std::optional<std::stop_callback<std::function<void()>>> on_revocation_;
};

class Worker {
 public:
  Worker(const std::string& url, const std::string& path, const std::string& kind, const ClientOptions& options)
      : path_(path),
        revocable_(kind == "revocable"),
        client_(Client::connect(url, options)),
        lock_(WorkerLock::make(client_, path, kind)) {}

  std::string acquire(std::optional<milliseconds> timeout) {
    auto result = lock_->acquire(timeout);
    if (result.error() == Errc::timed_out) return "timeout";
    if (!result) return "error " + result.message();
    holds_.emplace_back(std::move(result.lease()), revocable_);
    return "acquired " + holds_.back().token();
  }

  std::string release() {
    std::error_code error;
    if (holds_.empty()) {
      error = lock_->release_what_is_not_held();
    } else {
      error = holds_.back().release();
      holds_.pop_back();
    }
    return error ? "error " + error.message() : "released";
  }

  std::string share() {
    if (holds_.size() != 1) return "error the write lock is not held";
    holds_.emplace_back(lock_->share());
    return "acquired " + holds_.back().token();
  }

  std::string downgrade() {
    if (holds_.size() == 1) share();
    if (holds_.size() != 2) return "error the write lock is not held";
    const auto error = holds_.front().release();
    holds_.pop_front();
    return error ? "error " + error.message() : "downgraded " + holds_.back().token();
  }

  std::string revoke() { return client_.revoke(path_, milliseconds(0)).asked == 0 ? "error nobody holds it" : "asked"; }

  std::string set_count(std::int32_t permits) {
    lock_->set_count(permits);
    return "counted";
  }

  std::string rounds(int count, Oracle oracle, const std::string& id) {
    for (int round = 0; round < count; ++round) {
      auto result = lock_->acquire(std::nullopt);
      if (!result) return "error " + result.message();
      Hold hold(std::move(result.lease()));
      if (!oracle.enter(id)) return fmt::format("overlap in round {}", round);
      oracle.leave(id, hold.token());
      if (const auto error = hold.release()) return "error " + error.message();
    }
    return fmt::format("done {}", count);
  }

 private:
  std::string path_;
  bool revocable_;
  Client client_;
  std::unique_ptr<WorkerLock> lock_;
  std::deque<Hold> holds_;  // given back before the client closes: an orderly end is no loss
};

std::string answer_of(const std::function<std::string()>& work) {
  try {
    return work();
  } catch (const std::exception& failure) {
    return std::string("error ") + failure.what();
  }
}

// The first answer that is not "done", if there is one.
std::string rounds_of_all(std::deque<Worker>& workers, int count, const std::string& directory, const std::string& id) {
  std::vector<std::future<std::string>> answers;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    answers.push_back(std::async(std::launch::async, [&, i] {
      return answer_of([&] {
        return workers[i].rounds(count, Oracle(directory), workers.size() == 1 ? id : fmt::format("{}.{}", id, i));
      });
    }));
  }
  std::string result = fmt::format("done {}", count);
  for (auto& answer : answers) {
    auto text = answer.get();
    if (result.starts_with("done")) result = std::move(text);
  }
  return result;
}

std::string reply(std::deque<Worker>& workers, const std::string& command) {
  std::istringstream words(command);
  std::string word;
  words >> word;
  if (word == "acquire") {
    milliseconds::rep timeout = 0;
    return words >> timeout ? workers.front().acquire(milliseconds(timeout)) : workers.front().acquire(std::nullopt);
  }
  if (word == "release") return workers.front().release();
  if (word == "share") return workers.front().share();
  if (word == "downgrade") return workers.front().downgrade();
  if (word == "revoke") return workers.front().revoke();
  if (word == "count") {
    std::int32_t permits = 0;
    if (words >> permits) return workers.front().set_count(permits);
  }
  if (word == "rounds") {
    int count = 0;
    std::string directory;
    std::string id;
    if (words >> count >> directory >> id) return rounds_of_all(workers, count, directory, id);
  }
  return "error unknown command " + command;
}

int run(int argc, char** argv) {
  CLI::App app("Takes a lock on command, see tests/peers/README.md");
  std::string servers;
  std::string path;
  std::string kind = "mutex";
  milliseconds::rep session_timeout = 0;
  std::optional<unsigned> hand_over;
  std::size_t sessions = 1;
  app.add_option("servers", servers)->required();
  app.add_option("path", path)->required();
  app.add_option("session-timeout", session_timeout, "in milliseconds")->required();
  app.add_option("kind", kind, "see tests/peers/README.md");
  app.add_option("--hand-over", hand_over, "how often threads of this process pass the lock on among themselves");
  app.add_option("--sessions", sessions)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  ClientOptions options;
  options.session_timeout = milliseconds(session_timeout);
  options.connection_timeout = std::min(options.session_timeout, kConnectionTimeout);
  if (hand_over) options.hand_over.count = *hand_over;

  const auto url = servers.find("://") == std::string::npos ? "zk://" + servers : servers;
  std::deque<Worker> workers;
  for (std::size_t i = 0; i < sessions; ++i) workers.emplace_back(url, path, kind, options);
  say("ready");
  for (std::string line; std::getline(std::cin, line) && line != "exit";) {
    say(answer_of([&] { return reply(workers, line); }));
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  try {
    return holdfast::testing::run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "lock_worker: {}\n", failure.what());
    return 1;
  }
}
