// docs/adr/0029: a ticket that no thread needs stays with the client that uses it again and again, until a rival wants it.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/uuid.h"
#include "lock/local_queue.h"
#include "support/lock_bench.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using spi::Mode;
using testing::kRival;

constexpr auto kKeep = 100ms;

// The threads of one client, and one name.
struct Bench final : testing::LockBench {
  explicit Bench(HandOver hand_over = {.count = 64, .time = 50ms, .keep = kKeep}, bool alone = false)
      : cohorts(cohort_context(hand_over)), options{.queue = "q", .alone = alone, .hand_over = hand_over} {
    open_queue();
    connect();
  }
  ~Bench() override {
    for (const auto& weak : made) {
      if (const auto cohort = weak.lock()) cohort->close({Errc::cancelled, "the test is over"});
    }
    run(1h);
  }

  // As when a lock object is made where no other of that name is left.
  void open_queue() {
    queue = std::make_shared<LocalQueue>(executor, options, [this](QueueRequest request, auto keeping) {
      auto cohort =
          std::make_shared<Cohort>(cohorts, std::vector<QueueRequest>{std::move(request)}, std::move(keeping));
      made.push_back(cohort);
      return cohort;
    });
  }
  void each_cohort(const std::function<void(Cohort&)>& visit) {
    for (const auto& weak : std::vector(made)) {
      if (const auto cohort = weak.lock()) visit(*cohort);
    }
  }

  void session_connected(bool replaced) override {
    LockBench::session_connected(replaced);
    each_cohort([](Cohort& cohort) { cohort.session_is_good(); });
  }
  void session_disconnected() override {
    each_cohort([](Cohort& cohort) { cohort.session_disconnected(); });
  }
  void validity_ended() override {
    each_cohort([](Cohort& cohort) { cohort.validity_ended(); });
  }

  std::shared_ptr<Waiter> enter(Call call = {}) {
    call.thread = ++last_thread;
    auto waiter = std::make_shared<Waiter>(std::move(call));
    queue->enter(waiter);
    run();
    return waiter;
  }
  static std::shared_ptr<Hold> hold(const std::shared_ptr<Waiter>& waiter) {
    EXPECT_TRUE(waiter->settled()) << "still waiting";
    const auto outcome = waiter->wait(Clock::time_point(), {});
    EXPECT_TRUE(outcome) << "not granted";
    return outcome ? *outcome : nullptr;
  }
  std::shared_ptr<Hold> acquire(Call call = {}) { return hold(enter(std::move(call))); }
  void release(const std::shared_ptr<Hold>& hold, Sweeper::Done done = {}) {
    EXPECT_FALSE(hold->cohort().release(hold, std::move(done)));
    run();
  }
  Token use(Call call = {}) {
    const auto held = acquire(std::move(call));
    release(held);
    return held->token();
  }
  // So that the ticket is kept from now on.
  Token use_again_and_again(Mode mode = Mode::exclusive) {
    use({.mode = mode});
    const auto token = use({.mode = mode});
    EXPECT_EQ(line.queue.size(), 1u) << "it is not kept";
    return token;
  }

  CohortContext cohorts;
  LocalQueue::Options options;
  std::vector<std::weak_ptr<Cohort>> made;
  std::shared_ptr<LocalQueue> queue;
  ThreadId last_thread = 0;
};

TEST(KeptTicket, of_a_name_that_is_used_again_costs_no_request) {
  Bench bench;
  const auto first = bench.use();
  EXPECT_TRUE(bench.line.queue.empty()) << "kept after one use";
  const auto second = bench.use();
  EXPECT_LT(first, second);
  ASSERT_EQ(bench.line.queue.size(), 1u) << "not kept";
  const auto requests = bench.line.requests;
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(bench.use(), second) << "another ticket";
  EXPECT_EQ(bench.line.requests, requests);
}

TEST(KeptTicket, of_a_name_that_is_used_too_seldom_is_given_back_with_its_release) {
  Bench bench;
  for (int i = 0; i < 5; ++i) {
    bench.use();
    EXPECT_TRUE(bench.line.queue.empty());
    bench.run(kKeep + 1ms);
  }
}

TEST(KeptTicket, is_given_back_when_its_time_is_over) {
  Bench bench;
  bench.use_again_and_again();
  bench.run(kKeep / 2);
  bench.use();
  bench.run(kKeep - 1ms);
  EXPECT_EQ(bench.line.queue.size(), 1u) << "counted from the last use";
  bench.run(1ms);
  EXPECT_TRUE(bench.line.queue.empty());
  EXPECT_LT(0u, bench.use());
}

TEST(KeptTicket, is_given_back_when_a_rival_comes) {
  Bench bench;
  bench.use_again_and_again();
  const auto rival = bench.line.add_ticket("rival", kRival);
  bench.run();
  ASSERT_EQ(bench.line.queue.size(), 1u);
  EXPECT_EQ(bench.line.queue.front().ticket.id, rival.ticket.id);
}

TEST(KeptTicket, in_use_is_given_back_with_its_release_when_a_rival_comes) {
  Bench bench;
  bench.use_again_and_again();
  bench.run(60ms);  // past the time of hand-over
  const auto held = bench.acquire();
  const auto next = bench.enter();
  const auto rival = bench.line.add_ticket("rival", kRival);
  bench.run();
  EXPECT_TRUE(held->is_held(bench.executor.now()));
  bench.release(held);
  EXPECT_FALSE(next->settled()) << "the rival is first";
  bench.line.remove_ticket(rival.ticket.id);
  bench.run();
  EXPECT_LT(rival.token, Bench::hold(next)->token());
}

TEST(KeptTicket, is_not_kept_while_a_rival_waits) {
  Bench bench;
  bench.use();
  const auto held = bench.acquire();
  bench.line.add_ticket("rival", kRival);
  bench.release(held);
  EXPECT_EQ(bench.line.tickets_of(bench.line.session()), 0u);
  // Nor tried to be for a while: that would cost each time a request, and the rival a hand-over.
  bench.line.remove_ticket(bench.line.queue.front().ticket.id);
  bench.use();
  bench.use();
  EXPECT_TRUE(bench.line.queue.empty());
  bench.run(10 * kKeep);
  bench.use_again_and_again();
}

TEST(KeptTicket, says_by_its_id_that_it_may_only_be_kept) {
  Bench bench;
  const auto once = bench.acquire();
  EXPECT_FALSE(base::has_keepers_uuid(bench.line.queue.front().ticket.id));
  bench.release(once);
  bench.use();
  EXPECT_TRUE(base::has_keepers_uuid(bench.line.queue.front().ticket.id));
}

// The rival's ticket may be seen only after the release.
TEST(KeptTicket, of_a_rival_is_waited_for_by_a_caller_that_does_not_wait_for_rivals) {
  Bench bench;
  const auto kept = bench.line.add_ticket(base::random_keepers_uuid(), kRival);
  const auto trying = bench.enter({.deadline = Clock::time_point()});
  bench.run(50ms);
  EXPECT_FALSE(trying->settled());
  bench.line.remove_ticket(kept.ticket.id);
  bench.run();
  bench.release(Bench::hold(trying));
}

TEST(KeptTicket, of_a_rival_that_is_in_use_is_not_waited_for_long) {
  Bench bench;
  bench.line.add_ticket(base::random_keepers_uuid(), kRival);
  const auto trying = bench.enter({.deadline = Clock::time_point()});
  bench.run(200ms);
  ASSERT_TRUE(trying->settled());
  const auto outcome = trying->wait(Clock::time_point(), {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::timed_out);
  EXPECT_EQ(bench.line.tickets_of(bench.line.session()), 0u) << "a ticket was left behind";
}

TEST(KeptTicket, that_others_wait_for_is_held_for_a_caller_that_does_not_wait) {
  Bench bench;
  bench.line.add_ticket(base::random_keepers_uuid(), kRival);
  bench.line.add_ticket("another", kRival + 1);
  EXPECT_TRUE(bench.enter({.deadline = Clock::time_point()})->settled());
}

TEST(KeptTicket, serves_a_caller_that_does_not_wait) {
  Bench bench;
  const auto token = bench.use_again_and_again();
  EXPECT_EQ(bench.use({.deadline = Clock::time_point()}), token);
}

TEST(KeptTicket, of_readers_serves_readers_and_is_given_back_for_a_writer) {
  Bench bench;
  const auto token = bench.use_again_and_again(Mode::shared);
  EXPECT_EQ(bench.use({.mode = Mode::shared}), token);
  const auto writer = bench.acquire({.mode = Mode::write});
  EXPECT_EQ(bench.line.queue.size(), 1u) << "given back before the writer's ticket was made";
  bench.release(writer);
}

TEST(KeptTicket, is_given_back_for_a_caller_that_wants_a_lock_delay) {
  Bench bench;
  const auto token = bench.use_again_and_again();
  const auto delayed = bench.acquire({.options = {.lock_delay = 1s}});
  EXPECT_LT(token, delayed->token());
  bench.release(delayed);
  EXPECT_TRUE(bench.line.queue.empty()) << "a ticket with a lock delay is not kept";
}

TEST(KeptTicket, is_given_back_if_its_release_is_waited_for) {
  Bench bench;
  bench.use();
  bool free = false;
  bench.release(bench.acquire(), [&] { free = true; });
  EXPECT_TRUE(free);
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(KeptTicket, is_given_back_in_an_outage) {
  Bench bench;
  bench.use_again_and_again();
  bench.line.break_connection();
  bench.run(20ms);
  EXPECT_TRUE(bench.line.queue.empty()) << "a rival could not have been seen";
}

TEST(KeptTicket, that_another_client_asks_for_is_given_back) {
  Bench bench;
  bench.use_again_and_again();
  bench.line.ask_for_tickets();
  bench.run(kKeep / 2);
  bench.use();
  bench.each_cohort([](Cohort& cohort) { cohort.beat(); });
  bench.run();
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(KeptTicket, in_use_that_another_client_asks_for_is_given_back_with_its_release) {
  Bench bench;
  bench.use_again_and_again();
  const auto held = bench.acquire();
  bench.line.ask_for_tickets();
  bench.each_cohort([](Cohort& cohort) { cohort.beat(); });
  bench.run();
  EXPECT_TRUE(held->is_held(bench.executor.now()));
  EXPECT_TRUE(held->revoked().stop_requested());
  bench.release(held);
  EXPECT_TRUE(bench.line.queue.empty());
}

// As soon as it is looked for: the rival that took its place would not be seen as one.
TEST(KeptTicket, that_an_operator_has_removed_is_not_used_again) {
  Bench bench;
  bench.use();
  const auto held = bench.acquire();
  bench.line.remove_ticket(bench.line.queue.front().ticket.id);
  bench.release(held);
  EXPECT_LT(held->token(), bench.acquire()->token());
}

TEST(KeptTicket, is_not_used_by_a_caller_that_is_to_have_a_ticket_of_its_own) {
  Bench bench;
  const auto token = bench.use_again_and_again();
  EXPECT_LT(token, bench.use({.hand_over = HandOver{.count = 0}}));
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(KeptTicket, is_given_back_sooner_if_it_is_to_be_kept_for_less) {
  Bench bench({.count = 64, .time = 50ms, .keep = 1h});
  bench.use_again_and_again();
  bench.use({.hand_over = HandOver{.keep = kKeep}});
  EXPECT_EQ(bench.line.queue.size(), 1u);
  bench.run(kKeep);
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(KeptTicket, is_not_prepared_for_where_none_is_kept) {
  Bench bench(HandOver{});
  const std::weak_ptr<LocalQueue> queue = bench.queue;
  bench.use();
  bench.queue.reset();
  EXPECT_TRUE(queue.expired()) << "a timer holds it";
}

TEST(KeptTicket, whose_rivals_cannot_be_seen_is_given_back) {
  Bench bench;
  bench.use();
  const auto held = bench.acquire();
  bench.line.fates[bench.line.requests + 1] = testing::Fate::reply_lost;  // of the look for rivals
  bench.release(held);
  bench.run(20ms);
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(KeptTicket, stays_for_the_next_lock_object_of_that_name) {
  Bench bench;
  const std::weak_ptr<LocalQueue> before = bench.queue;
  bench.use();
  bench.queue.reset();
  EXPECT_FALSE(before.expired()) << "forgotten with its last lock object";
  bench.run(kKeep);
  EXPECT_TRUE(before.expired());
}

TEST(KeptTicket, stays_for_as_long_as_lock_objects_of_that_name_come_and_go) {
  Bench bench;
  const auto queue = std::weak_ptr(bench.queue);
  Token token = 0;
  for (int i = 0; i < 10; ++i) {
    const auto found = queue.lock();
    ASSERT_TRUE(found) << "forgotten after " << i << " uses";
    bench.queue = found;
    const auto next = bench.use();
    EXPECT_TRUE(i <= 1 || next == token) << "its own kept ticket was in its way";
    token = next;
    bench.queue.reset();
    bench.run(kKeep * 6 / 10);
  }
}

TEST(KeptTicket, is_none_with_a_keep_of_zero_or_a_ticket_for_every_hold) {
  for (const auto& hand_over : {HandOver{}, HandOver{.count = 0, .keep = kKeep}}) {
    Bench bench(hand_over);
    for (int i = 0; i < 3; ++i) {
      bench.use();
      EXPECT_TRUE(bench.line.queue.empty());
    }
  }
  Bench bench({.keep = kKeep}, /*alone=*/true);
  for (int i = 0; i < 3; ++i) bench.use();
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(KeptTicket, of_many_threads_is_handed_over_without_a_bound_until_a_rival_comes) {
  Bench bench({.count = 4, .time = 50ms, .keep = kKeep});
  bench.use();
  auto held = bench.acquire();
  const auto token = held->token();
  for (int i = 0; i < 100; ++i) {
    const auto next = bench.enter();
    bench.release(held);
    held = Bench::hold(next);
    EXPECT_EQ(held->token(), token);
    bench.run(1ms);
  }
  const auto next = bench.enter();
  const auto rival = bench.line.add_ticket("rival", kRival);
  bench.run();
  bench.release(held);
  EXPECT_FALSE(next->settled());
  bench.line.remove_ticket(rival.ticket.id);
  bench.run();
  bench.release(Bench::hold(next));
}

}  // namespace
}  // namespace holdfast::lock
