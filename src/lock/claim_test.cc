#include "lock/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "support/lock_bench.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

using testing::Fate;
using testing::kRival;

struct Bench final : testing::ClaimBench {
  using ClaimBench::ClaimBench;

  void rival_leaves() {
    const auto rival =
        std::find_if(line.queue.begin(), line.queue.end(), [](const auto& p) { return p.session == kRival; });
    if (rival != line.queue.end()) line.remove_ticket(std::string(rival->ticket.id));
  }
};

// What a claim can ask for. A rival in "q" keeps each of them waiting.
const std::vector<std::vector<QueueRequest>> kShapes{
    {{.queue = "q"}},
    {{.queue = "p"}, {.queue = "q", .mode = spi::Mode::shared}, {.queue = "r", .mode = spi::Mode::write}},
    {{.queue = "q", .mode = spi::Mode::permit, .tickets = 2, .permits = std::make_shared<Limit>(2)}},
};

std::size_t tickets_of(const std::vector<QueueRequest>& shape) {
  std::size_t tickets = 0;
  for (const auto& request : shape) tickets += request.tickets;
  return tickets;
}

template <class F>
void for_every_shape(F&& f) {
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << "shape " << i);
    for (const bool contended : {false, true}) f(kShapes[i], contended);
  }
}

// Every way in which up to two of the first requests can be lost.
template <class F>
void for_every_two_losses(int requests, F&& f) {
  const std::array losses{Fate::request_lost, Fate::reply_lost};
  for (int first = 1; first <= requests; ++first) {
    for (const auto fate : losses) {
      f(std::map<int, Fate>{{first, fate}});
      for (int second = first + 1; second <= requests + 1; ++second) {
        for (const auto other : losses) f(std::map<int, Fate>{{first, fate}, {second, other}});
      }
    }
  }
}

TEST(Claim, survives_every_two_losses_and_leaves_no_ghost) {
  int cases = 0;
  for_every_shape([&](const std::vector<QueueRequest>& shape, bool contended) {
    for_every_two_losses(8, [&](const std::map<int, Fate>& fates) {
      Bench bench(RetryPolicy::forever(1ms), shape);
      if (contended) bench.line.add_ticket("rival", kRival);
      bench.line.fates = fates;
      bench.claim->start();
      bench.executor.run_for(500ms);
      if (contended) {
        ASSERT_EQ(bench.admissions, 0);
        bench.rival_leaves();
        bench.executor.run_for(500ms);
      }
      ASSERT_EQ(bench.admissions, 1);
      ASSERT_EQ(bench.line.queue.size(), tickets_of(shape)) << "a ghost";
      ASSERT_EQ(bench.claim->places().front().ticket.id, bench.line.queue.front().ticket.id);
      bench.claim->give_up();
      bench.executor.run_for(2s);
      ASSERT_TRUE(bench.line.queue.empty()) << "a ghost after the release";
      ASSERT_TRUE(bench.sweeper.idle());
      ASSERT_EQ(bench.line.listeners(), 0U);
      ++cases;
    });
  });
  EXPECT_GT(cases, 600);
}

TEST(Claim, may_be_given_up_at_any_moment_of_any_loss_and_leaves_no_ghost) {
  int moments = 0;
  for_every_shape([&](const std::vector<QueueRequest>& shape, bool contended) {
    for_every_two_losses(5, [&](const std::map<int, Fate>& fates) {
      for (int steps = 0; steps < 25; ++steps) {
        Bench bench(RetryPolicy::forever(1ms), shape);
        if (contended) bench.line.add_ticket("rival", kRival);
        bench.line.fates = fates;
        bench.claim->start();
        for (int i = 0; i < steps; ++i) bench.executor.step(bench.executor.now() + 100ms);
        bench.claim->give_up();
        const int admissions = bench.admissions;
        bench.executor.run_for(3s);
        ASSERT_EQ(bench.line.tickets_of(bench.line.session()), 0U) << "a ghost after " << steps << " steps";
        ASSERT_EQ(bench.line.queue.size(), contended ? 1U : 0U);
        ASSERT_EQ(bench.admissions, admissions) << "told after it was given up";
        ASSERT_FALSE(bench.failure);
        ASSERT_TRUE(bench.sweeper.idle());
        ++moments;
      }
    });
  });
  EXPECT_GT(moments, 1'000);
}

// H2 (CURATOR-604) and CURATOR-498: the old session's ticket is still listed, and is not ours any more.
TEST(Claim, never_uses_a_ticket_of_an_older_session) {
  int waited = 0;
  for_every_shape([&](const std::vector<QueueRequest>& shape, bool contended) {
    for_every_two_losses(6, [&](const std::map<int, Fate>& fates) {
      Bench bench(RetryPolicy::forever(1ms), shape);
      bench.line.with_a_new_session = true;
      bench.line.old_tickets_stay = true;
      if (contended) bench.line.add_ticket("rival", kRival);
      bench.line.fates = fates;
      bench.claim->start();
      bench.executor.run_for(500ms);
      if (bench.admissions > 0) return;
      bench.line.break_connection();  // once more, while it waits
      bench.executor.run_for(500ms);
      if (contended) bench.rival_leaves();
      bench.executor.run_for(500ms);
      // Tickets of older sessions request before us, and we wait for them as for any rival's. There may be more of them when the line
      // breaks once more meanwhile.
      for (std::size_t round = 0; round <= fates.size(); ++round) {
        std::vector<std::string> old_ones;
        for (const auto& place : bench.line.queue) {
          if (place.session != bench.line.session()) old_ones.push_back(place.ticket.id);
        }
        ASSERT_EQ(bench.admissions, old_ones.empty() ? 1 : 0);
        for (const auto& id : old_ones) bench.line.remove_ticket(id);
        bench.executor.run_for(500ms);
      }
      ASSERT_EQ(bench.admissions, 1);
      ASSERT_EQ(bench.line.tickets_of(bench.line.session()), tickets_of(shape));
      ++waited;
    });
  });
  EXPECT_GT(waited, 50);
}

TEST(Claim, for_several_queues_is_admitted_when_it_is_its_turn_in_every_one) {
  Bench bench(RetryPolicy::forever(1ms), {{.queue = "p"}, {.queue = "q"}, {.queue = "r"}});
  const auto in_p = bench.line.add_ticket("a", kRival, "p");
  const auto in_r = bench.line.add_ticket("b", kRival, "r");
  bench.claim->start();
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.claim->queue(), "p");
  EXPECT_EQ(bench.line.listeners(), 1U);
  bench.line.remove_ticket(in_p.ticket.id);
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.admissions, 0);
  EXPECT_EQ(bench.claim->queue(), "r");
  bench.line.remove_ticket(in_r.ticket.id);
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.admissions, 1);
}

TEST(Claim, for_several_queues_gives_all_back_when_one_ticket_is_removed) {
  Bench bench(RetryPolicy::forever(1ms), {{.queue = "p"}, {.queue = "q"}});
  bench.claim->start();
  bench.executor.run_for(1ms);
  ASSERT_EQ(bench.admissions, 1);
  bench.line.remove_ticket(bench.claim->places().back().ticket.id);
  bench.executor.run_for(bench.session.terms().beat + 1ms);
  EXPECT_EQ(bench.breaks, 1);
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(Claim, for_permits_looks_again_when_there_are_more) {
  const auto limit = std::make_shared<Limit>(2);
  Bench bench(RetryPolicy::forever(1ms), {{.queue = "q", .mode = spi::Mode::permit, .tickets = 2, .permits = limit}});
  bench.line.add_ticket("rival", kRival, "q", spi::Mode::permit);
  bench.claim->start();
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.admissions, 0);
  EXPECT_EQ(bench.claim->ahead(), 1U);
  limit->store(3);
  bench.claim->look_again();
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.admissions, 1);
  EXPECT_EQ(bench.line.listeners(), 0U);
}

TEST(Claim, is_admitted_at_the_event_when_only_one_stood_in_its_way) {
  Bench bench;
  bench.line.add_ticket("rival", kRival);
  bench.claim->start();
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.waits, 1);
  const auto requests = bench.line.requests;
  bench.rival_leaves();
  bench.executor.step();
  EXPECT_EQ(bench.admissions, 1);
  EXPECT_EQ(bench.line.requests, requests);
}

TEST(Claim, looks_again_when_the_one_it_listened_to_was_not_the_last_obstacle) {
  Bench bench;
  bench.line.add_ticket("first", kRival);
  const auto second = bench.line.add_ticket("second", kRival + 1);
  bench.claim->start();
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.claim->ahead(), 2U);
  bench.line.remove_ticket(second.ticket.id);
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.admissions, 0);
  EXPECT_EQ(bench.claim->ahead(), 1U);
  bench.rival_leaves();
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.admissions, 1);
}

// The process was stopped; the event that admits us waited in a buffer longer than the session is good for.
TEST(Claim, is_not_admitted_by_an_event_that_is_older_than_the_sessions_validity) {
  Bench bench;
  bench.line.add_ticket("rival", kRival);
  bench.claim->start();
  bench.executor.run_for(1ms);
  bench.rival_leaves();
  bench.executor.sleep_for(1min);
  bench.executor.step();  // the event
  EXPECT_EQ(bench.admissions, 0);
  bench.executor.run_for(1s);  // it asks, the service answers: the session has lived
  EXPECT_EQ(bench.admissions, 1);
}

// The pause, and an operator who removed our ticket meanwhile: what was planned for the old ticket must not go on.
TEST(Claim, that_queues_again_forgets_what_it_had_planned_for_the_ticket_before) {
  for (int steps = 0; steps < 12; ++steps) {
    Bench bench;
    bench.line.add_ticket("rival", kRival);
    bench.claim->start();
    bench.executor.run_for(1ms);
    bench.rival_leaves();
    bench.executor.sleep_for(1min);
    for (int i = 0; i < steps; ++i) bench.executor.step(bench.executor.now());
    bench.line.remove_ticket(std::string(bench.claim->places().front().ticket.id));
    bench.executor.run_for(10s);
    ASSERT_LE(bench.admissions + bench.breaks, 3);
    ASSERT_EQ(bench.line.queue.size(), bench.breaks > 0 ? 0U : 1U) << steps << " steps";
  }
}

// The queue may be written but not listed: CREATE without READ.
TEST(Claim, whose_ticket_was_made_but_not_listed_takes_it_back_when_it_fails) {
  Bench bench;
  bench.line.listing_denied = true;
  bench.claim->start();
  bench.executor.run_for(1s);
  ASSERT_TRUE(bench.failure);
  EXPECT_EQ(bench.failure->code, Errc::refused);
  EXPECT_TRUE(bench.line.queue.empty()) << "a ghost";
}

TEST(Claim, given_up_before_it_hears_that_its_ticket_was_made_but_not_listed_takes_it_back) {
  Bench bench;
  bench.line.listing_denied = true;
  bench.claim->start();
  bench.claim->give_up();
  bench.executor.run_for(1s);
  EXPECT_TRUE(bench.line.queue.empty()) << "a ghost";
}

TEST(Claim, gives_up_when_the_retry_policy_throws) {
  Bench bench(RetryPolicy([](unsigned, RetryPolicy::Duration) -> std::optional<RetryPolicy::Duration> {
    throw std::runtime_error("no idea");
  }));
  bench.line.fates = {{1, Fate::reply_lost}};
  bench.claim->start();
  bench.executor.run_for(1s);
  ASSERT_TRUE(bench.failure);
  EXPECT_EQ(bench.failure->code, Errc::not_connected);
  EXPECT_TRUE(bench.line.queue.empty());
}

// CURATOR-559: nested retries multiplied.
TEST(Claim, fails_after_as_many_attempts_as_the_policy_allows) {
  for (const unsigned allowed : {0U, 1U, 5U}) {
    Bench bench(RetryPolicy::n_times(allowed, 1ms));
    bench.line.comes_back = false;
    bench.line.break_connection();
    bench.executor.run_for(1ms);
    bench.claim->start();
    bench.executor.run_for(1min);
    ASSERT_TRUE(bench.failure);
    EXPECT_EQ(bench.failure->code, Errc::not_connected);
    EXPECT_NE(bench.failure->message.find(fmt::format("{} attempt", allowed + 1)), std::string::npos)
        << bench.failure->message;
    EXPECT_EQ(bench.line.requests, 0);
  }
}

// The time without a connection counts from its beginning, and no attempt lasts longer than the policy.
TEST(Claim, gives_up_when_the_time_of_its_policy_is_over) {
  Bench bench(RetryPolicy::until_elapsed(2s, 100ms));
  bench.line.comes_back = false;
  bench.line.fates[1] = Fate::request_lost;
  bench.claim->start();
  bench.executor.run_for(1'900ms);
  EXPECT_FALSE(bench.failure);
  bench.executor.run_for(101ms);
  ASSERT_TRUE(bench.failure);
  EXPECT_EQ(bench.failure->code, Errc::not_connected);
  EXPECT_NE(bench.failure->message.find("in 2000 ms"), std::string::npos) << bench.failure->message;
}

// One request for it, and none with the beats after it.
TEST(Claim, listens_to_its_own_ticket_from_the_first_beat_on) {
  Bench bench;
  bench.claim->start();
  bench.executor.run_for(1ms);
  ASSERT_EQ(bench.admissions, 1);
  const auto before = bench.line.requests;
  bench.executor.run_for(bench.session.terms().beat);
  EXPECT_EQ(bench.line.requests, before + 2) << "the beat, and the listener";
  EXPECT_EQ(bench.line.listeners(), 1U);
  bench.executor.run_for(10 * bench.session.terms().beat);
  EXPECT_EQ(bench.line.requests, before + 2 + 10);
  bench.line.remove_ticket(bench.claim->places().front().ticket.id);
  bench.executor.run_for(0ms);
  EXPECT_EQ(bench.breaks, 1) << "at once";
  EXPECT_EQ(bench.line.listeners(), 0U);
}

TEST(Claim, notices_within_a_beat_that_its_ticket_was_removed) {
  Bench bench;
  bench.claim->start();
  bench.executor.run_for(1ms);
  ASSERT_EQ(bench.admissions, 1);
  bench.line.remove_ticket(bench.claim->places().front().ticket.id);
  bench.executor.run_for(bench.session.terms().beat + 1ms);
  EXPECT_EQ(bench.breaks, 1);
}

TEST(Claim, queues_again_when_its_ticket_was_removed_while_it_waited) {
  Bench bench;
  bench.line.add_ticket("rival", kRival);
  bench.claim->start();
  bench.executor.run_for(1ms);
  const auto removed = bench.claim->places().front().ticket.id;
  bench.line.remove_ticket(removed);
  bench.executor.run_for(bench.session.terms().beat + 1ms);
  EXPECT_NE(bench.claim->places().front().ticket.id, removed);
  EXPECT_EQ(bench.line.listeners(), 1U);
  bench.rival_leaves();
  bench.executor.run_for(1ms);
  EXPECT_EQ(bench.admissions, 1);
}

}  // namespace
}  // namespace holdfast::lock
