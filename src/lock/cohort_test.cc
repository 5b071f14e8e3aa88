#include "lock/cohort.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "support/lock_bench.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using spi::Mode;
using testing::kRival;

// A client with one cohort.
struct Bench final : testing::LockBench {
  explicit Bench(Mode asked = Mode::exclusive, HandOver hand_over = {.count = 64, .time = 100ms})
      : cohorts(cohort_context(hand_over)),
        cohort(std::make_shared<Cohort>(cohorts, std::vector<QueueRequest>{{.queue = "q", .mode = asked}})),
        mode(asked) {
    connect();
  }

  // A cohort that holds or waits is kept by its claim.
  ~Bench() override { cohort->close({Errc::cancelled, "the test is over"}); }

  void session_connected(bool replaced) override {
    LockBench::session_connected(replaced);
    cohort->session_is_good();
  }
  void session_disconnected() override { cohort->session_disconnected(); }
  void validity_ended() override { cohort->validity_ended(); }
  void beat() override {
    LockBench::beat();
    cohort->beat();
  }

  // A thread of its own asks.
  std::shared_ptr<Waiter> enter(LockOptions options = {}, Clock::time_point deadline = Clock::time_point::max()) {
    auto waiter =
        std::make_shared<Waiter>(Call{.deadline = deadline, .options = options, .thread = ++last_thread, .mode = mode});
    cohort->enter(waiter);
    run(0ms);
    return waiter;
  }
  std::shared_ptr<Waiter> enter_without_waiting() { return enter({}, Clock::time_point()); }
  // The outcome, which is there already.
  static Outcome outcome(const std::shared_ptr<Waiter>& waiter) {
    EXPECT_TRUE(waiter->settled());
    return waiter->wait(Clock::time_point(), {});
  }
  static std::shared_ptr<Hold> hold(const std::shared_ptr<Waiter>& waiter) {
    const auto outcome = Bench::outcome(waiter);
    EXPECT_TRUE(outcome) << "not granted";
    return outcome ? *outcome : nullptr;
  }
  std::error_code release(const std::shared_ptr<Hold>& hold) {
    const auto error = cohort->release(hold, [this] { ++freed; });
    run(0ms);
    return error;
  }
  bool is_held(const std::shared_ptr<Hold>& hold) const { return hold->is_held(executor.now()); }

  CohortContext cohorts;
  std::shared_ptr<Cohort> cohort;
  Mode mode;
  ThreadId last_thread = 0;
  int freed = 0;
};

TEST(Cohort, serves_its_threads_one_after_the_other_with_one_ticket) {
  Bench bench;
  const auto first = bench.enter();
  const auto second = bench.enter();
  const auto third = bench.enter();
  const auto hold = Bench::hold(first);
  EXPECT_FALSE(second->settled());
  EXPECT_EQ(bench.line.queue.size(), 1u);
  EXPECT_FALSE(bench.release(hold));
  const auto next = Bench::hold(second);
  EXPECT_EQ(next->token(), hold->token()) << "the same ticket";
  EXPECT_FALSE(third->settled());
  EXPECT_EQ(bench.freed, 1);
  EXPECT_FALSE(bench.release(next));
  EXPECT_FALSE(bench.release(Bench::hold(third)));
}

TEST(Cohort, gives_its_ticket_back_when_no_thread_is_left) {
  Bench bench;
  EXPECT_TRUE(bench.cohort->idle());
  const auto hold = Bench::hold(bench.enter());
  EXPECT_FALSE(bench.cohort->idle());
  EXPECT_FALSE(bench.release(hold));
  EXPECT_TRUE(bench.cohort->idle());
  EXPECT_TRUE(bench.line.queue.empty());
  EXPECT_EQ(bench.freed, 1) << "said when the ticket was gone";
}

TEST(Cohort, hands_over_as_often_as_its_bound_allows_and_then_queues_anew) {
  Bench bench(Mode::exclusive, {.count = 2, .time = 1h});
  std::vector<std::shared_ptr<Waiter>> waiters;
  for (int i = 0; i < 4; ++i) waiters.push_back(bench.enter());
  std::vector<Token> tokens;
  for (const auto& waiter : waiters) {
    const auto hold = Bench::hold(waiter);
    tokens.push_back(hold->token());
    EXPECT_FALSE(bench.release(hold));
  }
  EXPECT_EQ(tokens[0], tokens[1]);
  EXPECT_EQ(tokens[1], tokens[2]);
  EXPECT_LT(tokens[2], tokens[3]) << "the ticket had been handed over twice";
}

TEST(Cohort, hands_over_no_longer_than_its_bound_allows) {
  Bench bench(Mode::exclusive, {.count = 1'000, .time = 100ms});
  const auto first = Bench::hold(bench.enter());
  const auto second = bench.enter();
  bench.run(100ms);
  EXPECT_FALSE(bench.release(first));
  EXPECT_LT(first->token(), Bench::hold(second)->token());
}

TEST(Cohort, lets_a_rival_in_between_when_its_bound_is_reached) {
  Bench bench(Mode::exclusive, {.count = 0, .time = 1h});
  const auto hold = Bench::hold(bench.enter());
  const auto next = bench.enter();
  const auto rival = bench.line.add_ticket("rival", kRival);
  EXPECT_FALSE(bench.release(hold));
  EXPECT_FALSE(next->settled());
  bench.line.remove_ticket(rival.ticket.id);
  bench.run(0ms);
  EXPECT_LT(rival.token, Bench::hold(next)->token());
}

TEST(Cohort, of_readers_serves_all_of_them_and_newcomers_with_one_ticket) {
  Bench bench(Mode::shared);
  const auto first = Bench::hold(bench.enter());
  const auto second = Bench::hold(bench.enter());
  EXPECT_EQ(bench.line.queue.size(), 1u);
  EXPECT_FALSE(bench.release(first));
  EXPECT_TRUE(bench.is_held(second));
  EXPECT_EQ(bench.line.queue.size(), 1u);
  EXPECT_FALSE(bench.release(second));
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(Cohort, of_readers_takes_newcomers_within_its_bound_only) {
  Bench bench(Mode::shared, {.count = 1'000, .time = 100ms});
  const auto hold = Bench::hold(bench.enter());
  const Waiter newcomer(Call{.thread = 99, .mode = Mode::shared});
  EXPECT_TRUE(bench.cohort->takes(newcomer));
  bench.run(100ms);
  EXPECT_FALSE(bench.cohort->takes(newcomer));
  EXPECT_FALSE(bench.cohort->takes(Waiter(Call{.thread = 99, .mode = Mode::exclusive})));
  EXPECT_FALSE(bench.release(hold));
}

TEST(Cohort, keeps_the_name_until_the_minimum_hold_is_over) {
  Bench bench;
  const auto hold = Bench::hold(bench.enter({.min_hold = 500ms}));
  bench.run(100ms);
  EXPECT_FALSE(bench.release(hold));
  EXPECT_FALSE(bench.is_held(hold));
  EXPECT_EQ(bench.freed, 0);
  bench.run(399ms);
  EXPECT_EQ(bench.line.queue.size(), 1u) << "it rests";
  bench.run(1ms);
  EXPECT_TRUE(bench.line.queue.empty());
  EXPECT_EQ(bench.freed, 1);
}

TEST(Cohort, that_rests_keeps_a_newcomer_waiting_and_serves_it_with_another_ticket) {
  Bench bench(Mode::exclusive, {.count = 64, .time = 1h});
  const auto hold = Bench::hold(bench.enter({.min_hold = 500ms}));
  EXPECT_FALSE(bench.release(hold));
  const auto next = bench.enter();
  bench.run(499ms);
  EXPECT_FALSE(next->settled());
  bench.run(1ms);
  EXPECT_LT(hold->token(), Bench::hold(next)->token());
}

TEST(Cohort, of_readers_that_rests_is_open_again_for_a_newcomer) {
  Bench bench(Mode::shared);
  const auto hold = Bench::hold(bench.enter({.min_hold = 50ms}));
  EXPECT_FALSE(bench.release(hold));
  const auto newcomer = Bench::hold(bench.enter());
  EXPECT_EQ(newcomer->token(), hold->token());
  bench.run(60ms);
  EXPECT_TRUE(bench.is_held(newcomer)) << "the end of the rest is not the end of its hold";
  EXPECT_FALSE(bench.release(newcomer));
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(Cohort, ends_a_hold_at_its_maximum_and_gives_the_next_thread_a_larger_token) {
  Bench bench(Mode::exclusive, {.count = 64, .time = 1h});
  const auto hold = Bench::hold(bench.enter({.max_hold = 200ms}));
  const auto next = bench.enter();
  bench.run(199ms);
  EXPECT_TRUE(bench.is_held(hold));
  EXPECT_FALSE(hold->lost().stop_requested());
  bench.run(1ms);
  EXPECT_FALSE(bench.is_held(hold));
  EXPECT_TRUE(hold->lost().stop_requested());
  EXPECT_LT(hold->token(), Bench::hold(next)->token());
  EXPECT_EQ(bench.release(hold), Errc::session_lost);
}

TEST(Cohort, loses_its_hold_when_the_session_cannot_be_proven_any_longer) {
  Bench bench;
  const auto hold = Bench::hold(bench.enter());
  const auto next = bench.enter();
  bench.line.comes_back = false;
  bench.line.break_connection();
  bench.run(3s);
  EXPECT_TRUE(bench.is_held(hold)) << "in jeopardy, and still ours";
  bench.run(3s);
  EXPECT_FALSE(bench.is_held(hold));
  EXPECT_TRUE(hold->lost().stop_requested());
  EXPECT_FALSE(next->settled()) << "it waits for the service";
  EXPECT_EQ(bench.release(hold), Errc::session_lost);
}

// The process was stopped: the timer that ends the hold has not had its turn.
TEST(Cohort, does_not_hand_over_what_it_lost_while_the_process_was_stopped) {
  Bench bench(Mode::exclusive, {.count = 64, .time = 1h});
  const auto hold = Bench::hold(bench.enter());
  const auto next = bench.enter();
  bench.executor.sleep_for(1min);
  EXPECT_EQ(bench.cohort->release(hold, {}), Errc::session_lost);
  EXPECT_FALSE(next->settled());
}

TEST(Cohort, whose_ticket_was_removed_loses_its_hold_and_queues_anew_for_the_next_thread) {
  Bench bench(Mode::exclusive, {.count = 64, .time = 1h});
  const auto hold = Bench::hold(bench.enter());
  const auto next = bench.enter();
  bench.run(3s);  // a beat, with which it listens to its ticket
  ASSERT_TRUE(bench.is_held(hold));
  bench.line.remove_ticket(bench.line.queue.front().ticket.id);
  bench.run(0ms);
  EXPECT_TRUE(hold->lost().stop_requested());
  EXPECT_LT(hold->token(), Bench::hold(next)->token());
}

TEST(Cohort, takes_its_ticket_back_when_the_last_waiter_leaves) {
  Bench bench;
  const auto rival = bench.line.add_ticket("rival", kRival);
  const auto first = bench.enter();
  const auto second = bench.enter();
  ASSERT_EQ(bench.line.queue.size(), 2u);
  Refusal refusal{Errc::timed_out, "timed out"};
  EXPECT_TRUE(bench.cohort->leave(first, refusal));
  EXPECT_EQ(refusal.ahead, 1u);
  EXPECT_NE(refusal.message.find("/q is held"), std::string::npos) << refusal.message;
  bench.run(0ms);
  EXPECT_EQ(bench.line.queue.size(), 2u) << "the second still waits";
  EXPECT_TRUE(bench.cohort->leave(second, refusal));
  bench.run(0ms);
  ASSERT_EQ(bench.line.queue.size(), 1u);
  EXPECT_EQ(bench.line.queue.front().ticket, rival.ticket);
  EXPECT_TRUE(bench.cohort->idle());
  EXPECT_FALSE(bench.cohort->leave(second, refusal)) << "it is not here any more";
}

TEST(Cohort, makes_no_ticket_for_a_caller_that_would_have_to_wait_and_will_not) {
  Bench bench;
  bench.line.add_ticket("rival", kRival);
  bench.line.requests = 0;
  const auto caller = bench.enter_without_waiting();
  EXPECT_EQ(Bench::outcome(caller).error().code, Errc::timed_out);
  EXPECT_EQ(bench.line.requests, 1);
  EXPECT_EQ(bench.line.queue.size(), 1u);
}

TEST(Cohort, tells_a_caller_that_will_not_wait_of_its_own_threads_without_asking) {
  Bench bench;
  const auto hold = Bench::hold(bench.enter());
  bench.line.requests = 0;
  const auto caller = bench.enter_without_waiting();
  EXPECT_EQ(Bench::outcome(caller).error().ahead, 1u);
  EXPECT_EQ(bench.line.requests, 0);
  EXPECT_FALSE(bench.release(hold));
}

TEST(Cohort, that_is_closed_fails_its_waiters_and_loses_its_holds) {
  Bench bench;
  const auto hold = Bench::hold(bench.enter());
  const auto waiter = bench.enter();
  bench.cohort->close({Errc::cancelled, "the client was closed"});
  EXPECT_EQ(Bench::outcome(waiter).error().code, Errc::cancelled);
  EXPECT_TRUE(hold->lost().stop_requested());
  EXPECT_FALSE(bench.is_held(hold));
  EXPECT_TRUE(bench.cohort->idle());
}

TEST(Cohort, does_not_hand_over_a_ticket_in_whose_place_another_hold_stands) {
  Bench bench(Mode::write, {.count = 64, .time = 1h});
  const auto hold = Bench::hold(bench.enter());
  const auto next = bench.enter();
  EXPECT_TRUE(bench.cohort->pin(*hold));
  EXPECT_FALSE(bench.release(hold));
  EXPECT_FALSE(bench.cohort->pin(*hold)) << "it is over";
  EXPECT_LT(hold->token(), Bench::hold(next)->token());
}

}  // namespace
}  // namespace holdfast::lock
