// docs/semantics.md, "Ensembles", for readers and writers, permits and several names at once.
#include <algorithm>
#include <array>
#include <thread>

#include "network.h"
#include "support/zookeeper_ensemble.h"

namespace holdfast::testing {
namespace {

TEST(FamilyEnsemble, readers_writers_and_permits_go_on_without_overlap_when_the_leader_is_killed) {
  constexpr int kClients = 6;
  constexpr int kPermits = 2;
  ZooKeeperEnsemble ensemble({.tick_time = 500ms});
  std::atomic<int> readers = 0;
  std::atomic<int> writers = 0;
  std::atomic<int> permits = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<int> losses = 0;
  std::atomic<bool> enough = false;
  std::array<std::atomic<int>, kClients> visits{};
  std::vector<std::jthread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      auto client = Client::connect("zk://" + ensemble.connect_string(), {.session_timeout = 10s,
                                                                          .connection_timeout = 20s,
                                                                          .zookeeper = {.ensemble_tick_time = 500ms},
                                                                          .retry = RetryPolicy::forever(50ms)});
      auto mutex = client.shared_mutex("rw");
      auto semaphore = client.semaphore("s", kPermits);
      for (int round = i; !enough; ++round) {
        if (round % 3 == 0) {
          auto writing = mutex.acquire();
          if (writers.fetch_add(1) != 0 || readers != 0) ++overlaps;
          std::this_thread::yield();
          writers.fetch_sub(1);
          if (writing.release()) ++losses;
        } else if (round % 3 == 1) {
          auto reading = mutex.acquire_shared();
          readers.fetch_add(1);
          if (writers != 0) ++overlaps;
          std::this_thread::yield();
          readers.fetch_sub(1);
          if (reading.release()) ++losses;
        } else {
          auto permit = semaphore.acquire();
          if (permits.fetch_add(1) >= kPermits) ++overlaps;
          std::this_thread::yield();
          permits.fetch_sub(1);
          if (permit.release()) ++losses;
        }
        ++visits[static_cast<std::size_t>(i)];
      }
    });
  }
  const auto all_visited = [&](int times) {
    for (auto& each : visits) each = 0;
    return eventually(
        30s, [&] { return std::all_of(visits.begin(), visits.end(), [&](const auto& n) { return n >= times; }); });
  };
  EXPECT_TRUE(all_visited(9));
  ensemble.kill(ensemble.leader());
  EXPECT_TRUE(all_visited(9)) << "somebody did not go on after the leader was killed";
  enough = true;
  threads.clear();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(losses, 0);  // a 10 s session outlives an election
}

// Curator: testCluster, and testKilledServerWithEnsembleProvider but for the new addresses.
TEST(FamilyEnsemble, permits_stand_still_when_all_servers_are_gone_and_go_on_with_two_of_three) {
  ZooKeeperEnsemble ensemble({.tick_time = 500ms});
  const auto options = [] {
    return ClientOptions{.session_timeout = 5s,
                         .connection_timeout = 20s,
                         .zookeeper = {.ensemble_tick_time = 500ms},
                         .retry = RetryPolicy::forever(50ms)};
  };
  auto holder = Client::connect("zk://" + ensemble.connect_string(), options());
  auto user = Client::connect("zk://" + ensemble.connect_string(), options());
  auto held = holder.semaphore("s", 2).acquire();
  std::atomic<int> operations = 0;
  // If the ensemble does not come back, the test ends nevertheless: the thread is told to stop.
  std::jthread working([&, semaphore = user.semaphore("s", 2)](const std::stop_token& stop) mutable {
    while (!stop.stop_requested()) {
      if (auto permit = semaphore.try_acquire_for(1h, 1, stop); permit && permit.lease().is_held()) ++operations;
    }
  });
  ASSERT_TRUE(eventually(30s, [&] { return operations > 10; }));
  for (std::size_t i = 0; i < ensemble.size(); ++i) ensemble.kill(i);
  EXPECT_TRUE(eventually(30s, [&] { return held.lost().stop_requested(); }));
  const int before = operations;
  EXPECT_FALSE(eventually(1s, [&] { return operations > before; })) << "without any server";
  // They need each other to serve.
  ensemble.server(0).restart();
  ensemble.server(1).restart();
  // On a busy machine their election was seen to take half a minute: one leads, and the other does not hear of it until its time is over.
  ensemble.wait_until_serving(120s);
  EXPECT_TRUE(eventually(30s, [&] { return operations > before + 10; })) << "with two of three";
}

// The lists leave behind the transaction: without our own tickets in them, the claim would queue again.
TEST(FamilyEnsemble, a_multi_lock_sees_its_own_tickets_through_a_follower_at_once) {
  constexpr int kRounds = 1'000;
  ZooKeeperEnsemble ensemble({.tick_time = 500ms});
  FaultProxy proxy(ensemble.server(ensemble.followers().front()).port());
  auto client =
      Client::connect("zk://" + proxy.address(), {.session_timeout = 20s, .zookeeper = {.ensemble_tick_time = 500ms}});
  auto multi = client.multi_lock({{"a"}, {"b"}, {"c"}});
  ASSERT_TRUE(multi.try_lock_for(kSoon));
  multi.unlock();
  proxy.clear();
  for (int round = 0; round < kRounds; ++round) {
    auto result = multi.try_acquire_for(kSoon);
    ASSERT_TRUE(result) << result.message();
  }
  // Of a ticket that was not seen there would be a second transaction, and of one that seemed to wait a second list.
  EXPECT_EQ(proxy.count_requests(Op::multi), static_cast<std::size_t>(kRounds));
  EXPECT_EQ(proxy.count_requests(Op::get_children), static_cast<std::size_t>(3 * kRounds));
}

}  // namespace
}  // namespace holdfast::testing
