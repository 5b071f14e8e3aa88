// docs/settings.md, "Locks": what settings by name say counts on every store, and may change while clients live.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

class Settings : public Conformance {
 protected:
  // Of six holds by threads of one client that want the same lock.
  static std::vector<Token> tokens(Client& client) {
    auto mutex = client.non_reentrant_mutex("m");
    std::mutex guard;
    std::vector<Token> tokens;
    mutex.lock();
    std::vector<std::jthread> threads;
    std::atomic<int> ready = 0;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        ++ready;
        auto lease = mutex.acquire();
        const std::lock_guard lock(guard);
        tokens.push_back(lease.token());
      });
    }
    EXPECT_TRUE(eventually(kSoon, [&] { return ready == 6; }));
    mutex.unlock();
    threads.clear();
    return tokens;
  }

  const std::shared_ptr<LockRules> rules_ = std::make_shared<LockRules>();
};

TEST_F(Settings, say_how_long_holds_of_lock_objects_last_that_exist_already) {
  auto client = connect({.locks = rules_});
  auto rival = connect();
  auto mutex = client.mutex("m");
  auto lease = mutex.acquire();
  rules_->replace({{"m", {.max_hold = 100ms}}});
  lease.release();
  lease = mutex.acquire();
  EXPECT_TRUE(rival.mutex("m").try_acquire_for(kSoon));
  EXPECT_FALSE(lease.is_held());
  lease.release();

  rules_->replace({{"*", {.min_hold = 400ms}}, {"m", {.max_hold = 0ms}}});
  const auto begin = Clock::now();
  mutex.acquire().release();
  EXPECT_FALSE(rival.mutex("m").try_lock());
  EXPECT_TRUE(rival.mutex("m").try_acquire_for(kSoon));
  EXPECT_GE(Clock::now() - begin, 400ms);
}

TEST_F(Settings, say_how_often_threads_hand_a_name_over) {
  auto client = connect({.hand_over = {.count = 64, .time = 1h}, .locks = rules_});
  rules_->replace({{"m", {.hand_over = {.count = 0}}}});
  const auto each = tokens(client);
  ASSERT_EQ(each.size(), 6U);
  EXPECT_EQ(std::adjacent_find(each.begin(), each.end(), std::greater_equal<>()), each.end()) << "a ticket for each";
  rules_->replace({});
  // As soon as all of them are in line before the lock is given back.
  EXPECT_TRUE(eventually(kSoon, [&] {
    const auto one = tokens(client);
    return std::count(one.begin(), one.end(), one.front()) == 6;
  })) << "one ticket for all";
}

}  // namespace holdfast::testing
