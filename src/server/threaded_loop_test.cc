#include "server/threaded_loop.h"

#include <gtest/gtest.h>

#include <asio/post.hpp>
#include <atomic>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::server {
namespace {

constexpr auto kSoon = std::chrono::seconds(20);

class ThreadedLoopTest : public ::testing::Test {
 protected:
  void SetUp() override { loop_.start(); }
  void TearDown() override {
    loop_.context().stop();
    loop_.join();
  }

  // In a handler.
  template <class Function>
  auto in_loop(Function function) {
    std::packaged_task<decltype(function())()> task(std::move(function));
    auto result = task.get_future();
    asio::post(loop_.context(), std::move(task));
    EXPECT_EQ(result.wait_for(kSoon), std::future_status::ready);
    return result.get();
  }
  std::thread::id thread() {
    return in_loop([] { return std::this_thread::get_id(); });
  }

  ThreadedLoop loop_;
};

TEST_F(ThreadedLoopTest, that_is_not_kept_waiting_does_everything_in_one_thread) {
  auto last = thread();
  int changes = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::promise<std::thread::id> after;
    asio::post(loop_.context(),
               [&] { loop_.step_out([&] { return [&] { after.set_value(std::this_thread::get_id()); }; }); });
    const auto now = after.get_future().get();
    if (std::exchange(last, now) != now) ++changes;
  }
  // None, unless the machine is so busy that the thread itself is kept waiting.
  EXPECT_LE(changes, 100);
}

TEST_F(ThreadedLoopTest, goes_on_in_the_other_thread_while_one_waits_and_the_rest_is_done_in_the_loop) {
  // Again and again, so that each thread has been out, and has stood by.
  for (int i = 0; i < 6; ++i) {
    std::promise<void> disk;
    std::promise<std::thread::id> out;
    std::promise<std::thread::id> rest;
    asio::post(loop_.context(), [&] {
      loop_.step_out([&]() -> Loop::Rest {
        out.set_value(std::this_thread::get_id());
        disk.get_future().wait();
        return [&] { rest.set_value(std::this_thread::get_id()); };
      });
    });
    const auto waits = out.get_future().get();
    EXPECT_NE(thread(), waits);
    disk.set_value();
    EXPECT_EQ(rest.get_future().get(), thread());
    EXPECT_NE(thread(), waits);
  }
}

TEST_F(ThreadedLoopTest, never_has_two_threads_in_it) {
  int inside = 0;  // not atomic: the thread sanitizer looks as well
  std::vector<std::promise<void>> done(300);
  for (std::size_t i = 0; i < done.size(); ++i) {
    asio::post(loop_.context(), [&, i] {
      ++inside;
      const bool hangs = i % 100 == 50;
      loop_.step_out([&, i, hangs]() -> Loop::Rest {
        if (hangs) std::this_thread::sleep_for(std::chrono::milliseconds(150));  // the disk
        return [&, i] {
          --inside;
          done[i].set_value();
        };
      });
    });
    // One is out at a time, and others come meanwhile.
    auto finished = done[i].get_future();
    for (int others = 0; others < 3; ++others) in_loop([&] { return inside; });
    ASSERT_EQ(finished.wait_for(kSoon), std::future_status::ready);
  }
  EXPECT_EQ(in_loop([&] { return inside; }), 0);
}

TEST_F(ThreadedLoopTest, can_wait_until_who_is_out_is_over) {
  std::promise<void> disk;
  std::promise<void> out;
  std::atomic<bool> over = false;
  asio::post(loop_.context(), [&] {
    loop_.step_out([&]() -> Loop::Rest {
      out.set_value();
      disk.get_future().wait();
      over = true;
      return [] {};
    });
  });
  out.get_future().wait();
  (void)thread();  // replaced by now
  auto waited = std::async(std::launch::async, [&] {
    return in_loop([&] {
      loop_.wait_for_slow();
      return over.load();
    });
  });
  disk.set_value();
  EXPECT_TRUE(waited.get());
}

}  // namespace
}  // namespace holdfast::server
