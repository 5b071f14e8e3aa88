#include "lock/messenger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <vector>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;

bool comes(std::promise<void>& event) { return event.get_future().wait_for(kPatience) == std::future_status::ready; }

TEST(Messenger, delivers_in_order_on_one_thread_that_is_not_the_callers) {
  Messenger messenger;
  std::vector<int> order;
  std::vector<std::thread::id> runners;
  for (int i = 0; i < 1'000; ++i) {
    messenger.deliver([&, i] {
      order.push_back(i);
      runners.push_back(std::this_thread::get_id());
    });
  }
  messenger.stop();
  ASSERT_EQ(order.size(), 1'000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(std::equal(runners.begin() + 1, runners.end(), runners.begin()));
  EXPECT_NE(runners.front(), std::this_thread::get_id());
}

TEST(Messenger, delivers_while_it_lives_without_being_stopped) {
  Messenger messenger;
  std::promise<void> delivered;
  messenger.deliver([&] { delivered.set_value(); });
  EXPECT_TRUE(comes(delivered));
}

TEST(Messenger, takes_messages_from_many_threads_and_loses_none) {
  Messenger messenger;
  int count = 0;  // no lock of its own: messages run one at a time
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) messenger.deliver([&] { ++count; });
    });
  }
  for (auto& thread : threads) thread.join();
  messenger.stop();
  EXPECT_EQ(count, 2'000);
}

TEST(Messenger, delivers_everything_given_before_stop_even_behind_a_slow_message) {
  Messenger messenger;
  std::promise<void> go;
  int delivered = 0;
  messenger.deliver([&] { go.get_future().wait(); });
  for (int i = 0; i < 100; ++i) messenger.deliver([&] { ++delivered; });
  auto stopped = std::async(std::launch::async, [&] { messenger.stop(); });
  go.set_value();
  stopped.get();
  EXPECT_EQ(delivered, 100);
}

TEST(Messenger, delivers_everything_before_it_is_destroyed) {
  int delivered = 0;
  {
    Messenger messenger;
    for (int i = 0; i < 100; ++i) messenger.deliver([&] { ++delivered; });
  }
  EXPECT_EQ(delivered, 100);
}

TEST(Messenger, takes_nothing_after_stop_and_frees_it) {
  Messenger messenger;
  messenger.stop();
  auto owned = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = owned;
  bool ran = false;
  messenger.deliver([&ran, owned = std::move(owned)] { ran = true; });
  messenger.stop();
  EXPECT_FALSE(ran);
  EXPECT_TRUE(watch.expired());
}

TEST(Messenger, frees_a_message_before_it_delivers_the_next) {
  Messenger messenger;
  auto owned = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = owned;
  bool freed = false;
  messenger.deliver([owned = std::move(owned)] {});
  messenger.deliver([&] { freed = watch.expired(); });
  messenger.stop();
  EXPECT_TRUE(freed);
}

TEST(Messenger, takes_a_message_from_what_a_message_owned_as_it_goes) {
  Messenger messenger;
  std::promise<void> delivered;
  std::shared_ptr<int> owned(new int(7), [&](const int* number) {
    delete number;
    messenger.deliver([&] { delivered.set_value(); });
  });
  messenger.deliver([owned = std::move(owned)] {});
  EXPECT_TRUE(comes(delivered));
}

TEST(Messenger, takes_a_message_from_a_message) {
  Messenger messenger;
  std::promise<void> delivered;
  messenger.deliver([&] { messenger.deliver([&] { delivered.set_value(); }); });
  EXPECT_TRUE(comes(delivered));
}

TEST(Messenger, may_be_stopped_by_its_own_message) {
  Messenger messenger;
  std::promise<void> returned;
  messenger.deliver([&] {
    messenger.stop();
    returned.set_value();
  });
  EXPECT_TRUE(comes(returned));
}

TEST(Messenger, may_be_destroyed_by_its_own_message) {
  auto messenger = std::make_unique<Messenger>();
  std::promise<void> given;
  std::promise<void> returned;
  messenger->deliver([&] {
    given.get_future().wait();  // no thread may be inside when it goes
    messenger.reset();
    returned.set_value();
  });
  given.set_value();
  ASSERT_TRUE(comes(returned));
  EXPECT_EQ(messenger, nullptr);
}

}  // namespace
}  // namespace holdfast::lock
