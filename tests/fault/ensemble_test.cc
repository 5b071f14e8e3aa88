// docs/semantics.md, "Ensembles": three real servers, whose leaders and followers die.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <thread>

#include "network.h"
#include "support/zookeeper_ensemble.h"

namespace holdfast::testing {
namespace {

// DESIGN §5.1: a follower that dies right after it has acknowledged a heartbeat has not told the leader.
TEST(Ensemble, loss_is_noticed_before_the_rival_is_granted_when_the_follower_dies_with_our_last_heartbeat) {
  constexpr int kRuns = 10;
  constexpr auto kTick = 1000ms;
  ZooKeeperEnsemble ensemble({.tick_time = kTick});
  const auto leader = ensemble.leader();
  const auto follower = ensemble.followers().front();
  auto rival = Client::connect("zk://" + ensemble.server(leader).address(),
                               {.session_timeout = 4s, .zookeeper = {.ensemble_tick_time = kTick}});
  Clock::duration closest = 1h;
  for (int run = 0; run < kRuns; ++run) {
    const auto name = fmt::format("run/{}", run);
    FaultProxy proxy(ensemble.server(follower).port());
    auto holder =
        Client::connect("zk://" + proxy.address(), {.session_timeout = 4s, .zookeeper = {.ensemble_tick_time = kTick}});
    auto mutex = holder.mutex(name);
    auto lease = mutex.acquire();
    std::atomic<Clock::rep> lost_at = 0;
    const std::stop_callback on_loss(lease.lost(), [&] { lost_at = Clock::now().time_since_epoch().count(); });
    auto rivals = rival.mutex(name);
    Clock::time_point granted_at;
    auto waiting = std::async(std::launch::async, [&] {
      auto theirs = rivals.acquire();
      granted_at = Clock::now();
    });
    PlainClient observer(ensemble.server(leader).address());
    ASSERT_TRUE(eventually(kSoon, [&] { return observer.children("/" + name).size() == 2; }));

    const auto acknowledged = [&] {
      return proxy.count([](const Seen& seen) { return seen.is_reply() && is_heartbeat(seen); });
    };
    // The third one from now: the first two prove that it is a rhythm.
    const auto before = acknowledged();
    ASSERT_TRUE(eventually(kSoon, [&] { return acknowledged() >= before + 3; }));
    ensemble.kill(follower);
    proxy.black_hole();

    ASSERT_EQ(waiting.wait_for(30s), std::future_status::ready);
    waiting.get();
    ASSERT_NE(lost_at.load(), 0) << "run " << run << ": the rival was granted and the holder does not know";
    const Clock::time_point lost{Clock::duration(lost_at.load())};
    EXPECT_LT(lost, granted_at) << "run " << run;
    closest = std::min(closest, granted_at - lost);
    ensemble.restart(follower);
  }
  std::printf("closest call: lost %.0f ms before the rival was granted\n",
              std::chrono::duration<double, std::milli>(closest).count());
}

TEST(Ensemble, eight_clients_go_on_without_overlap_when_the_leader_is_killed) {
  constexpr int kClients = 8;
  ZooKeeperEnsemble ensemble({.tick_time = 500ms});
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<bool> enough = false;
  std::array<std::atomic<int>, kClients> visits{};
  std::atomic<int> losses = 0;
  Fence fence;
  std::atomic<int> refused_by_fence = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      auto client = Client::connect("zk://" + ensemble.connect_string(), {.session_timeout = 10s,
                                                                          .connection_timeout = 20s,
                                                                          .zookeeper = {.ensemble_tick_time = 500ms},
                                                                          .retry = RetryPolicy::forever(50ms)});
      auto mutex = client.mutex("shared");
      while (!enough) {
        auto lease = mutex.acquire();
        if (inside.fetch_add(1) != 0) ++overlaps;
        if (!fence.admit(lease.token())) ++refused_by_fence;
        std::this_thread::yield();
        inside.fetch_sub(1);
        ++visits[static_cast<std::size_t>(i)];
        if (lease.release()) ++losses;
      }
    });
  }
  const auto all_visited = [&](int times) {
    return eventually(
        30s, [&] { return std::all_of(visits.begin(), visits.end(), [&](const auto& n) { return n >= times; }); });
  };
  ASSERT_TRUE(all_visited(5));
  const auto leader = ensemble.leader();
  ensemble.kill(leader);
  for (auto& each : visits) each = 0;
  EXPECT_TRUE(all_visited(5)) << "somebody did not go on after the leader was killed";
  ensemble.restart(leader);
  for (auto& each : visits) each = 0;
  EXPECT_TRUE(all_visited(5));
  enough = true;
  threads.clear();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(refused_by_fence, 0);
  EXPECT_EQ(losses, 0);  // a 10 s session outlives an election
}

// What the one-flight acquire rests on: a list that leaves behind a create shows what was created.
TEST(Ensemble, a_list_sent_behind_a_create_sees_it_also_through_a_follower) {
  constexpr int kPairs = 10'000;
  ZooKeeperEnsemble ensemble({.tick_time = 500ms});
  struct Pair {
    std::string created;
    std::string directory;
    std::atomic<int>* seen;
    std::atomic<int>* failed;
    std::atomic<int>* under_way;
  };
  std::vector<std::size_t> members{ensemble.leader(), ensemble.followers().front()};
  for (const auto member : members) {
    PlainClient client(ensemble.server(member).address(), 20s);
    const auto root = fmt::format("/fifo-{}", member);
    ASSERT_EQ(client.create(root), ZOK);
    // Several directories, so that lists stay short, and many requests at once, so that commits lag behind.
    constexpr int kDirectories = 20;
    for (int i = 0; i < kDirectories; ++i) ASSERT_EQ(client.create(fmt::format("{}/{}", root, i)), ZOK);
    std::atomic<int> seen = 0;
    std::atomic<int> failed = 0;
    std::atomic<int> under_way = 0;
    for (int n = 0; n < kPairs / 2; ++n) {
      ASSERT_TRUE(eventually(kSoon, [&] { return under_way < 50; }));
      auto* pair = new Pair{"", fmt::format("{}/{}", root, n % kDirectories), &seen, &failed, &under_way};
      ++under_way;
      const auto created = [](int rc, const char* path, const void* data) {
        if (rc == ZOK) static_cast<Pair*>(const_cast<void*>(data))->created = path;
      };
      const auto listed = [](int rc, const String_vector* nodes, const void* data) {
        const std::unique_ptr<Pair> mine(static_cast<Pair*>(const_cast<void*>(data)));
        const auto name = mine->created.substr(mine->created.rfind('/') + 1);
        const bool there =
            rc == ZOK && !name.empty() &&
            std::any_of(nodes->data, nodes->data + nodes->count, [&](const char* node) { return node == name; });
        ++*(there ? mine->seen : mine->failed);
        --*mine->under_way;
      };
      ASSERT_EQ(zoo_acreate(client.handle(), (pair->directory + "/n-").c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, 3, created,
                            pair),
                ZOK);
      ASSERT_EQ(zoo_aget_children(client.handle(), pair->directory.c_str(), 0, listed, pair), ZOK);
    }
    ASSERT_TRUE(eventually(60s, [&] { return under_way == 0; }));
    EXPECT_EQ(seen, kPairs / 2) << ensemble.server(member).mode();
    EXPECT_EQ(failed, 0) << ensemble.server(member).mode();
  }
}

}  // namespace
}  // namespace holdfast::testing
