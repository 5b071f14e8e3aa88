// Handlers and the lock framework on real stores: ZooKeeper (and, once more, our engine), Redis' queues, and Redis' keys.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "recorder.h"
#include "support/eventually.h"
#include "support/redis_server.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Failure = LockRemoteResource::FailureType;

constexpr auto kSoon = 20s;

class ZooKeeperStore {
 public:
  std::string url() const { return "zk://" + server_.address(); }

 private:
  ZooKeeperServer server_;
};

class RedisQueueStore {
 public:
  std::string url() const { return "redis://" + server_.address(); }

 private:
  RedisServer server_;
};

class RedisCellStore {
 public:
  std::string url() const { return "redis://" + server_.address() + "?mode=cell&key=lock:%s"; }

 private:
  RedisServer server_;
};

template <class Store>
class FrameworkOn : public ::testing::Test {
 protected:
  Client connect(std::vector<std::shared_ptr<LockHandler>> handlers = {}) {
    return Client::connect(store_.url(), {.connection_timeout = kSoon, .handlers = std::move(handlers)});
  }

  Store store_;
};

struct Names {
  template <class Store>
  static std::string GetName(int) {
    if (std::is_same_v<Store, ZooKeeperStore>) return "zookeeper";
    return std::is_same_v<Store, RedisQueueStore> ? "redis" : "cell";
  }
};
using Stores = ::testing::Types<ZooKeeperStore, RedisQueueStore, RedisCellStore>;
TYPED_TEST_SUITE(FrameworkOn, Stores, Names);

TYPED_TEST(FrameworkOn, walks_from_try_acquire_to_release) {
  auto client = this->connect();
  auto other_client = this->connect();
  LockRemoteResource locks(client);
  LockRemoteResource others(other_client);
  const auto first = locks.try_acquire("orders/1", "a", kSoon);
  ASSERT_TRUE(first) << first.message();
  EXPECT_EQ(others.try_acquire("orders/1", "b", 10ms).failure_type(), Failure::time_out);
  EXPECT_EQ(locks.try_acquire("orders/1", "b", 10ms).failure_type(), Failure::time_out);
  EXPECT_EQ(others.release("orders/1", "a"), Errc::not_owner) << "held by another client";
  EXPECT_EQ(locks.release("orders/1", "b"), Errc::not_owner);
  EXPECT_TRUE(locks.is_held("orders/1", "a"));
  std::jthread waits([&] {
    const auto second = others.try_acquire("orders/1", "b", 2min);
    EXPECT_TRUE(second) << second.message();
    EXPECT_GT(second.token(), first.token());
  });
  EXPECT_EQ(locks.release("orders/1", "a"), std::error_code());
  waits.join();
  EXPECT_EQ(others.release("orders/1", "b"), std::error_code());

  const auto denied = locks.try_acquire("a//b", "a", kSoon);
  EXPECT_EQ(denied.failure_type(), Failure::exception);
  client.close();
  EXPECT_EQ(locks.try_acquire("orders/1", "a", kSoon).failure_type(), Failure::exception);
}

TYPED_TEST(FrameworkOn, hands_out_locks_by_name_and_counts) {
  auto client = this->connect();
  LockManager manager(client);
  int inside = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto lock = manager.lock("orders/1");
      for (int round = 0; round < 5; ++round) {
        const std::scoped_lock hold(lock);
        EXPECT_EQ(++inside, 1);
        --inside;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(manager.counts().acquired, 20U);
  EXPECT_EQ(manager.counts().released, 20U);
  EXPECT_EQ(manager.counts().cached, 1U);
}

TYPED_TEST(FrameworkOn, leaves_no_lock_when_a_handler_throws) {
  auto watcher = this->connect();
  for (const auto when : {Recorder::Throws::before_acquire, Recorder::Throws::after_acquire}) {
    Notes notes;
    auto client = this->connect({std::make_shared<Recorder>("a", notes, when)});
    EXPECT_THROW((void)client.mutex("orders/1").acquire(), std::runtime_error);
    EXPECT_TRUE(eventually(kSoon, [&] { return watcher.inspect("orders/1").tickets.empty(); }));
    EXPECT_TRUE(watcher.mutex("orders/1").try_acquire_for(kSoon));
  }
  for (const auto when : {Recorder::Throws::before_release, Recorder::Throws::after_release}) {
    Notes notes;
    auto client = this->connect({std::make_shared<Recorder>("a", notes, when)});
    { const auto lease = client.mutex("orders/1").acquire(); }
    EXPECT_TRUE(watcher.mutex("orders/1").try_acquire_for(kSoon));
    EXPECT_TRUE(eventually(kSoon, [&] { return watcher.inspect("orders/1").tickets.empty(); }));
  }
}

TYPED_TEST(FrameworkOn, writes_the_trace_into_the_card) {
  if (std::is_same_v<TypeParam, RedisCellStore>) return;  // a key has room for its owner and no card
  auto watcher = this->connect();
  auto client = this->connect({std::make_shared<TraceContext>([] { return std::string("trace 7"); })});
  const auto lease = client.mutex("orders/1").acquire();
  EXPECT_EQ(watcher.inspect("orders/1").tickets.at(0).card.trace, "trace 7");
}

}  // namespace
}  // namespace holdfast::testing
