// Locks of other libraries on the same Redis: theirs and ours exclude each other, in both directions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <future>

#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/oracle.h"
#include "support/peer.h"
#include "support/redis_server.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoon = 30s;
// No hold of a process that is alive ends, however slow the machine is.
constexpr auto kLong = 30s;
// Of one that is to be killed.
constexpr auto kVictim = 2s;

struct Make {
  const char* name;  // as gtest takes it
  const char* kind;  // of npm_peer.js; none: another program
  const char* url;   // what ours needs to meet it
};

const Make kMakes[] = {
    {"redis_py", nullptr, "mode=cell"},      {"redlock_5", "redlock", "mode=cell"},
    {"redlock_4", "redlock-4", "mode=cell"}, {"redis_semaphore", "redis-semaphore", "mode=cell&key=mutex:%s"},
    {"symfony", nullptr, "mode=cell"},       {"node_redisson", "node-redisson", "mode=redisson"},
};

class RedisPeer : public ::testing::TestWithParam<Make> {
 protected:
  static constexpr const char* kName = "orders/1";

  void TearDown() override {
    for (auto& peer : peers_) {
      if (peer.process().running()) {
        EXPECT_EQ(peer.exit(), 0);
      }
    }
  }

  std::string url() const { return fmt::format("redis://{}?{}", server_.address(), GetParam().url); }
  Client connect(std::chrono::milliseconds time = kLong) { return Client::connect(url(), {.session_timeout = time}); }

  Peer& theirs(std::chrono::milliseconds time = kLong) {
    const std::string peers = HOLDFAST_REDIS_PEERS;
    std::vector<std::string> argv;
    if (GetParam().kind != nullptr) {
      argv = {HOLDFAST_NODE, peers + "/npm_peer.js", HOLDFAST_NODE_MODULES};
    } else if (GetParam().name == std::string_view("symfony")) {
      argv = {HOLDFAST_PHP, peers + "/symfony_peer.php"};
    } else {
      argv = {HOLDFAST_PYTHON, peers + "/redis_py_peer.py"};
    }
    argv.insert(argv.end(), {server_.address(), kName, std::to_string(time.count())});
    if (GetParam().kind != nullptr) argv.emplace_back(GetParam().kind);
    return peers_.emplace_back(argv, GetParam().name);
  }
  Peer& ours(std::chrono::milliseconds time) {
    return peers_.emplace_back(
        std::vector<std::string>{HOLDFAST_LOCK_WORKER, url(), kName, std::to_string(time.count())}, "ours");
  }
  std::string key() const { return GetParam().name == std::string_view("redis_semaphore") ? "mutex:orders/1" : kName; }
  bool is_there() const { return server_.ask("EXISTS " + key()) == ":1\r\n"; }

  RedisServer server_;
  TempDir oracle_directory_{"oracle"};

 private:
  std::deque<Peer> peers_;  // never moved
};

INSTANTIATE_TEST_SUITE_P(Interop, RedisPeer, ::testing::ValuesIn(kMakes),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(RedisPeer, that_holds_keeps_ours_out_and_the_other_way_round) {
  auto& peer = theirs();
  auto client = connect();
  auto mutex = client.mutex(kName);
  for (int i = 0; i < 3; ++i) {
    peer.acquire();
    EXPECT_EQ(mutex.try_acquire().error(), Errc::timed_out);
    EXPECT_EQ(mutex.try_acquire_for(100ms).error(), Errc::timed_out);
    auto seen = client.inspect(kName);
    ASSERT_EQ(seen.tickets.size(), 1U);
    EXPECT_TRUE(seen.tickets[0].holds);
    EXPECT_NE(seen.tickets[0].recipe, "Holdfast");
    peer.release();
    auto lease = mutex.try_acquire_for(kSoon);
    ASSERT_TRUE(lease) << lease.message();
    EXPECT_EQ(peer.acquire_within(100ms), std::nullopt);
    EXPECT_FALSE(lease.lease().release());
    ASSERT_TRUE(eventually(kSoon, [&] { return !is_there(); }));
  }
}

TEST_P(RedisPeer, and_ours_are_never_inside_together) {
  constexpr int kRounds = 60;
  auto& peer = theirs();
  auto& another = theirs();
  auto client = connect();
  auto mutex = client.non_reentrant_mutex(kName);
  Oracle oracle(oracle_directory_.path());
  peer.start_rounds(kRounds, oracle_directory_.path(), "peer");
  another.start_rounds(kRounds, oracle_directory_.path(), "another");
  for (int i = 0; i < kRounds; ++i) {
    auto lease = mutex.acquire();
    ASSERT_TRUE(oracle.enter("ours"));
    oracle.leave("ours", std::to_string(lease.token()));
    EXPECT_FALSE(lease.release());
  }
  peer.finish_rounds(kSoon);
  another.finish_rounds(kSoon);
  EXPECT_TRUE(oracle.overlaps().empty());
  EXPECT_EQ(oracle.grants().size(), 3U * kRounds);
}

TEST_P(RedisPeer, that_is_killed_leaves_it_to_ours_after_its_time_and_the_other_way_round) {
  auto client = connect();
  auto& victim = theirs(kVictim);
  victim.acquire();
  victim.kill9();
  EXPECT_TRUE(is_there());
  {
    const auto lease = client.mutex(kName).try_acquire_for(kSoon);
    ASSERT_TRUE(lease) << lease.message();
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return !is_there(); }));
  auto& worker = ours(kVictim);
  worker.acquire();
  worker.kill9();
  EXPECT_TRUE(is_there());
  auto& heir = theirs();
  EXPECT_TRUE(heir.acquire_within(kSoon));
  heir.release();
}

TEST_P(RedisPeer, whose_hold_was_deleted_does_not_take_ours_along_and_the_other_way_round) {
  auto& peer = theirs();
  auto client = connect();
  auto mutex = client.mutex(kName);
  peer.acquire();
  server_.ask("DEL " + key());
  auto lease = mutex.try_acquire_for(kSoon);
  ASSERT_TRUE(lease) << lease.message();
  peer.send("release");  // it may call that an error
  EXPECT_TRUE(peer.reply(kSoon));
  EXPECT_TRUE(is_there());
  EXPECT_EQ(peer.acquire_within(50ms), std::nullopt);

  server_.ask("DEL " + key());
  EXPECT_TRUE(peer.acquire_within(kSoon));
  (void)lease.lease().release();
  EXPECT_TRUE(client.mutex("another").try_acquire()) << "sent after the release";
  EXPECT_TRUE(is_there()) << "ours has deleted theirs";
  peer.release();
  EXPECT_FALSE(is_there());
}

// A process of ours that was stopped for longer than its time must not believe in its hold when it goes on.
TEST_P(RedisPeer, that_came_while_ours_was_stopped_is_not_disturbed_by_it) {
  auto& worker = ours(kVictim);
  worker.acquire();
  worker.pause();
  auto& heir = theirs();
  EXPECT_TRUE(heir.acquire_within(kSoon));
  worker.resume();
  EXPECT_TRUE(worker.wait_lost(kSoon));
  worker.send("release");
  EXPECT_TRUE(worker.reply(kSoon).value_or("").starts_with("error"));
  EXPECT_TRUE(is_there());
  heir.release();
  EXPECT_FALSE(is_there());
}

class RedissonPeer : public RedisPeer {};
INSTANTIATE_TEST_SUITE_P(Interop, RedissonPeer, ::testing::Values(kMakes[5]),
                         [](const auto& each) { return std::string(each.param.name); });

// Its time to live is half a minute. Ours looks for it every 5 s, and theirs every half second.
TEST_P(RedissonPeer, wakes_ours_when_it_releases_and_is_woken_by_ours) {
  auto& peer = theirs();
  auto client = connect();
  auto mutex = client.mutex(kName);
  const auto listeners_become = [&](int count) {
    return eventually(kSoon, [&] {
      return server_.ask("PUBSUB NUMSUB redisson_lock__channel:{orders/1}").ends_with(fmt::format(":{}\r\n", count));
    });
  };
  auto best = Clock::duration::max();
  auto best_of_theirs = best;
  for (int i = 0; i < 5; ++i) {
    peer.acquire();
    auto waiting = std::async(std::launch::async, [&] {
      auto lease = mutex.acquire();
      return std::pair(Clock::now(), std::move(lease));
    });
    ASSERT_TRUE(listeners_become(1));
    const auto released = Clock::now();
    peer.release();
    auto [granted, lease] = waiting.get();
    best = std::min(best, granted - released);
    // Ours does not listen any more. Theirs would miss a release before it listens: it does not look again.
    ASSERT_TRUE(listeners_become(0));
    peer.send("acquire");
    ASSERT_TRUE(listeners_become(1));
    const auto given_back = Clock::now();
    EXPECT_FALSE(lease.release());
    peer.expect("acquired");
    best_of_theirs = std::min(best_of_theirs, Clock::now() - given_back);
    peer.release();
  }
  EXPECT_LT(best, 50ms);
  EXPECT_LT(best_of_theirs, 250ms);
}

}  // namespace
}  // namespace holdfast::testing
