// docs/semantics.md, "Loss": the holder knows before anybody else can be granted.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>
#include <random>
#include <thread>

#include "network.h"

namespace holdfast::testing {
namespace {

using Partition = Network;

// A holder behind a proxy of its own, and a rival that waits for the same name on a good line.
struct Duel {
  Duel(const ZooKeeperServer& server, std::string lock_name, std::chrono::milliseconds session)
      : name(std::move(lock_name)),
        proxy(server.port()),
        holder(Client::connect("zk://" + proxy.address(), {.session_timeout = session})),
        rival(Client::connect("zk://" + server.address(), {.session_timeout = session})) {
    lease = mutex.acquire();
    on_loss.emplace(lease.lost(), [this] { lost_at.store(Clock::now().time_since_epoch().count()); });
    waiting = std::async(std::launch::async, [this] {
      auto theirs = rivals.acquire();
      granted_at = Clock::now();
      return theirs.token();
    });
  }

  std::string name;
  FaultProxy proxy;
  Client holder;
  Client rival;
  Mutex mutex = holder.mutex(name);
  Mutex rivals = rival.mutex(name);
  Lease lease;
  std::atomic<Clock::rep> lost_at = 0;
  std::optional<std::stop_callback<std::function<void()>>> on_loss;
  Clock::time_point granted_at{};
  std::future<Token> waiting;
};

// H5, 20 of 20. The partitions begin at different moments of the heartbeat.
TEST_F(Partition, a_silent_one_is_noticed_before_the_rival_is_granted) {
  constexpr int kRuns = 20;
  std::vector<std::unique_ptr<Duel>> duels;
  for (int i = 0; i < kRuns; ++i) duels.push_back(std::make_unique<Duel>(server_, fmt::format("duel/{}", i), 6s));
  for (auto& duel : duels) ASSERT_TRUE(eventually(kSoon, [&] { return tickets(duel->name).size() == 2; }));

  std::mt19937 random(20);
  const auto begin = Clock::now();
  std::vector<std::chrono::milliseconds> when(kRuns);
  for (auto& each : when) each = std::chrono::milliseconds(std::uniform_int_distribution(0, 2'000)(random));
  std::vector<std::size_t> order(kRuns);
  for (std::size_t i = 0; i < kRuns; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return when[a] < when[b]; });
  for (const auto i : order) {
    std::this_thread::sleep_until(std::chrono::steady_clock::now() +
                                  (begin + when[i] - Clock::now()));  // the moment is the test's input
    duels[i]->proxy.black_hole();
  }

  Clock::duration closest = 1h;
  for (auto& duel : duels) {
    ASSERT_EQ(duel->waiting.wait_for(30s), std::future_status::ready) << duel->name;
    const auto token = duel->waiting.get();
    ASSERT_NE(duel->lost_at.load(), 0) << duel->name << ": the rival was granted and the holder does not know";
    const Clock::time_point lost{Clock::duration(duel->lost_at.load())};
    EXPECT_LT(lost, duel->granted_at) << duel->name;
    closest = std::min(closest, duel->granted_at - lost);
    EXPECT_FALSE(duel->lease.is_held());
    EXPECT_FALSE(duel->mutex.is_held_by_this_thread());
    EXPECT_EQ(duel->mutex.try_acquire().error(), Errc::session_lost);  // no way back in
    EXPECT_GT(token, duel->lease.token());
    Fence fence;
    EXPECT_TRUE(fence.admit(token));
    EXPECT_FALSE(fence.admit(duel->lease.token()));
    EXPECT_EQ(duel->lease.release(), Errc::session_lost);
  }
  std::printf("closest call: lost %.0f ms before the rival was granted\n",
              std::chrono::duration<double, std::milli>(closest).count());
}

// Half a partition is the nasty kind: the server hears our pings, so the session lives, and we hear nothing.
TEST_F(Partition, a_holder_that_hears_nothing_gives_up_though_the_server_hears_it) {
  auto client = connect({.session_timeout = 3s});
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  proxy_.black_hole_server_to_client();
  EXPECT_TRUE(eventually(4s, [&] { return lease.lost().stop_requested(); }));
  proxy_.heal();
  EXPECT_TRUE(empties("a", 15s));  // its ticket does not stay
}

// H2: never an acquire on a ticket of an older session.
TEST_F(Partition, a_waiter_whose_session_was_replaced_queues_again_with_the_new_one) {
  auto rival = connect_directly({.session_timeout = 20s});
  auto theirs = rival.mutex("a");
  auto lease = theirs.acquire();
  auto client = connect({.session_timeout = 2s, .retry = RetryPolicy::forever(50ms)});
  auto mutex = client.mutex("a");
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));
  const auto old_ticket = tickets("a").back();
  proxy_.black_hole();
  ASSERT_TRUE(eventually(15s, [&] { return tickets("a").size() == 1; }));  // the server has given it up
  proxy_.heal();
  ASSERT_TRUE(eventually(15s, [&] { return tickets("a").size() == 2; }));
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
  lease.release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  const auto mine = waiting.get();
  EXPECT_FALSE(mine.ticket().ends_with(old_ticket));
  EXPECT_TRUE(mine.is_held());
}

// CURATOR-405, -525, -561: exactly one "lost" for an outage, and always "reconnected" after it.
TEST_F(Partition, each_outage_is_lost_once_and_healed_once) {
  std::mutex guard;
  std::vector<ConnectionState> heard;
  auto client = connect({.session_timeout = 2s, .listener = [&](ConnectionState state) {
                           const std::lock_guard lock(guard);
                           heard.push_back(state);
                         }});
  using enum ConnectionState;
  std::vector expected{connected};
  for (int outage = 0; outage < 2; ++outage) {
    proxy_.black_hole();
    ASSERT_TRUE(eventually(kSoon, [&] { return client.state() == lost; }));
    proxy_.heal();
    ASSERT_TRUE(eventually(kSoon, [&] { return client.state() == reconnected; }));
    expected.insert(expected.end(), {jeopardy, lost, reconnected});
    auto mutex = client.mutex("a");
    EXPECT_TRUE(mutex.try_lock_for(kSoon));
    mutex.unlock();
  }
  ASSERT_TRUE(eventually(kSoon, [&] {
    const std::lock_guard lock(guard);
    return heard.size() == expected.size();
  }));
  const std::lock_guard lock(guard);
  EXPECT_EQ(heard, expected);
}

// The server restarts and re-arms every session: it lives on although we have given up our holds.
TEST_F(Partition, what_was_lost_stays_lost_when_the_session_comes_back) {
  auto client = connect({.session_timeout = 2s});
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  server_.pause();
  ASSERT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  server_.resume();
  EXPECT_FALSE(lease.is_held());
  EXPECT_EQ(lease.release(), Errc::session_lost);
  EXPECT_TRUE(mutex.try_lock_for(20s));  // and the ticket of the lost hold does not stand in the way
  EXPECT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 1; }));
  mutex.unlock();
}

}  // namespace
}  // namespace holdfast::testing
