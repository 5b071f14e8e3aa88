// docs/semantics.md, "Cost": counted on the wire.
#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <set>
#include <thread>

#include "network.h"

namespace holdfast::testing {
namespace {

class Cost : public Network {
 protected:
  std::vector<Seen> work() {
    std::vector<Seen> requests;
    for (const auto& seen : proxy_.trace()) {
      if (seen.is_work() && !is_heartbeat(seen)) requests.push_back(seen);
    }
    return requests;
  }

  std::vector<Op> ops() {
    std::vector<Op> list;
    for (const auto& seen : work()) list.push_back(seen.op);
    return list;
  }
};

TEST_F(Cost, an_uncontended_acquire_is_one_flight_and_a_release_one_request) {
  auto client = connect();
  auto mutex = client.mutex("a");
  mutex.lock();
  mutex.unlock();
  ASSERT_TRUE(empties("a"));
  proxy_.clear();
  // One flight: the second request leaves before the first is answered, however quick the server is.
  const auto created = proxy_.hold_reply({.op = Op::create2});
  auto acquiring = std::async(std::launch::async, [&] { return mutex.acquire(); });
  EXPECT_TRUE(eventually(kSoon, [&] { return proxy_.count_requests(Op::get_children) == 1; }));
  EXPECT_TRUE(created.wait_fired(kSoon));
  created.release();
  auto lease = acquiring.get();
  ASSERT_EQ(ops(), (std::vector{Op::create2, Op::get_children}));
  proxy_.clear();
  lease.release_for(kSoon);
  EXPECT_EQ(ops(), std::vector{Op::delete_node});
}

TEST_F(Cost, a_busy_try_is_one_read_and_no_write) {
  auto rival = connect_directly();
  auto lease = rival.mutex("a").acquire();
  auto client = connect();
  auto mutex = client.mutex("a");
  proxy_.clear();
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_EQ(ops(), std::vector{Op::get_children});
}

TEST_F(Cost, a_hand_over_needs_no_request_after_the_event) {
  auto rival = connect_directly();
  auto theirs = rival.mutex("a");
  auto lease = theirs.acquire();
  auto client = connect();
  auto mutex = client.mutex("a");
  proxy_.clear();
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return !server_.watches().empty(); }));
  EXPECT_EQ(ops(), (std::vector{Op::create2, Op::get_children, Op::get_data}));
  proxy_.clear();
  lease.release();
  auto mine = waiting.get();
  EXPECT_TRUE(work().empty()) << to_string(work().front());
}

// A heartbeat is one request, also of a client that holds ten thousand tickets: a thousand locks, and nine times a thousand permits.
TEST_F(Cost, ten_thousand_idle_holds_are_one_request_per_heartbeat) {
  constexpr std::size_t kLocks = 1'000;
  constexpr std::size_t kSemaphores = 9;
  constexpr std::size_t kPermits = 1'000;
  constexpr std::size_t kTickets = kLocks + kSemaphores * kPermits;
  auto client = connect({.session_timeout = 10s});
  std::vector<Lease> held;
  for (std::size_t i = 0; i < kLocks; ++i) held.push_back(client.mutex(fmt::format("locks/{}", i)).acquire());
  for (std::size_t i = 0; i < kSemaphores; ++i) {
    held.push_back(client.semaphore(fmt::format("permits/{}", i), kPermits).acquire(kPermits));
  }
  // What it costs once: a watch on each of them.
  ASSERT_TRUE(eventually(60s, [&] { return server_.own_watch_count() == kTickets; }));
  proxy_.clear();
  constexpr std::size_t kBeats = 5;
  const auto beats = [&] {
    return proxy_.count(
        [](const Seen& seen) { return seen.is_request() && seen.op == Op::exists && seen.path == "/"; });
  };
  ASSERT_TRUE(eventually(60s, [&] { return beats() >= kBeats; }));
  const auto others =
      proxy_.count([](const Seen& seen) { return seen.is_work() && !(seen.op == Op::exists && seen.path == "/"); });
  EXPECT_EQ(others, 0U);
  for (const auto& lease : held) ASSERT_TRUE(lease.is_held());
  // And nothing of it is left.
  held.clear();
  EXPECT_TRUE(eventually(60s, [&] { return parse_watches(server_.four_letter_word("wchp")).empty(); }));
}

// H7: Curator sent 1,538 requests for this.
TEST_F(Cost, fifty_threads_on_one_mutex_cost_at_most_one_request_per_hand_over) {
  constexpr int kThreads = 50;
  auto client = connect();
  auto mutex = client.mutex("a");
  std::atomic<int> entered = 0;
  proxy_.clear();
  mutex.lock();
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      mutex.lock();
      ++entered;
      mutex.unlock();
    });
  }
  mutex.unlock();
  threads.clear();
  ASSERT_EQ(entered, kThreads);
  ASSERT_TRUE(empties("a"));
  const auto requests = work().size();
  std::printf("%zu requests for %d hand-overs\n", requests, kThreads);
  EXPECT_LE(requests, static_cast<std::size_t>(kThreads));
}

TEST_F(Cost, nodes_are_ephemeral_and_sequential_and_each_waiter_watches_exactly_its_predecessor) {
  constexpr std::size_t kWaiters = 5;
  auto holder = connect_directly();
  auto held = holder.mutex("a");
  auto lease = held.acquire();
  std::vector<Client> clients;
  for (std::size_t i = 0; i < kWaiters; ++i) clients.push_back(connect_directly());
  std::vector<std::jthread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&client] { (void)client.mutex("a").acquire(); });
    ASSERT_TRUE(eventually(kSoon, [&] { return server_.watches().size() == threads.size(); }));
  }
  const auto nodes = tickets("a");
  ASSERT_EQ(nodes.size(), kWaiters + 1);
  const auto watches = server_.watches();
  ASSERT_EQ(watches.size(), kWaiters);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto path = "/a/" + nodes[i];
    Stat stat{};
    ASSERT_EQ(zoo_exists(observer_.handle(), path.c_str(), 0, &stat), ZOK);
    EXPECT_NE(stat.ephemeralOwner, 0) << path;
    EXPECT_EQ(std::stoull(nodes[i].substr(nodes[i].size() - 10)), i);
    if (i + 1 == nodes.size()) continue;  // nobody behind the last
    Stat next{};
    ASSERT_EQ(zoo_exists(observer_.handle(), ("/a/" + nodes[i + 1]).c_str(), 0, &next), ZOK);
    ASSERT_TRUE(watches.contains(path)) << path;
    EXPECT_EQ(watches.at(path), std::set{static_cast<SessionId>(next.ephemeralOwner)}) << path;
  }
  lease.release();
}

// CURATOR-107: 1,000 contended rounds leave no watch behind.
TEST_F(Cost, watches_do_not_pile_up) {
  auto a = connect_directly();
  auto b = connect_directly();
  const auto play = [](Client& client) {
    auto mutex = client.mutex("a");
    for (int round = 0; round < 500; ++round) {
      if (mutex.try_lock_for(1ms)) mutex.unlock();
    }
  };
  auto other = std::async(std::launch::async, [&] { play(a); });
  play(b);
  other.get();
  EXPECT_TRUE(empties("a"));
  EXPECT_TRUE(eventually(kSoon, [&] { return server_.watches().empty(); }));
}

// GH-1277: threads must not pile up.
TEST_F(Cost, opening_and_closing_clients_leaves_no_thread_behind) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  };
  { auto warm = connect_directly(); }
  const auto before = threads();
  for (int i = 0; i < 100; ++i) {
    auto client = connect_directly();
    auto mutex = client.mutex("a");
    const std::scoped_lock hold(mutex);
  }
  EXPECT_EQ(threads(), before);
}

// 1,000 x: the predecessor goes in the window between the list and the watch.
TEST_F(Cost, a_predecessor_that_goes_while_we_begin_to_listen_is_not_missed) {
  auto a = connect_directly({.hand_over = {.count = 0}});
  auto b = connect_directly({.hand_over = {.count = 0}});
  const auto play = [](Client& client) {
    auto mutex = client.mutex("a");
    for (int round = 0; round < 1'000; ++round) {
      auto result = mutex.try_acquire_for(20s);
      ASSERT_TRUE(result) << result.message();
    }
  };
  auto other = std::async(std::launch::async, [&] { play(a); });
  play(b);
  other.get();
}

}  // namespace
}  // namespace holdfast::testing
