// worker -- one client of a chaos run: takes the lock and writes to the fenced resource, again and again.
//
// Says on stdout what happens, in lines of history.h without t_ms and who, and is answered on stdin:
//
//   (after a "write")   admitted | refused
//   finish              at any time: one more whole round, then close and exit with 0
//
// It stops writing when lost() fires, as a well-behaved holder does. But the first write after a pause longer than the
// session is sent without looking: that is the write which only a fence can refuse.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "history.h"
#include "holdfast/holdfast.h"

namespace holdfast::testing {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr int kPuts = 3;
// Milliseconds between two writes of a section, at most. Most are quick, so that there are many; some are slow, so that
// loss comes in the midst of them.
constexpr std::uint64_t kQuickStep = 40;
constexpr std::uint64_t kSlowStep = 700;
constexpr std::uint64_t kOneIsSlowOf = 15;
// How long connecting may fail before this is no fault of the run's any more.
constexpr std::chrono::seconds kConnectingMayTake{60};

struct Orders {
  std::string url;
  std::string lock;
  milliseconds session{};
  Clock::time_point epoch{};
  std::uint64_t seed = 0;
  bool break_lock = false;
};

// One write(2), so that lines of two threads do not mix and kill -9 leaves no half of one.
void say(const Json& entry) {
  const std::string line = entry.dump() + "\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::_Exit(3);
}

// A lease; or, with a lock that was broken on purpose, what a liar makes up.
class Hold {
 public:
  Hold(Lease lease, const Orders& orders) : lease_(std::move(lease)) {
    on_loss_.emplace(lease_.lost(), [token = lease_.token(), epoch = orders.epoch] {
      say({{"what", "lost"}, {"token", token}, {"at_ms", ms_between(epoch, Clock::now())}});
    });
  }
  explicit Hold(milliseconds session)
      : invented_(static_cast<Token>(Clock::now().time_since_epoch().count())), until_(Clock::now() + session) {}

  Token token() const { return invented_ != 0 ? invented_ : lease_.token(); }
  Clock::time_point valid_until() const { return invented_ != 0 ? until_ : lease_.valid_until(); }
  bool lost() const { return lease_.lost().stop_requested(); }
  std::error_code release() {
    on_loss_.reset();
    return lease_.release();
  }

 private:
  Lease lease_;
  Token invented_ = 0;
  Clock::time_point until_{};
  std::optional<std::stop_callback<std::function<void()>>> on_loss_;
};

class Worker {
 public:
  explicit Worker(const Orders& orders)
      : orders_(orders), random_(orders.seed), client_(connect(orders)), mutex_(client_.mutex(orders.lock)) {}

  void run() {
    bool last = false;
    bool whole = false;
    // Bounded by the driver, which kills who does not end in time.
    while (!last || !whole) {
      last = finishing_;
      whole = round();
      pretend_to_work(last ? 0 : 60);
    }
    client_.close();
    say({{"what", "closed"}});
  }

 private:
  static Client connect(const Orders& orders) {
    const auto deadline = Clock::now() + kConnectingMayTake;
    for (;;) {
      try {
        return Client::connect(orders.url, {.session_timeout = orders.session,
                                            .connection_timeout = orders.session,
                                            .retry = RetryPolicy::forever(100ms)});
      } catch (const Error& error) {
        if (error.code() != Errc::not_connected && error.code() != Errc::timed_out) throw;
        if (Clock::now() > deadline) throw;
      }
    }
  }

  double now_ms() const { return ms_between(orders_.epoch, Clock::now()); }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  // What a critical section is there for. Not waiting for anything.
  void pretend_to_work(std::uint64_t at_most) {
    std::this_thread::sleep_for(milliseconds(at_most == 0 ? 0 : draw(at_most)));
  }

  // One ask and what follows from it. True if the section was whole: held from begin to end.
  bool round() {
    auto hold = ask();
    if (!hold) return false;
    const double promised = ms_between(orders_.epoch, hold->valid_until());
    say({{"what", "granted"}, {"token", hold->token()}, {"at_ms", now_ms()}, {"valid_until_ms", promised}});
    const bool whole = section(*hold);
    if (!whole) say({{"what", "gave_up"}, {"token", hold->token()}, {"at_ms", now_ms()}});
    const double began = now_ms();
    const auto error = hold->release();
    say({{"what", "released"},
         {"token", hold->token()},
         {"at_ms", began},
         {"error", error ? error.message() : std::string()}});
    return whole;
  }

  std::optional<Hold> ask() {
    // One in four will not wait for ever, so that giving up is part of the run.
    const milliseconds within(!finishing_ && draw(4) == 0 ? 200 + draw(2'000) : 0);
    Json asked{{"what", "asked"}, {"at_ms", now_ms()}};
    if (within > 0ms) asked["within_ms"] = within.count();
    say(asked);
    if (orders_.break_lock) return std::optional<Hold>(std::in_place, orders_.session);
    try {
      auto result = within > 0ms ? mutex_.try_acquire_for(within) : AcquireResult(mutex_.acquire());
      if (result) return std::optional<Hold>(std::in_place, std::move(result.lease()), orders_);
      if (result.error() != Errc::timed_out) throw Error(result.error(), result.message());
      say({{"what", "timed_out"}, {"at_ms", now_ms()}});
    } catch (const Error& error) {
      say({{"what", "failed"}, {"at_ms", now_ms()}, {"message", error.what()}});
    }
    return std::nullopt;
  }

  bool section(const Hold& hold) {
    const auto step = draw(kOneIsSlowOf) == 0 ? kSlowStep : kQuickStep;
    auto last_step = Clock::now();
    for (int n = 0; n < kPuts + 2; ++n) {
      pretend_to_work(n == 0 ? 0 : step);
      const auto now = Clock::now();
      const bool late = now - last_step > orders_.session;
      last_step = now;
      if (!late && hold.lost()) return false;
      // Before the time: what is still ahead then was ahead when it was promised.
      const double promised = ms_between(orders_.epoch, hold.valid_until());
      say({{"what", "write"},
           {"op", n == 0       ? "begin"
                  : n <= kPuts ? "put"
                               : "end"},
           {"n", n},
           {"token", hold.token()},
           {"at_ms", now_ms()},
           {"valid_until_ms", promised},
           {"late", late}});
      if (!admitted()) return false;
    }
    return true;
  }

  bool admitted() {
    for (std::string line; std::getline(std::cin, line);) {
      if (line != "finish") return line == "admitted";
      finishing_ = true;
    }
    throw std::runtime_error("the driver is gone");
  }

  const Orders orders_;
  std::mt19937_64 random_;
  Client client_;
  Mutex mutex_;
  bool finishing_ = false;
};

int run(int argc, char** argv) {
  CLI::App app("One client of a chaos run, see tests/chaos/README.md");
  Orders orders;
  milliseconds::rep session = 0;
  Clock::rep epoch = 0;
  app.add_option("url", orders.url)->required();
  app.add_option("lock", orders.lock)->required();
  app.add_option("--session", session, "in milliseconds")->required();
  app.add_option("--epoch", epoch, "start of the run on CLOCK_BOOTTIME, in nanoseconds")->required();
  app.add_option("--seed", orders.seed)->required();
  app.add_flag("--break-lock", orders.break_lock, "writes without asking for the lock");
  CLI11_PARSE(app, argc, argv);
  orders.session = milliseconds(session);
  orders.epoch = Clock::time_point(Clock::duration(epoch));
  Worker(orders).run();
  return 0;
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  try {
    return holdfast::testing::run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "chaos worker {}: {}\n", ::getpid(), failure.what());
    return 1;
  }
}
