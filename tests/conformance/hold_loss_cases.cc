// docs/semantics.md, "Loss", for claims that have been admitted but that nobody holds right now: those that wait out a lock
// delay, and those that rest until a minimum hold is over.
#include <future>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Admitted = Conformance;

TEST_F(Admitted, a_waiter_whose_ticket_is_removed_during_the_delay_is_not_let_in_beside_another) {
  HOLDFAST_NEEDS(marks);
  auto first = connect();
  auto second = connect({.session_timeout = 2s});
  auto third = connect();
  {
    auto mutex = first.mutex("m", {.lock_delay = 2s});
    auto lease = mutex.acquire();
    first.close();  // it has not released, so whoever comes next waits
  }
  auto mutex = second.mutex("m", {.lock_delay = 2s});
  auto waiting = std::async(std::launch::async, [&] { return mutex.try_acquire_for(20s); });
  // Its ticket, its mark, and the mark of the dead one.
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 1 && tickets_and_marks("m") == 3; }))
      << queue_length("m") << " tickets, " << tickets_and_marks("m") << " nodes";
  const auto removed = world_->tickets("m").front();
  world_->remove_ticket("m", removed);
  auto careless = third.mutex("m");
  auto theirs = careless.try_acquire_for(kSoon);
  ASSERT_TRUE(theirs) << theirs.message();
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; })) << "it does not queue again";
  EXPECT_EQ(waiting.wait_for(3s), std::future_status::timeout) << "two hold it";
  EXPECT_TRUE(theirs.lease().is_held());
  theirs.lease().release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get());
}

TEST_F(Admitted, a_thread_does_not_inherit_a_ticket_that_was_removed_while_it_rested) {
  auto first = connect({.session_timeout = 2s, .hand_over = {.count = 64, .time = 1h}});
  auto second = connect();
  auto a = first.mutex("m", {.min_hold = 2s});
  auto b = first.mutex("m");
  auto lease = a.acquire();
  auto waiting = std::async(std::launch::async, [&] { return b.try_acquire_for(20s); });
  lease.release();
  const auto removed = world_->tickets("m").front();
  world_->remove_ticket("m", removed);
  auto rival = second.mutex("m");
  auto theirs = rival.try_acquire_for(kSoon);
  ASSERT_TRUE(theirs) << theirs.message();
  EXPECT_EQ(waiting.wait_for(3s), std::future_status::timeout) << "two hold it";
  theirs.lease().release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get());
}

}  // namespace holdfast::testing
