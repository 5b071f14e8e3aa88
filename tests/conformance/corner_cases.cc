// Corners where several rules meet: a hold that rests or is delayed while its ticket goes, names that are waited for together
// while one is taken away, circles that close from an unusual side.
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Corners = Conformance;

namespace {

// Takes one lock, says so, and when it may, asks for another without end.
template <class Hold, class Other>
std::future<std::error_code> hold_then_ask(Hold hold, Other& other, std::promise<void>& has, std::promise<void>& may) {
  return std::async(std::launch::async, [hold, &other, &has, &may] {
    const auto held = hold();
    has.set_value();
    may.get_future().wait();
    return code_of([&] { const std::lock_guard lock(other); });
  });
}

constexpr auto kNoMatterHowLong = 3s;  // nothing must happen in this time, and a fault would need much less

}  // namespace

// ------------------------------------------------------------------------------------------------------- exclusion

TEST_F(Corners, a_ticket_that_goes_during_the_lock_delay_is_not_held_at_its_end) {
  HOLDFAST_NEEDS(marks);
  auto dead = connect();
  auto delayed = connect({.session_timeout = 2s});
  auto third = connect();
  auto theirs = dead.mutex("m", {.lock_delay = 1500ms});
  auto mine = delayed.mutex("m", {.lock_delay = 1500ms});
  auto other = third.mutex("m");
  auto lost = theirs.acquire();
  dead.close();
  auto waiting = std::async(std::launch::async, [&] { return mine.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets_and_marks("m") == 3; }));  // two marks, one ticket
  world_->remove_ticket("m", world_->tickets("m").front());
  auto held = other.try_acquire_for(kSoon);
  ASSERT_TRUE(held) << held.message();
  EXPECT_EQ(waiting.wait_for(kNoMatterHowLong), std::future_status::timeout) << "two hold it";
  EXPECT_TRUE(held.lease().is_held());
  held.lease().release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

TEST_F(Corners, a_ticket_that_goes_during_the_minimum_hold_is_not_handed_over) {
  auto client = connect({.session_timeout = 40s, .hand_over = {.count = 64, .time = 1h}});
  auto second = connect();
  auto first = client.mutex("m", {.min_hold = 1s});
  auto next = client.mutex("m");
  auto other = second.mutex("m");
  first.acquire().release();
  auto waiting = std::async(std::launch::async, [&] { return next.acquire(); });
  world_->remove_ticket("m", world_->tickets("m").front());
  auto held = other.try_acquire_for(kSoon);
  ASSERT_TRUE(held) << held.message();
  EXPECT_EQ(waiting.wait_for(kNoMatterHowLong), std::future_status::timeout) << "two hold it";
  held.lease().release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
}

TEST_F(Corners, who_waits_for_the_minimum_hold_queues_again_when_the_ticket_goes) {
  auto client = connect({.session_timeout = 2s});
  auto first = client.mutex("m", {.min_hold = 1500ms});
  auto next = client.mutex("m");
  first.acquire().release();
  auto waiting = std::async(std::launch::async, [&] { return next.acquire(); });
  world_->remove_ticket("m", world_->tickets("m").front());
  EXPECT_EQ(waiting.wait_for(kSoon), std::future_status::ready) << "waits for ever";
  client.close();
  EXPECT_EQ(code_of([&] { waiting.get(); }), std::error_code());
}

TEST_F(Corners, a_multi_lock_does_not_hold_a_name_that_was_taken_from_it_while_it_waited) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect({.session_timeout = 40s});  // a heartbeat does not help in time
  auto second = connect();
  auto multi = first.multi_lock({{"a"}, {"b"}});
  auto a = second.mutex("a");
  auto b = second.mutex("b");
  auto in_b = b.acquire();
  auto waiting = std::async(std::launch::async, [&] { return multi.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("b") == 2 && world_->listeners() == 1; }));
  EXPECT_EQ(second.revoke("a", 0ms, Client::Force::yes).broken, 1U);
  auto in_a = a.try_acquire_for(kSoon);
  ASSERT_TRUE(in_a) << in_a.message();
  in_b.release();
  EXPECT_EQ(waiting.wait_for(kNoMatterHowLong), std::future_status::timeout) << "two hold \"a\"";
  EXPECT_TRUE(in_a.lease().is_held());
  in_a.lease().release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

// Its ticket has the number of the writer's, so only their names order them.
TEST_F(Corners, revoking_a_downgraded_writer_leaves_those_who_wait_in_peace) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  for (int i = 0; i < 8; ++i) {  // names are random
    const auto name = "m" + std::to_string(i);
    auto mine = first.shared_mutex(name);
    auto theirs = second.shared_mutex(name);
    auto write = mine.acquire();
    auto read = mine.acquire_shared();
    auto waiting = std::async(std::launch::async, [&] { return theirs.acquire_shared(); });
    ASSERT_TRUE(eventually(kSoon, [&] { return queue_length(name) == 3; }));
    const auto info = second.inspect(name);
    ASSERT_EQ(info.tickets.size(), 3U);
    EXPECT_TRUE(info.tickets[0].holds);
    EXPECT_TRUE(info.tickets[1].holds);
    EXPECT_FALSE(info.tickets[2].holds);
    EXPECT_EQ(second.revoke(name, 0ms).asked, 2U) << name;
    write.release();
    read.release();
    waiting.get();
  }
}

// ------------------------------------------------------------------------------------------------------- hold times

TEST_F(Corners, closing_ends_a_release_that_waits_for_the_minimum) {
  auto client = connect();
  auto mutex = client.mutex("m", {.min_hold = 1h});
  auto lease = mutex.acquire();
  auto releasing = std::async(std::launch::async, [&] { return lease.release_for(20s); });
  ASSERT_TRUE(eventually(kSoon, [&] { return !lease.is_held(); }));
  client.close();
  EXPECT_EQ(releasing.wait_for(5s), std::future_status::ready);
}

TEST_F(Corners, a_reader_at_its_maximum_does_not_cut_the_minimum_of_another_short) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto second = connect();
  auto at_least = client.shared_mutex("m", {.min_hold = 2s});
  auto at_most = client.shared_mutex("m", {.max_hold = 200ms});
  auto other = second.shared_mutex("m");
  const auto begin = Clock::now();
  auto one = at_least.acquire_shared();
  auto two = at_most.acquire_shared();
  ASSERT_EQ(one.token(), two.token());
  one.release();
  auto next = other.try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  EXPECT_GE(Clock::now() - begin, 2s);
}

TEST_F(Corners, a_hand_over_to_one_that_asks_for_a_lock_delay_leaves_its_mark) {
  HOLDFAST_NEEDS(marks);
  auto client = connect();
  auto careless = client.mutex("m");
  auto careful = client.mutex("m", {.lock_delay = 1h});
  auto first = careless.acquire();
  auto waiting = std::async(std::launch::async, [&] { return careful.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return client.mutex("m").try_acquire().ahead() == 2U; }));
  first.release();
  auto lease = waiting.get();
  client.close();
  EXPECT_EQ(tickets_and_marks("m"), 1U) << "nobody will be kept waiting";
}

// --------------------------------------------------------------------------------------------------------- permits

TEST_F(Corners, permits_of_which_one_was_removed_while_it_waited_are_asked_for_anew) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect({.session_timeout = 40s});
  auto second = connect();
  auto semaphore = first.semaphore("s", 3);
  auto theirs = second.semaphore("s", 3);
  auto held = theirs.acquire(2);
  auto waiting = std::async(std::launch::async, [&] { return semaphore.acquire(2); });
  ASSERT_TRUE(
      eventually(kSoon, [&] { return queue_length(world_->semaphore("s").permits) == 4 && world_->listeners() == 1; }));
  auto not_held = world_->tickets(world_->semaphore("s").permits);
  for (const auto& ticket : second.inspect("s").tickets) {
    if (ticket.mode == LockMode::permit && ticket.holds) std::erase(not_held, ticket.id);
  }
  ASSERT_EQ(not_held.size(), 2U);
  world_->remove_ticket(world_->semaphore("s").permits, not_held.back());
  ASSERT_EQ(waiting.wait_for(1s), std::future_status::timeout) << "more permits are out than there are";
  held.release();
  EXPECT_TRUE(waiting.get().is_held());
}

// -------------------------------------------------------------------------------------------------------- deadlock

TEST_F(Corners, a_circle_is_found_by_who_joins_others_that_wait) {
  HOLDFAST_NEEDS_FEATURE(order);
  auto client = connect();
  auto x = client.shared_mutex("x");
  auto z = client.mutex("z");
  std::promise<void> t1_has_z, a_has_x, a_may_wait, t1_may_wait;
  auto a = hold_then_ask([&] { return std::shared_lock(x); }, z, a_has_x, a_may_wait);
  auto t1 = hold_then_ask([&] { return std::unique_lock(z); }, x, t1_has_z, t1_may_wait);
  a_has_x.get_future().wait();
  t1_has_z.get_future().wait();
  auto t2 = std::async(std::launch::async, [&] {
    return code_of([&] {
      x.lock();
      x.unlock();
    });
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("x") == 2; }));
  a_may_wait.set_value();
  ASSERT_TRUE(eventually(kSoon, [&] { return client.mutex("z").try_acquire().ahead() == 2U; }));
  t1_may_wait.set_value();
  EXPECT_EQ(t1.wait_for(2s), std::future_status::ready) << "waits for ever";
  if (t1.wait_for(0s) != std::future_status::ready) client.close();
  EXPECT_EQ(t1.get(), Errc::deadlock);
  a.get();
  t2.get();
}

// As above, but the circle shows when the claim looks again, with others in line behind the one that must go.
TEST_F(Corners, one_that_is_refused_from_the_middle_of_a_line_does_not_harm_the_others) {
  HOLDFAST_NEEDS(listeners);
  auto client = connect();
  auto second = connect();
  auto x = client.shared_mutex("x");
  auto z = client.mutex("z");
  auto v = client.mutex("v");
  std::promise<void> t1_has_z, a_has_x, a_may_wait, t1_may_wait, t3_has_v, t3_may_wait;
  auto a = hold_then_ask([&] { return std::shared_lock(x); }, z, a_has_x, a_may_wait);
  a_has_x.get_future().wait();
  auto far = second.shared_mutex("x").acquire_shared();
  const auto in_line = [&] { return client.shared_mutex("x").try_acquire().ahead().value_or(0); };
  const auto join = [&] {
    return std::async(std::launch::async, [&] {
      return code_of([&] {
        x.lock();
        x.unlock();
      });
    });
  };
  auto t1 = hold_then_ask([&] { return std::unique_lock(z); }, x, t1_has_z, t1_may_wait);
  auto t3 = hold_then_ask([&] { return std::unique_lock(v); }, x, t3_has_v, t3_may_wait);
  t1_has_z.get_future().wait();
  t3_has_v.get_future().wait();
  auto t2 = join();
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("x") == 3 && world_->listeners() == 1; }));
  a_may_wait.set_value();
  ASSERT_TRUE(eventually(kSoon, [&] { return client.mutex("z").try_acquire().ahead() == 2U; }));
  const auto before = in_line();
  t1_may_wait.set_value();
  (void)eventually(500ms, [&] { return in_line() == before + 1 || t1.wait_for(0s) == std::future_status::ready; });
  const auto with_t1 = in_line();
  auto t4 = join();
  ASSERT_TRUE(eventually(kSoon, [&] { return in_line() == with_t1 + 1; }));
  t3_may_wait.set_value();
  ASSERT_TRUE(eventually(kSoon, [&] { return in_line() == with_t1 + 2; }));
  far.release();
  EXPECT_EQ(t1.get(), Errc::deadlock);
  EXPECT_EQ(a.get(), std::error_code());
  EXPECT_EQ(t2.get(), std::error_code());
  EXPECT_EQ(t3.get(), std::error_code());
  EXPECT_EQ(t4.get(), std::error_code());
}

TEST_F(Corners, a_downgraded_writer_may_wait_for_another_name_under_detection_over_all_clients) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect({.session_timeout = 2s, .deadlocks = DeadlockDetection::all_clients});
  auto second = connect();
  auto x = client.shared_mutex("x");
  auto y = client.mutex("y");
  auto other = second.mutex("y").acquire();
  auto waiting = std::async(std::launch::async, [&] {
    const std::scoped_lock write(x);
    const std::shared_lock read(x);
    return code_of([&] {
      y.lock();
      y.unlock();
    });
  });
  EXPECT_EQ(waiting.wait_for(1s), std::future_status::timeout) << waiting.get().message();
  other.release();
  if (waiting.valid()) {
    EXPECT_EQ(waiting.get(), std::error_code());
  }
}

TEST_F(Corners, a_circle_through_a_multi_lock_that_waits_is_found) {
  HOLDFAST_NEEDS(listeners);
  auto client = connect();
  auto x = client.mutex("x");
  auto y = client.mutex("y");
  auto multi = client.multi_lock({{"x"}, {"y"}});
  y.lock();
  auto both = std::async(std::launch::async, [&] {
    return code_of([&] {
      multi.lock();
      multi.unlock();
    });
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("x") == 1 && queue_length("y") == 2; }));
  ASSERT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 1; }));
  std::jthread rescue([&](const std::stop_token& stop) {
    if (!eventually(3s, [&] { return stop.stop_requested(); })) client.close();
  });
  EXPECT_EQ(code_of([&] { x.lock(); }), Errc::deadlock);
  rescue.request_stop();
  y.unlock();
  both.get();
}

TEST_F(Corners, a_hold_that_ends_by_itself_is_in_no_circle) {
  auto client = connect();
  auto x = client.mutex("x", {.max_hold = 1s});
  auto y = client.mutex("y");
  std::promise<void> has_y;
  std::promise<void> may_wait;
  x.lock();
  auto other = std::async(std::launch::async, [&] {
    y.lock();
    has_y.set_value();
    may_wait.get_future().wait();
    const auto code = code_of([&] { x.lock(); });  // when its maximum is over
    if (!code) x.unlock();
    y.unlock();
    return code;
  });
  has_y.get_future().wait();
  may_wait.set_value();
  const auto code = code_of([&] { y.lock(); });
  if (!code) y.unlock();
  x.unlock();
  EXPECT_EQ(other.get(), std::error_code());
  EXPECT_EQ(code, std::error_code());
}

}  // namespace holdfast::testing
