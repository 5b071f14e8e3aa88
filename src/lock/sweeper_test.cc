#include "lock/sweeper.h"

#include <gtest/gtest.h>

#include "support/lock_bench.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using testing::Fate;

struct Bench final : testing::LockBench {
  Bench() { connect(); }

  void beat() override {}  // the tests count requests

  void remove(const spi::Place& place) {
    sweeper.remove("q", place, [this] { ++gone; });
  }

  int gone = 0;
};

TEST(Sweeper, removes_a_ticket_and_says_so_once) {
  Bench bench;
  bench.remove(bench.line.add_ticket("a", bench.line.session()));
  EXPECT_EQ(bench.gone, 0);
  bench.executor.run_for(0ms);
  EXPECT_TRUE(bench.line.queue.empty());
  EXPECT_EQ(bench.gone, 1);
  EXPECT_TRUE(bench.sweeper.idle());
}

TEST(Sweeper, removes_a_ticket_whichever_of_its_requests_and_replies_are_lost) {
  for (const auto first : {Fate::request_lost, Fate::reply_lost}) {
    for (const auto second : {Fate::request_lost, Fate::reply_lost, Fate::arrives}) {
      Bench bench;
      bench.line.fates = {{1, first}, {2, second}};
      bench.remove(bench.line.add_ticket("a", bench.line.session()));
      bench.executor.run_for(1s);
      EXPECT_TRUE(bench.line.queue.empty());
      EXPECT_EQ(bench.gone, 1);
      EXPECT_TRUE(bench.sweeper.idle());
    }
  }
}

TEST(Sweeper, finds_and_removes_a_ticket_that_may_have_been_made) {
  for (const auto fate : {Fate::arrives, Fate::request_lost, Fate::reply_lost}) {
    Bench bench;
    bench.line.fates = {{1, fate}, {2, fate}};
    bench.line.add_ticket("mine", bench.line.session());
    bench.line.add_ticket("other", bench.line.session());
    bench.sweeper.remove_if_made("q", "mine", bench.line.session());
    bench.executor.run_for(1s);
    ASSERT_EQ(bench.line.queue.size(), 1u);
    EXPECT_TRUE(bench.line.queue.front().ticket.id.starts_with("other"));
    EXPECT_TRUE(bench.sweeper.idle());
  }
}

TEST(Sweeper, has_nothing_to_do_for_a_ticket_that_was_never_made) {
  Bench bench;
  bench.sweeper.remove_if_made("q", "mine", bench.line.session());
  bench.executor.run_for(1s);
  EXPECT_TRUE(bench.sweeper.idle());
  EXPECT_EQ(bench.line.requests, 1);
}

TEST(Sweeper, waits_for_a_connection_and_then_removes) {
  Bench bench;
  bench.line.break_connection();
  bench.executor.step();
  bench.remove(bench.line.add_ticket("a", bench.line.session()));
  bench.executor.run_for(9ms);
  EXPECT_EQ(bench.line.requests, 0);
  bench.executor.run_for(1s);
  EXPECT_TRUE(bench.line.queue.empty());
  EXPECT_EQ(bench.gone, 1);
}

// A ticket dies with its session, so nothing is asked of a session that is over.
TEST(Sweeper, is_done_with_what_belongs_to_a_session_that_is_over) {
  Bench bench;
  const auto place = bench.line.add_ticket("a", bench.line.session());
  bench.line.with_a_new_session = true;
  bench.line.break_connection();
  bench.executor.step();
  bench.remove(place);
  bench.executor.run_for(1s);
  EXPECT_EQ(bench.gone, 1);
  EXPECT_TRUE(bench.sweeper.idle());
  EXPECT_EQ(bench.line.requests, 0);
}

TEST(Sweeper, that_is_closed_says_of_everything_that_it_is_gone) {
  Bench bench;
  bench.line.comes_back = false;
  bench.line.break_connection();
  bench.executor.run_for(1s);
  bench.remove(bench.line.add_ticket("a", bench.line.session()));
  EXPECT_EQ(bench.gone, 0);
  bench.sweeper.close();
  EXPECT_EQ(bench.gone, 1);
  EXPECT_TRUE(bench.sweeper.idle());
}

}  // namespace
}  // namespace holdfast::lock
