// docs/semantics.md, "Deadlock".
#include <barrier>
#include <future>
#include <mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Deadlock = Conformance;

TEST_F(Deadlock, waiting_for_oneself_is_refused) {
  auto client = connect();
  auto a = client.mutex("m");
  auto b = client.mutex("m");
  const std::scoped_lock hold(a);
  EXPECT_EQ(code_of([&] { b.lock(); }), std::errc::resource_deadlock_would_occur);
  EXPECT_EQ(code_of([&] { (void)b.acquire(); }), std::errc::resource_deadlock_would_occur);
  EXPECT_FALSE(b.try_lock_for(50ms));  // a wait that ends by itself is none
  EXPECT_EQ(queue_length("m"), 1U);
}

TEST_F(Deadlock, two_threads_that_would_wait_for_each_other_are_told) {
  auto client = connect();
  auto a = client.mutex("a");
  auto b = client.mutex("b");
  std::barrier both_hold(2);
  const auto run = [&](Mutex& mine, Mutex& other) {
    const std::scoped_lock hold(mine);
    both_hold.arrive_and_wait();
    const auto code = code_of([&] {
      other.lock();
      other.unlock();
    });
    return code;
  };
  auto one = std::async(std::launch::async, [&] { return run(a, b); });
  auto two = std::async(std::launch::async, [&] { return run(b, a); });
  const auto first = one.get();
  const auto second = two.get();
  // The second to wait closes the circle; the first gets in when that has given up.
  EXPECT_TRUE((first == Errc::deadlock) != (second == Errc::deadlock)) << first.message() << ", " << second.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") + queue_length("b") == 0; }));
}

TEST_F(Deadlock, a_circle_through_readers_and_a_waiting_writer_is_found) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto m = client.shared_mutex("m");
  auto x = client.mutex("x");
  std::promise<void> writer_waits;
  m.lock_shared();
  auto reader = std::async(std::launch::async, [&] {
    x.lock();
    writer_waits.get_future().wait();
    const auto code = code_of([&] { m.lock_shared(); });  // behind the writer, which waits for the main thread
    if (!code) m.unlock_shared();
    x.unlock();
    return code;
  });
  auto writer = std::async(std::launch::async, [&] {
    m.lock();
    m.unlock();
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2 && queue_length("x") == 1; }));
  writer_waits.set_value();
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3; }));
  const auto mine = code_of([&] { x.lock(); });
  if (!mine) x.unlock();
  m.unlock_shared();
  EXPECT_TRUE((mine == Errc::deadlock) || (reader.get() == Errc::deadlock));
  writer.get();
}

// It joins others who wait already: nobody asks the service anything for it.
TEST_F(Deadlock, one_who_joins_others_that_wait_can_close_the_circle) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto client = connect();
  auto rival = connect();
  auto m = client.mutex("m");
  auto x = client.mutex("x");
  auto theirs = rival.mutex("m");
  auto held_elsewhere = theirs.acquire();
  x.lock();
  // Waits for m, which the rival has; and then for x, which we have.
  std::promise<void> go;
  auto first = std::async(std::launch::async, [&] {
    m.lock();
    go.get_future().wait();
    const auto code = code_of([&] { x.lock(); });
    if (!code) x.unlock();
    m.unlock();
    return code;
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  held_elsewhere.release();
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 1; }));
  auto second = std::async(std::launch::async, [&] {
    m.lock();  // holds nothing: waits in line
    m.unlock();
  });
  go.set_value();
  ASSERT_TRUE(eventually(kSoon, [&] { return client.inspect("x").tickets.size() == 1; }));
  const auto mine = code_of([&] { m.lock(); });
  if (!mine) m.unlock();
  x.unlock();
  EXPECT_TRUE((mine == Errc::deadlock) != (first.get() == Errc::deadlock));
  second.get();
}

TEST_F(Deadlock, a_lease_can_be_given_back_by_others_and_is_no_circle) {
  auto client = connect();
  auto a = client.non_reentrant_mutex("m");
  auto b = client.mutex("m");
  auto lease = a.acquire();
  auto helper = std::async(std::launch::async, [&, held = std::move(lease)]() mutable {
    EXPECT_TRUE(eventually(kSoon, [begin = Clock::now()] { return Clock::now() - begin > 100ms; }));
    held.release();
  });
  EXPECT_EQ(code_of([&] { b.lock(); }), std::error_code());
  b.unlock();
  helper.get();
}

TEST_F(Deadlock, a_circle_over_two_clients_is_found_when_both_ask_for_it) {
  HOLDFAST_NEEDS_FEATURE(family);
  for (const bool with_each_other : {true, false}) {
    const ClientOptions options{.session_timeout = 2s, .deadlocks = DeadlockDetection::all_clients};
    auto first = connect(options);
    auto second = connect(with_each_other ? options : ClientOptions{.session_timeout = 2s});
    auto a1 = first.mutex("a");
    auto b1 = first.mutex("b");
    auto a2 = second.mutex("a");
    auto b2 = second.mutex("b");
    std::barrier both_hold(2);
    std::promise<void> help;
    auto one = std::async(std::launch::async, [&] {
      const std::scoped_lock hold(a1);
      both_hold.arrive_and_wait();
      return code_of([&] {
        b1.lock();
        b1.unlock();
      });
    });
    auto two = std::async(std::launch::async, [&] {
      b2.lock();
      both_hold.arrive_and_wait();
      std::error_code code;
      if (with_each_other) {
        code = code_of([&] {
          a2.lock();
          a2.unlock();
        });
      } else {
        help.get_future().wait();  // it holds a lease, so to say: not bound as far as anybody knows
      }
      b2.unlock();
      return code;
    });
    if (!with_each_other) {
      EXPECT_EQ(one.wait_for(1s), std::future_status::timeout);
      help.set_value();
    }
    const auto first_code = one.get();
    const auto second_code = two.get();
    EXPECT_EQ((first_code == Errc::deadlock) != (second_code == Errc::deadlock), with_each_other);
    EXPECT_TRUE(eventually(kSoon, [&] { return queue_length("a") + queue_length("b") == 0; }));
  }
}

TEST_F(Deadlock, detection_can_be_switched_off) {
  auto client = connect({.deadlocks = DeadlockDetection::off});
  auto a = client.mutex("m");
  auto b = client.mutex("m");
  a.lock();
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] { return b.try_acquire_for(1h, stop.get_token()); });
  EXPECT_EQ(waiting.wait_for(100ms), std::future_status::timeout);
  a.unlock();
  EXPECT_TRUE(waiting.get());
}

}  // namespace holdfast::testing
