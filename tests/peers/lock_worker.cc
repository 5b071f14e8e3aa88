// lock_worker -- ours in the queue: a Holdfast Mutex in a process of its own.
//
//   holdfast_lock_worker <host:port[,host:port]> <lock path> <session timeout in ms> [--hand-over N] [--sessions N]
//
// Speaks the line protocol of README.md, and adds the line "lost" when it loses a hold. Re-entrant, because the mutex
// is: acquire and release run on one thread. With --sessions it is a crowd: N clients, of which each does all the rounds
// of a "rounds N DIR ID" at once with the others, the i-th as "ID.i"; acquire and release are those of the first.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"
#include "support/oracle.h"

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
  explicit Hold(Lease lease) : lease_(std::move(lease)), on_loss_(lease_.lost(), [] { say("lost"); }) {}

  std::string token() const { return std::to_string(lease_.token()); }
  std::error_code release() { return lease_.release(); }

 private:
  Lease lease_;
  std::stop_callback<std::function<void()>> on_loss_;
};

class Worker {
 public:
  Worker(const std::string& url, const std::string& path, const ClientOptions& options)
      : client_(Client::connect(url, options)), mutex_(client_.mutex(path)) {}

  std::string acquire(std::optional<milliseconds> timeout) {
    auto result = timeout ? mutex_.try_acquire_for(*timeout) : AcquireResult(mutex_.acquire());
    if (result.error() == Errc::timed_out) return "timeout";
    if (!result) return "error " + result.message();
    holds_.emplace_back(std::move(result.lease()));
    return "acquired " + holds_.back().token();
  }

  std::string release() {
    std::error_code error;
    if (holds_.empty()) {
      error = mutex_.release();  // the library itself has to refuse
    } else {
      error = holds_.back().release();
      holds_.pop_back();
    }
    return error ? "error " + error.message() : "released";
  }

  std::string rounds(int count, Oracle oracle, const std::string& id) {
    for (int round = 0; round < count; ++round) {
      Hold hold(mutex_.acquire());
      if (!oracle.enter(id)) return fmt::format("overlap in round {}", round);
      oracle.leave(id, hold.token());
      if (const auto error = hold.release()) return "error " + error.message();
    }
    return fmt::format("done {}", count);
  }

 private:
  Client client_;
  Mutex mutex_;
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
  milliseconds::rep session_timeout = 0;
  std::optional<unsigned> hand_over;
  std::size_t sessions = 1;
  app.add_option("servers", servers)->required();
  app.add_option("path", path)->required();
  app.add_option("session-timeout", session_timeout, "in milliseconds")->required();
  app.add_option("--hand-over", hand_over, "how often threads of this process pass the lock on among themselves");
  app.add_option("--sessions", sessions)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  ClientOptions options;
  options.session_timeout = milliseconds(session_timeout);
  options.connection_timeout = std::min(options.session_timeout, kConnectionTimeout);
  if (hand_over) options.hand_over.count = *hand_over;

  std::deque<Worker> workers;
  for (std::size_t i = 0; i < sessions; ++i) workers.emplace_back("zk://" + servers, path, options);
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
