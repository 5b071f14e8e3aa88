#include "lock/permits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "support/breaking_line.h"
#include "support/eventually.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using testing::BreakingLine;
using testing::eventually;
using testing::Fate;

constexpr spi::SessionId kRival = 1'000;
constexpr auto kSoon = 30s;
// The line comes back 10 ms after it broke, and what was asked for is asked for again a millisecond later.
constexpr auto kAWhile = 50ms;
const std::string kTurns = "s/turns";
const std::string kPermits = "s/permits";

// A client and a semaphore of two permits. Acquiring blocks, so time is the real one; the line loses what it is told to lose.
class Bench {
 public:
  Bench() { core->open(core->now() + kSoon); }
  ~Bench() { core->close(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // What `f` returns, which runs where everything about the line happens.
  template <class F>
  auto inside(F f) {
    std::optional<decltype(f(std::declval<BreakingLine&>()))> result;
    EXPECT_FALSE(core->with_backend([&](spi::QueueBackend&) { result = f(*its_line); }));
    return *result;
  }
  Outcome acquire(std::size_t count = 1, Clock::time_point deadline = Clock::time_point::max(),
                  std::stop_token stop = {}) {
    return permits.owner()->enter(Owner::Way::lease, {.deadline = deadline, .stop = std::move(stop), .permits = count});
  }
  // Of any client, but of that session if one is given.
  std::size_t tickets(const std::string& queue, std::optional<spi::SessionId> session = {}) {
    return inside([&](BreakingLine& line) -> std::size_t {
      return std::count_if(line.queue.begin(), line.queue.end(), [&](const auto& there) {
        return there.name == queue && there.session == session.value_or(there.session);
      });
    });
  }
  spi::SessionId session() {
    return inside([](BreakingLine& line) { return line.session(); });
  }
  std::string rival() {
    return inside(
        [](BreakingLine& line) { return line.add_ticket("rival", kRival, kPermits, spi::Mode::permit).ticket.id; });
  }
  void leave(const std::string& ticket) {
    inside([&](BreakingLine& line) {
      line.remove_ticket(ticket);
      return true;
    });
  }
  // Nothing of ours is left behind, in either queue.
  bool has_left() {
    return eventually(kSoon, [&] { return tickets(kTurns) == 0 && tickets(kPermits) == tickets(kPermits, kRival); });
  }

  BreakingLine* its_line = nullptr;  // the core's
  const std::shared_ptr<Core> core = std::make_shared<Core>(
      [this](net::Reactor& reactor) {
        auto made = std::make_unique<BreakingLine>(reactor);
        its_line = made.get();
        return made;
      },
      ClientOptions{.connection_timeout = kSoon, .retry = RetryPolicy::forever(1ms)});
  Permits permits{core, "s", std::size_t{2}, {}};
};

TEST(Permits, are_tickets_and_the_turn_is_given_back_when_they_are_held) {
  Bench bench;
  const auto two = bench.acquire(2);
  ASSERT_TRUE(two);
  EXPECT_EQ(bench.tickets(kPermits), 2U);
  EXPECT_TRUE(eventually(kSoon, [&] { return bench.tickets(kTurns) == 0; }));
  EXPECT_FALSE(bench.permits.owner()->leave(*two));
  EXPECT_TRUE(bench.has_left());
}

TEST(Permits, that_others_hold_are_refused_with_one_read_to_a_caller_that_will_not_wait) {
  Bench bench;
  bench.rival();
  bench.inside([](BreakingLine& line) { return line.requests = 0; });
  const auto outcome = bench.acquire(2, Clock::time_point());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::timed_out);
  EXPECT_EQ(outcome.error().message, "1 of 2 permits of s/permits are taken, and 2 were asked for");
  EXPECT_EQ(bench.inside([](BreakingLine& line) { return line.requests; }), 1);
  const auto one = bench.acquire(1, Clock::time_point());
  ASSERT_TRUE(one) << "as many as are free";
  EXPECT_FALSE(bench.permits.owner()->leave(*one));
}

TEST(Permits, that_are_not_free_in_time_leave_nothing_behind) {
  Bench bench;
  bench.rival();
  const auto outcome = bench.acquire(2, bench.core->now() + kAWhile);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::timed_out);
  EXPECT_TRUE(bench.has_left());
}

TEST(Permits, are_granted_when_as_many_are_free) {
  Bench bench;
  const auto first = bench.rival();
  const auto second = bench.rival();
  Outcome outcome;
  std::jthread thread([&] { outcome = bench.acquire(2); });
  ASSERT_TRUE(eventually(kSoon, [&] { return bench.tickets(kPermits) == 4; }));
  bench.leave(first);
  bench.leave(second);
  thread.join();
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(bench.permits.owner()->leave(*outcome));
}

TEST(Permits, that_are_not_wanted_any_more_leave_nothing_behind) {
  Bench bench;
  bench.rival();
  Outcome outcome;
  std::jthread thread(
      [&](std::stop_token stop) { outcome = bench.acquire(2, Clock::time_point::max(), std::move(stop)); });
  ASSERT_TRUE(eventually(kSoon, [&] { return bench.tickets(kPermits) == 3; }));
  thread.request_stop();
  thread.join();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::cancelled);
  EXPECT_TRUE(bench.has_left());
}

TEST(Permits, are_asked_for_anew_when_the_session_is_lost_meanwhile) {
  Bench bench;
  const auto rival = bench.rival();
  const auto before = bench.session();
  Outcome outcome;
  std::jthread thread([&] { outcome = bench.acquire(2); });
  ASSERT_TRUE(eventually(kSoon, [&] { return bench.tickets(kPermits) == 3; }));
  bench.inside([](BreakingLine& line) {
    line.with_a_new_session = true;
    line.break_connection();
    return true;
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return bench.session() != before && bench.tickets(kPermits) == 3; }));
  bench.leave(rival);
  thread.join();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(bench.tickets(kPermits, before), 0U);
  EXPECT_EQ(bench.tickets(kPermits, bench.session()), 2U);
  EXPECT_FALSE(bench.permits.owner()->leave(*outcome));
}

TEST(Permits, survive_the_loss_of_any_request_or_reply) {
  for (const auto fate : {Fate::request_lost, Fate::reply_lost}) {
    for (int lost = 1; lost <= 4; ++lost) {
      SCOPED_TRACE(lost);
      Bench bench;
      bench.inside([&](BreakingLine& line) { return (line.fates[lost] = fate) == fate; });
      const auto two = bench.acquire(2);
      ASSERT_TRUE(two);
      EXPECT_TRUE(eventually(kSoon, [&] { return bench.tickets(kPermits) == 2 && bench.tickets(kTurns) == 0; }))
          << "no ghosts";
      EXPECT_FALSE(bench.permits.owner()->leave(*two));
      EXPECT_TRUE(bench.has_left());
    }
  }
}

}  // namespace
}  // namespace holdfast::lock
