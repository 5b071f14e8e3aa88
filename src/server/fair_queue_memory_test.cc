// Memory ends at every place where it can end, at random moments of a queue's life. What was taken into it comes to its turn, in the order of
// its client, and nothing else does.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <new>
#include <random>

#include "server/fair_queue.h"
#include "support/failing_memory.h"

namespace holdfast::server {
namespace {

using std::chrono::microseconds;
using testing::FailingMemory;

struct Numbered final : Work {
  Numbered(int which, engine::Moment likely) : number(which), cost(likely) {}
  engine::Moment likely_cost() const override { return cost; }
  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine&, const Turn&) override { return {}; }
  void settle(engine::Engine&, engine::Outcome&) override {}
  void fail(bool) override {}
  int number;
  engine::Moment cost;
};

LineId client(std::uint64_t id) { return {LineId::Kind::connection, id}; }

class Life {
 public:
  explicit Life(unsigned seed) : random_(seed) {}

  void step() {
    const auto id = 1 + pick(5);
    switch (pick(8)) {
      case 0: return set_hold(id);
      case 1:
      case 2: return take();
      case 3: return expect();
      default: return push(id, pick(4) == 0);
    }
  }

  // Everything that was taken in is there, and nothing else.
  void drain() {
    for (std::uint64_t id = 1; id <= 5; ++id) queue_.release(client(id), FairQueue::Hold::room);
    while (queue_.any_ready()) take_one();
    EXPECT_TRUE(queue_.empty());
    for (const auto& [id, numbers] : expected_) EXPECT_TRUE(numbers.empty()) << "of client " << id;
  }

  int failures() const { return failures_; }

 private:
  std::uint64_t pick(std::uint64_t count) { return random_() % count; }

  // `act` with memory that ends after a few allocations, or not at all. False: it threw.
  template <class Act>
  bool with_little_memory(Act act) {
    const auto size = queue_.size();
    const auto lines = queue_.lines();
    const auto groups = queue_.groups();
    try {
      const FailingMemory memory(pick(6));
      act();
      return true;
    } catch (const std::bad_alloc&) {
      ++failures_;
      EXPECT_EQ(queue_.size(), size);
      // An idle line or group may be forgotten at any time, but none is left over that was not there.
      EXPECT_LE(queue_.lines(), lines);
      EXPECT_LE(queue_.groups(), groups);
      return false;
    }
  }

  void push(std::uint64_t id, bool first) {
    const auto cost = microseconds(1U << pick(16));
    auto work = std::make_unique<Numbered>(++last_, cost);
    auto& numbers = expected_[id];
    const bool pushed = with_little_memory([&] {
      if (first) {
        queue_.push_first(client(id), std::move(work), cost);
      } else {
        queue_.push(client(id), std::move(work));
      }
    });
    if (pushed && first) numbers.push_front(last_);
    if (pushed && !first) numbers.push_back(last_);
  }

  void set_hold(std::uint64_t id) {
    if (pick(2) == 0) {
      with_little_memory([&] { queue_.hold(client(id), FairQueue::Hold::room); });
    } else {
      queue_.release(client(id), FairQueue::Hold::room);
    }
  }

  void expect() {
    if (queue_.any_ready()) with_little_memory([&] { (void)queue_.expect(microseconds(1U << pick(20))); });
  }

  void take() {
    if (queue_.any_ready()) take_one();
  }

  void take_one() {
    const auto next = queue_.next();
    const auto cost = queue_.expected();
    const auto work = queue_.take();
    {
      const FailingMemory memory(pick(3));
      queue_.charge(next, cost, cost);
    }
    auto& numbers = expected_[next.id];
    ASSERT_FALSE(numbers.empty());
    EXPECT_EQ(static_cast<Numbered&>(*work).number, numbers.front());
    numbers.pop_front();
  }

  std::mt19937 random_;
  FairQueue queue_;
  std::map<std::uint64_t, std::deque<int>> expected_;  // the work of each client, in its order
  int last_ = 0;
  int failures_ = 0;
};

TEST(FairQueueWithoutMemory, keeps_what_it_has_and_knows_when_it_is_empty) {
  int failures = 0;
  for (unsigned seed = 1; seed <= 200 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Life life(seed);
    for (int i = 0; i < 300; ++i) life.step();
    life.drain();
    failures += life.failures();
  }
  EXPECT_GT(failures, 1'000);
}

}  // namespace
}  // namespace holdfast::server
