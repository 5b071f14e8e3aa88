#include "lock/loop.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

// What comes, comes within this; what does not, has failed.
constexpr auto kPatience = 10s;

bool comes(std::future<void>& event) { return event.wait_for(kPatience) == std::future_status::ready; }
bool comes(std::promise<void>& event) {
  auto future = event.get_future();
  return comes(future);
}

TEST(Loop, runs_what_is_posted_but_never_inside_the_call) {
  Loop loop;
  std::promise<void> done;
  std::thread::id runner;
  loop.enter([&] {
    loop.post([&] {
      runner = std::this_thread::get_id();
      done.set_value();
    });
  });
  ASSERT_TRUE(comes(done));
  EXPECT_NE(runner, std::this_thread::get_id());
}

TEST(Loop, keeps_the_order_of_what_one_thread_posts) {
  Loop loop;
  std::vector<int> order;
  for (int i = 0; i < 1'000; ++i) loop.post([&, i] { order.push_back(i); });
  loop.stop();
  ASSERT_EQ(order.size(), 1'000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// What the loop's own thread posts is not overtaken by what another one posts after it.
TEST(Loop, keeps_the_order_of_posting_whichever_thread_posts) {
  Loop loop;
  for (int round = 0; round < 100; ++round) {
    std::vector<int> ran;
    std::promise<void> done;
    loop.post([&] {
      loop.post([&] { ran.push_back(1); });
      std::thread([&] { loop.post([&] { ran.push_back(2); }); }).join();
      loop.post([&] {
        ran.push_back(3);
        done.set_value();
      });
    });
    done.get_future().wait();
    EXPECT_EQ(ran, (std::vector<int>{1, 2, 3}));
  }
}

TEST(Loop, runs_one_function_at_a_time_whoever_posts) {
  Loop loop;
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  int count = 0;  // no lock of its own: the loop is the lock
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        loop.post([&] {
          if (++inside != 1) ++overlaps;
          ++count;
          --inside;
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  loop.stop();
  EXPECT_EQ(count, 2'000);
  EXPECT_EQ(overlaps, 0);
}

TEST(Loop, excludes_posted_functions_timers_and_whoever_enters_from_each_other) {
  Loop loop;
  int count = 0;
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  const auto visit = [&] {
    if (++inside != 1) ++overlaps;
    ++count;
    --inside;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i) {
        loop.post(visit);
        loop.enter([&] {
          visit();
          loop.at(loop.now(), visit);
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::promise<void> after_all;
  loop.enter([&] { loop.at(loop.now(), [&] { after_all.set_value(); }); });
  ASSERT_TRUE(comes(after_all));
  loop.stop();
  EXPECT_EQ(count, 3 * 1'000);
  EXPECT_EQ(overlaps, 0);
}

TEST(Loop, keeps_posted_functions_out_while_somebody_is_inside) {
  Loop loop;
  std::atomic<bool> ran = false;
  loop.enter([&] {
    loop.post([&] { ran = true; });
    loop.at(loop.now(), [&] { ran = true; });
    for (int i = 0; i < 1'000; ++i) {
      std::this_thread::yield();
      ASSERT_FALSE(ran);
    }
  });
  loop.stop();
  EXPECT_TRUE(ran);
}

TEST(Loop, returns_what_the_entered_function_returns) {
  Loop loop;
  EXPECT_EQ(loop.enter([] { return 7; }), 7);
}

TEST(Loop, can_be_entered_again_after_a_function_threw_on_the_callers_thread) {
  Loop loop;
  EXPECT_THROW(loop.enter([] { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_EQ(loop.enter([] { return 7; }), 7);
}

TEST(Loop, fires_timers_in_order_and_never_early) {
  Loop loop;
  struct Fired {
    Clock::time_point due;
    Clock::time_point at;
  };
  std::vector<Fired> fired;
  std::promise<void> all;
  std::vector<int> delays(20);
  for (int i = 0; i < 20; ++i) delays[i] = i;
  std::shuffle(delays.begin(), delays.end(), std::mt19937(7));  // NOLINT: the same order every time
  loop.enter([&] {
    const auto base = loop.now() + 1ms;
    for (const int delay : delays) {
      const auto due = base + std::chrono::microseconds(500 * delay);
      loop.at(due, [&, due] {
        fired.push_back({due, loop.now()});
        if (fired.size() == delays.size()) all.set_value();
      });
    }
  });
  ASSERT_TRUE(comes(all));
  loop.stop();
  for (std::size_t i = 0; i < fired.size(); ++i) {
    EXPECT_GE(fired[i].at, fired[i].due) << i;
    if (i > 0) {
      EXPECT_GT(fired[i].due, fired[i - 1].due) << i;
    }
  }
}

TEST(Loop, fires_timers_of_one_moment_in_the_order_they_were_set) {
  Loop loop;
  std::vector<int> order;
  std::promise<void> all;
  loop.enter([&] {
    const auto due = loop.now() + 2ms;
    for (int i = 0; i < 50; ++i) loop.at(due, [&, i] { order.push_back(i); });
    loop.at(due, [&] { all.set_value(); });
  });
  ASSERT_TRUE(comes(all));
  loop.stop();
  EXPECT_EQ(order.size(), 50u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Loop, fires_timers_that_are_past_as_soon_as_it_can) {
  for (const auto when : {Clock::time_point::min(), Clock::time_point(), Clock::now()}) {
    Loop loop;
    std::promise<void> fired;
    loop.enter([&] { loop.at(when, [&] { fired.set_value(); }); });
    EXPECT_TRUE(comes(fired));
  }
}

TEST(Loop, does_not_let_a_timer_far_away_delay_a_nearer_one) {
  for (const auto far :
       {Clock::now() + 1h, Clock::now() + std::chrono::hours(24 * 365 * 200), Clock::time_point::max()}) {
    Loop loop;
    std::promise<void> fired;
    std::atomic<bool> far_fired = false;
    loop.enter([&] { loop.at(far, [&] { far_fired = true; }); });
    loop.enter([&] { loop.at(loop.now() + 1ms, [&] { fired.set_value(); }); });
    EXPECT_TRUE(comes(fired));
    loop.stop();
    EXPECT_FALSE(far_fired);
  }
}

TEST(Loop, fires_a_later_timer_after_the_nearer_one_was_cancelled) {
  Loop loop;
  std::promise<void> fired;
  loop.enter([&] {
    const auto nearer = loop.at(loop.now() + 1ms, [] { ADD_FAILURE() << "a cancelled timer ran"; });
    loop.cancel(nearer);
    loop.at(loop.now() + 3ms, [&] { fired.set_value(); });
  });
  EXPECT_TRUE(comes(fired));
}

TEST(Loop, fires_a_timer_that_a_timer_sets) {
  Loop loop;
  std::promise<void> fired;
  loop.enter([&] { loop.at(loop.now() + 1ms, [&] { loop.at(loop.now() + 1ms, [&] { fired.set_value(); }); }); });
  EXPECT_TRUE(comes(fired));
}

TEST(Loop, does_not_run_a_cancelled_timer) {
  Loop loop;
  bool ran = false;
  std::promise<void> later;
  loop.enter([&] {
    const auto due = loop.now() + 1ms;
    const auto timer = loop.at(due, [&] { ran = true; });
    loop.at(due + 1ms, [&] { later.set_value(); });
    loop.cancel(timer);
  });
  ASSERT_TRUE(comes(later));
  loop.stop();
  EXPECT_FALSE(ran);
}

TEST(Loop, does_not_run_a_timer_that_one_of_the_same_moment_has_cancelled) {
  Loop loop;
  bool ran = false;
  std::promise<void> later;
  loop.enter([&] {
    const auto due = loop.now() + 1ms;
    auto second = std::make_shared<Loop::TimerId>();
    loop.at(due, [&, second] { loop.cancel(*second); });
    *second = loop.at(due, [&] { ran = true; });
    loop.at(due, [&] { later.set_value(); });
  });
  ASSERT_TRUE(comes(later));
  loop.stop();
  EXPECT_FALSE(ran);
}

TEST(Loop, frees_what_a_cancelled_timer_owned) {
  Loop loop;
  auto owned = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = owned;
  loop.enter([&] {
    const auto timer = loop.at(loop.now() + 1h, [owned = std::move(owned)] {});
    loop.cancel(timer);
  });
  EXPECT_TRUE(watch.expired());
}

TEST(Loop, ignores_the_cancelling_of_timers_that_are_past_or_unknown) {
  Loop loop;
  std::promise<void> fired;
  const auto past = loop.enter([&] { return loop.at(loop.now(), [&] { fired.set_value(); }); });
  ASSERT_TRUE(comes(fired));
  std::promise<void> another;
  loop.enter([&] {
    loop.at(loop.now() + 1ms, [&] { another.set_value(); });
    loop.cancel(past);
    loop.cancel(past);
    loop.cancel(Loop::kNoTimer);
    loop.cancel(1'000'000);
  });
  EXPECT_TRUE(comes(another));
}

TEST(Loop, never_uses_kNoTimer_as_an_id) {
  Loop loop;
  loop.enter([&] { EXPECT_NE(loop.at(loop.now() + 1h, [] {}), Loop::kNoTimer); });
}

TEST(Loop, runs_all_that_was_posted_before_stop_returns) {
  Loop loop;
  int ran = 0;
  for (int i = 0; i < 100; ++i) {
    loop.post([&] {
      ++ran;
      loop.post([&] { ++ran; });  // and what that posts
    });
  }
  loop.stop();
  EXPECT_EQ(ran, 200);
}

TEST(Loop, runs_nothing_after_stop) {
  Loop loop;
  bool ran = false;
  loop.enter([&] { loop.at(loop.now() + 1h, [&] { ran = true; }); });
  loop.stop();
  loop.post([&] { ran = true; });
  loop.enter([&] { loop.at(loop.now(), [&] { ran = true; }); });
  loop.stop();  // once more: nothing
  EXPECT_FALSE(ran);
}

// A thread that is late may still ask for a timer while another closes the client; ThreadSanitizer watches.
TEST(Loop, may_be_stopped_while_others_enter_and_set_timers) {
  for (int round = 0; round < 20; ++round) {
    Loop loop;
    const auto far = loop.now() + 10'000h;
    std::atomic<bool> over = false;
    std::promise<void> started;
    std::thread other([&] {
      for (int i = 0; !over; ++i) {
        loop.enter([&] {
          // Each is earlier than the one before, so that the alarm must be set again.
          const auto timer = loop.at(far - std::chrono::milliseconds(i), [] {});
          if (i % 2 == 0) loop.cancel(timer);
        });
        if (i == 0) started.set_value();
      }
    });
    started.get_future().wait();
    loop.stop();
    over = true;
    other.join();
  }
}

// Both ends of a connection; none of them blocks.
struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    ours = base::Descriptor(ends[0]);
    theirs = base::Descriptor(ends[1]);
  }
  base::Descriptor ours;
  base::Descriptor theirs;
};

TEST(Loop, tells_of_a_descriptor_again_and_again_until_it_is_read) {
  Loop loop;
  Pair pair;
  std::promise<void> all;
  std::string read;
  std::unique_ptr<Loop::Readiness> readiness;
  loop.enter([&] {
    readiness = loop.watch(pair.ours.get(), [&] {
      char byte = 0;  // one at a time: the rest is there already, and nothing new comes
      if (::read(pair.ours.get(), &byte, 1) == 1) read += byte;
      if (read == "abc") all.set_value();
    });
  });
  ASSERT_EQ(::write(pair.theirs.get(), "abc", 3), 3);
  EXPECT_TRUE(comes(all));
  loop.enter([&] { readiness.reset(); });
}

TEST(Loop, tells_of_a_descriptor_whose_other_end_has_gone) {
  Loop loop;
  Pair pair;
  std::promise<void> ended;
  std::unique_ptr<Loop::Readiness> readiness;
  loop.enter([&] {
    readiness = loop.watch(pair.ours.get(), [&] {
      readiness.reset();  // from its own call
      ended.set_value();
    });
  });
  pair.theirs.reset();
  EXPECT_TRUE(comes(ended));
}

TEST(Loop, does_not_watch_what_cannot_be_watched) {
  Loop loop;
  loop.enter([&] { EXPECT_EQ(loop.watch(-1, [] {}), nullptr); });
}

TEST(Loop, tells_once_when_there_is_room_to_write) {
  Loop loop;
  Pair pair;
  const std::string much(1 << 20, 'x');
  while (::write(pair.ours.get(), much.data(), much.size()) > 0) {
  }
  std::promise<void> room;
  std::atomic<int> told = 0;
  std::unique_ptr<Loop::Readiness> readiness;
  loop.enter([&] {
    readiness = loop.watch(pair.ours.get(), [&] {
      if (++told == 1) room.set_value();
    });
    for (int i = 0; i < 100; ++i) readiness->when_writable();
  });
  EXPECT_EQ(told, 0);
  std::string bin(1 << 20, '\0');
  while (::read(pair.theirs.get(), bin.data(), bin.size()) > 0) {
  }
  EXPECT_TRUE(comes(room));
  loop.enter([&] { readiness.reset(); });
  loop.stop();
  EXPECT_EQ(told, 1);
}

TEST(Loop, tells_nothing_of_a_descriptor_that_is_not_watched_any_more) {
  Loop loop;
  Pair pair;
  bool told = false;
  loop.enter([&] {
    auto readiness = loop.watch(pair.ours.get(), [&] { told = true; });
    EXPECT_EQ(::write(pair.theirs.get(), "x", 1), 1);  // it is on its way to us, but we are inside
    readiness.reset();
  });
  // Its number may be another file's immediately.
  pair.ours.reset();
  const Pair next;
  EXPECT_EQ(::write(next.theirs.get(), "x", 1), 1);
  loop.stop();
  EXPECT_FALSE(told);
}

TEST(Loop, stops_although_a_descriptor_is_still_watched) {
  Pair pair;
  bool told = false;
  Loop loop;
  std::unique_ptr<Loop::Readiness> readiness;
  loop.enter([&] { readiness = loop.watch(pair.ours.get(), [&] { told = true; }); });
  loop.stop();
  EXPECT_EQ(::write(pair.theirs.get(), "x", 1), 1);
  EXPECT_FALSE(told);
  loop.enter([&] { readiness.reset(); });
}

}  // namespace
}  // namespace holdfast::lock
