#include "lock/delay.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "support/lock_bench.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

using testing::Fate;
using testing::kRival;

// A client whose claim has been admitted, and its delay.
struct Bench final : testing::ClaimBench {
  explicit Bench(RetryPolicy retry = RetryPolicy::forever(1ms)) : ClaimBench(std::move(retry)) {
    claim->start();
    run();
    EXPECT_EQ(admissions, 1);
    line.requests = 0;
    delay = std::make_shared<Delay>(context, *claim, 10s);
  }
  ~Bench() override { delay->stop(); }

  void session_connected(bool replaced) override {
    ClaimBench::session_connected(replaced);
    if (delay) delay->session_is_good();
  }
  void broken(Claim& ended) override {
    ClaimBench::broken(ended);
    delay->stop();
  }

  void wait() {
    delay->wait({.must_wait = [this] { ++delays; },
                 .may_hold =
                     [this](std::optional<Refusal> why) {
                       ++ends;
                       refusal = std::move(why);
                     }});
    executor.run_for(1ms);
  }
  // A holder that ended without releasing.
  void leave_mark_of_another() {
    const auto rival = line.add_ticket("rival", kRival);
    line.marks.insert(rival.ticket.id);
    line.remove_ticket(rival.ticket.id);
  }
  const std::string& ours() const { return claim->places().front().ticket.id; }

  std::shared_ptr<Delay> delay;
  int delays = 0;
  int ends = 0;
  std::optional<Refusal> refusal;
};

TEST(Delay, leaves_a_mark_and_lets_hold_immediately_where_there_is_no_other) {
  Bench bench;
  bench.wait();
  EXPECT_EQ(bench.ends, 1);
  EXPECT_FALSE(bench.refusal);
  EXPECT_EQ(bench.delays, 0);
  EXPECT_EQ(bench.line.marks, std::set<std::string>{bench.ours()});
}

TEST(Delay, takes_its_mark_back_when_it_is_lifted_and_leaves_it_when_it_is_stopped) {
  Bench released;
  released.wait();
  released.delay->lift();
  released.executor.run_for(1ms);
  EXPECT_TRUE(released.line.marks.empty());

  Bench ended;
  ended.wait();
  ended.delay->stop();
  ended.executor.run_for(1h);
  EXPECT_EQ(ended.line.marks.size(), 1U);
}

TEST(Delay, waits_out_the_mark_of_a_holder_that_did_not_release_to_the_nanosecond_and_removes_it) {
  Bench bench;
  bench.leave_mark_of_another();
  const auto begin = bench.executor.now();
  bench.wait();
  EXPECT_EQ(bench.delays, 1);
  EXPECT_EQ(bench.ends, 0);
  bench.executor.run_for(begin + 10s - bench.executor.now() - 1ns);
  EXPECT_EQ(bench.ends, 0);
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.ends, 1);
  EXPECT_FALSE(bench.refusal);
  EXPECT_EQ(bench.line.marks, std::set<std::string>{bench.ours()}) << "the other one's has gone";
}

TEST(Delay, that_is_stopped_while_it_waits_tells_nothing_and_removes_no_mark_of_another) {
  Bench bench;
  bench.leave_mark_of_another();
  bench.wait();
  bench.delay->stop();
  bench.executor.run_for(1h);
  EXPECT_EQ(bench.ends, 0);
  EXPECT_EQ(bench.line.marks.size(), 2U);
}

TEST(Delay, is_refused_where_no_mark_can_be_left) {
  Bench bench;
  bench.line.marks_denied = true;
  bench.wait();
  EXPECT_EQ(bench.ends, 1);
  ASSERT_TRUE(bench.refusal);
  EXPECT_EQ(bench.refusal->code, Errc::refused);
}

TEST(Delay, tells_nothing_when_its_ticket_is_gone) {
  Bench bench;
  bench.line.remove_ticket(bench.ours());
  bench.delay->wait({.must_wait = [] {}, .may_hold = [&](const auto&) { ++bench.ends; }});
  bench.executor.run_for(100ms);
  EXPECT_EQ(bench.ends, 0);
  EXPECT_TRUE(bench.line.marks.empty());
}

TEST(Delay, survives_the_loss_of_any_request_or_reply) {
  for (const auto fate : {Fate::request_lost, Fate::reply_lost}) {
    for (int lost = 1; lost <= 2; ++lost) {
      Bench bench;
      bench.line.fates[lost] = fate;
      bench.wait();
      bench.executor.run_for(1s);
      EXPECT_EQ(bench.ends, 1) << lost;
      EXPECT_FALSE(bench.refusal);
      EXPECT_EQ(bench.line.marks, std::set<std::string>{bench.ours()}) << "once, however often it was asked for";
    }
  }
}

TEST(Delay, gives_up_as_the_retry_policy_says) {
  Bench bench(RetryPolicy::n_times(2, 1ms));
  bench.line.comes_back = false;
  bench.line.fates[1] = Fate::request_lost;
  bench.wait();
  bench.executor.run_for(10s);
  EXPECT_EQ(bench.ends, 1);
  EXPECT_TRUE(bench.refusal);
}

}  // namespace
}  // namespace holdfast::lock
