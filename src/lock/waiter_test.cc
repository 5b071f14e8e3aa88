#include "lock/waiter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

constexpr auto kForEver = Clock::time_point::max();
// A machine that does other things must not turn a truth into a failure.
constexpr auto kHiccup = 1s;

std::shared_ptr<Hold> a_hold() {
  return std::make_shared<Hold>(nullptr, Hold::Grant{.token = 7, .tickets = {}, .path = {}}, Call{},
                                std::make_shared<const Validity>());
}

TEST(Waiter, returns_what_was_granted_before_it_waited) {
  Waiter waiter{Call{}};
  const auto hold = a_hold();
  ASSERT_TRUE(waiter.grant(hold));
  const auto outcome = waiter.wait(kForEver, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*outcome, hold);
}

TEST(Waiter, returns_what_was_granted_even_if_the_deadline_is_past) {
  Waiter waiter{Call{}};
  ASSERT_TRUE(waiter.grant(a_hold()));
  EXPECT_TRUE(waiter.wait(Clock::time_point(), {}));
}

TEST(Waiter, returns_what_is_granted_while_it_waits) {
  for (int round = 0; round < 50; ++round) {
    Waiter waiter{Call{}};
    const auto hold = a_hold();
    bool granted = false;
    std::thread granter([&] { granted = waiter.grant(hold); });
    const auto began = Clock::now();
    const auto outcome = waiter.wait(began + 10s, {});
    granter.join();
    ASSERT_TRUE(granted);
    ASSERT_TRUE(outcome);
    ASSERT_EQ(*outcome, hold);
    ASSERT_LT(Clock::now() - began, 10s) << "it was not woken";
  }
}

TEST(Waiter, returns_why_it_failed) {
  Waiter waiter{Call{}};
  waiter.fail({Errc::refused, "no", {}, 3});
  const auto outcome = waiter.wait(kForEver, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::refused);
  EXPECT_EQ(outcome.error().message, "no");
  EXPECT_EQ(outcome.error().ahead, 3u);
}

TEST(Waiter, knows_whether_it_is_patient) {
  EXPECT_TRUE(Waiter(Call{}).patient());
  EXPECT_FALSE(Waiter(Call{.deadline = {}}).patient());
}

TEST(Waiter, keeps_its_first_outcome) {
  Waiter waiter{Call{}};
  waiter.fail({Errc::refused, "first"});
  waiter.fail({Errc::cancelled, "second"});
  EXPECT_FALSE(waiter.grant(a_hold()));
  EXPECT_EQ(waiter.wait(kForEver, {}).error().message, "first");
}

TEST(Waiter, gives_up_at_its_deadline_and_not_before) {
  Waiter waiter{Call{}};
  const auto deadline = Clock::now() + 20ms;
  const auto outcome = waiter.wait(deadline, {});
  const auto ended = Clock::now();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::timed_out);
  EXPECT_GE(ended, deadline);
  EXPECT_LT(ended, deadline + kHiccup);
}

TEST(Waiter, gives_up_at_once_when_the_deadline_is_past) {
  for (const auto deadline : {Clock::time_point::min(), Clock::time_point(), Clock::now()}) {
    Waiter waiter{Call{}};
    const auto began = Clock::now();
    EXPECT_EQ(waiter.wait(deadline, {}).error().code, Errc::timed_out);
    EXPECT_LT(Clock::now() - began, kHiccup);
  }
}

TEST(Waiter, waits_with_a_deadline_just_short_of_for_ever) {
  Waiter waiter{Call{}};
  auto outcome = std::async(std::launch::async, [&] { return waiter.wait(kForEver - 1ns, {}); });
  ASSERT_TRUE(waiter.grant(a_hold())) << "it gave up";
  EXPECT_TRUE(outcome.get());
}

TEST(Waiter, refuses_a_grant_after_it_gave_up) {
  Waiter waiter{Call{}};
  ASSERT_FALSE(waiter.wait(Clock::time_point(), {}));
  const auto hold = a_hold();
  EXPECT_FALSE(waiter.grant(hold));
  EXPECT_EQ(hold.use_count(), 1) << "it kept what it refused";
}

TEST(Waiter, is_cancelled_when_the_stop_was_requested_before) {
  Waiter waiter{Call{}};
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(waiter.wait(kForEver, source.get_token()).error().code, Errc::cancelled);
  EXPECT_FALSE(waiter.grant(a_hold()));
}

// Starting the thread takes longer than beginning to wait, nearly always; hence more than one round.
TEST(Waiter, is_cancelled_when_the_stop_is_requested_while_it_waits) {
  for (int round = 0; round < 50; ++round) {
    Waiter waiter{Call{}};
    std::stop_source source;
    std::thread stopper([&] { source.request_stop(); });
    const auto outcome = waiter.wait(Clock::now() + 10s, source.get_token());
    stopper.join();
    ASSERT_FALSE(outcome);
    ASSERT_EQ(outcome.error().code, Errc::cancelled);
  }
}

TEST(Waiter, keeps_a_grant_that_came_before_the_stop) {
  Waiter waiter{Call{}};
  std::stop_source source;
  ASSERT_TRUE(waiter.grant(a_hold()));
  source.request_stop();
  EXPECT_TRUE(waiter.wait(kForEver, source.get_token()));
}

TEST(Waiter, may_be_destroyed_as_soon_as_it_returned) {
  for (int round = 0; round < 1'000; ++round) {
    auto waiter = std::make_unique<Waiter>(Call{});
    std::thread granter([granted = waiter.get()] { static_cast<void>(granted->grant(a_hold())); });
    EXPECT_TRUE(waiter->wait(kForEver, {}));
    waiter.reset();  // the granter may not have left grant() yet; ThreadSanitizer and AddressSanitizer watch
    granter.join();
  }
}

// Grant, failure, stop and deadline, all at once, a thousand times: the caller and the granter must agree on who won.
TEST(Waiter, has_exactly_one_outcome_when_all_race) {
  constexpr int kRounds = 1'000;
  std::unique_ptr<Waiter> waiter;
  std::unique_ptr<std::stop_source> source;
  std::atomic<bool> granted = false;
  std::barrier gate(4);

  std::thread granter([&] {
    for (int round = 0; round < kRounds; ++round) {
      gate.arrive_and_wait();
      granted = waiter->grant(a_hold());
      gate.arrive_and_wait();
    }
  });
  std::thread failer([&] {
    for (int round = 0; round < kRounds; ++round) {
      gate.arrive_and_wait();
      if (round % 2 == 0) waiter->fail({Errc::session_lost, "gone"});
      gate.arrive_and_wait();
    }
  });
  std::thread stopper([&] {
    for (int round = 0; round < kRounds; ++round) {
      gate.arrive_and_wait();
      if (round % 3 == 0) source->request_stop();
      gate.arrive_and_wait();
    }
  });
  int disagreements = 0;
  for (int round = 0; round < kRounds; ++round) {
    waiter = std::make_unique<Waiter>(Call{});
    source = std::make_unique<std::stop_source>();
    gate.arrive_and_wait();
    const auto outcome = waiter->wait(Clock::now() + std::chrono::microseconds(round % 50), source->get_token());
    gate.arrive_and_wait();
    if (outcome.has_value() != granted) ++disagreements;
    // A caller that asks again hears the same.
    const auto again = waiter->wait(Clock::time_point(), {});
    if (again.has_value() != outcome.has_value()) ++disagreements;
  }
  granter.join();
  failer.join();
  stopper.join();
  EXPECT_EQ(disagreements, 0);
}

}  // namespace
}  // namespace holdfast::lock
