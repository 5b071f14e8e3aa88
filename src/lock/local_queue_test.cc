#include "lock/local_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/lock_bench.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using spi::Mode;

// The threads of one client, and one name.
struct Bench final : testing::LockBench {
  explicit Bench(bool alone = false)
      : queue(executor, {.queue = "q", .alone = alone},
              [this](QueueRequest request, std::shared_ptr<KeepPolicy> keeping) {
                return std::make_shared<Cohort>(cohorts, std::vector<QueueRequest>{std::move(request)},
                                                std::move(keeping));
              }) {
    connect();
  }

  std::shared_ptr<Waiter> enter(Mode mode, Clock::time_point deadline = Clock::time_point::max()) {
    auto waiter = std::make_shared<Waiter>(Call{.deadline = deadline, .thread = ++last_thread, .mode = mode});
    queue.enter(waiter);
    run();
    return waiter;
  }
  void release(const std::shared_ptr<Waiter>& waiter) {
    ASSERT_TRUE(waiter->settled());
    const auto hold = waiter->wait(Clock::time_point(), {});
    ASSERT_TRUE(hold);
    EXPECT_FALSE((*hold)->cohort().release(*hold, {}));
    run();
  }

  CohortContext cohorts = cohort_context({.count = 64, .time = 1h});
  LocalQueue queue;
  ThreadId last_thread = 0;
};

TEST(LocalQueue, serves_readers_and_writers_in_the_order_in_which_they_came) {
  Bench bench;
  const auto writer = bench.enter(Mode::write);
  const auto reader = bench.enter(Mode::shared);
  const auto another = bench.enter(Mode::shared);
  const auto last = bench.enter(Mode::write);
  EXPECT_EQ(bench.line.queue.size(), 3u) << "a ticket for each cohort: writer, readers, writer";
  EXPECT_TRUE(writer->settled());
  EXPECT_FALSE(reader->settled());
  bench.release(writer);
  EXPECT_TRUE(reader->settled() && another->settled());
  EXPECT_FALSE(last->settled());
  bench.release(reader);
  EXPECT_FALSE(last->settled());
  bench.release(another);
  bench.release(last);
  EXPECT_TRUE(bench.line.queue.empty());
}

TEST(LocalQueue, does_not_let_a_reader_overtake_a_writer_that_waits) {
  Bench bench;
  const auto reader = bench.enter(Mode::shared);
  const auto writer = bench.enter(Mode::write);
  const auto late = bench.enter(Mode::shared);
  EXPECT_FALSE(late->settled());
  bench.release(reader);
  EXPECT_TRUE(writer->settled());
  EXPECT_FALSE(late->settled());
  bench.release(writer);
  bench.release(late);
}

TEST(LocalQueue, gives_each_thread_a_ticket_of_its_own_if_its_card_must_say_who_it_is) {
  Bench bench(/*alone=*/true);
  const auto first = bench.enter(Mode::exclusive);
  const auto second = bench.enter(Mode::exclusive);
  EXPECT_EQ(bench.line.queue.size(), 2u);
  bench.release(first);
  bench.release(second);
}

TEST(LocalQueue, tells_a_caller_that_will_not_wait_what_its_own_threads_have_without_asking) {
  Bench bench;
  const auto writer = bench.enter(Mode::write);
  bench.line.requests = 0;
  const auto reader = bench.enter(Mode::shared, Clock::time_point());
  ASSERT_TRUE(reader->settled());
  EXPECT_FALSE(reader->wait(Clock::time_point(), {}));
  EXPECT_EQ(bench.line.requests, 0);
  bench.release(writer);
}

TEST(LocalQueue, lets_a_waiter_leave_from_wherever_it_is) {
  Bench bench;
  const auto writer = bench.enter(Mode::write);
  const auto reader = bench.enter(Mode::shared);
  Refusal refusal{Errc::timed_out, "timed out"};
  EXPECT_TRUE(bench.queue.leave(reader, refusal));
  EXPECT_FALSE(bench.queue.leave(reader, refusal));
  bench.run();
  EXPECT_EQ(bench.line.queue.size(), 1u);
  bench.release(writer);
}

}  // namespace
}  // namespace holdfast::lock
