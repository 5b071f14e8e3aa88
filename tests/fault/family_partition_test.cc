// docs/semantics.md, "Loss" and "Death", for readers, permits and several names at once; and waits for permits that go on after
// an outage.
#include <fmt/format.h>

#include <future>
#include <memory>
#include <optional>

#include "family_network.h"

namespace holdfast::testing {
namespace {

using FamilyPartition = FamilyNetwork;
using Acquire = std::function<Lease(Client&, const std::string& name)>;

// A holder behind a proxy of its own, and a rival on a good line that waits for what the holder has.
struct Duel {
  Duel(const ZooKeeperServer& server, std::string lock_name, const Acquire& hold, Acquire want)
      : name(std::move(lock_name)),
        proxy(server.port()),
        holder(Client::connect("zk://" + proxy.address(), {.session_timeout = 3s})),
        rival(Client::connect("zk://" + server.address(), {.session_timeout = 3s})) {
    lease = hold(holder, name);
    on_loss.emplace(lease.lost(), [this] { lost_at.store(Clock::now().time_since_epoch().count()); });
    waiting = std::async(std::launch::async, [this, want = std::move(want)] {
      const auto theirs = want(rival, name);
      granted_at = Clock::now();
    });
  }

  std::string name;
  FaultProxy proxy;
  Client holder;
  Client rival;
  Lease lease;
  std::atomic<Clock::rep> lost_at = 0;
  std::optional<std::stop_callback<std::function<void()>>> on_loss;
  Clock::time_point granted_at{};
  std::future<void> waiting;
};

// All at once, so that many rounds take no longer than one.
void expect_loss_before_grant(const ZooKeeperServer& server, const std::string& kind, const Acquire& hold,
                              const Acquire& want) {
  constexpr int kRounds = 5;
  std::vector<std::unique_ptr<Duel>> duels;
  for (int i = 0; i < kRounds; ++i) {
    duels.push_back(std::make_unique<Duel>(server, fmt::format("{}/{}", kind, i), hold, want));
  }
  ASSERT_TRUE(eventually(kSoon, [&] { return server.watch_count() == kRounds; }));
  for (auto& duel : duels) duel->proxy.black_hole();
  for (auto& duel : duels) {
    ASSERT_EQ(duel->waiting.wait_for(30s), std::future_status::ready) << duel->name;
    ASSERT_NE(duel->lost_at.load(), 0) << duel->name << ": the rival was granted and the holder does not know";
    EXPECT_LT(Clock::time_point{Clock::duration(duel->lost_at.load())}, duel->granted_at) << duel->name;
    EXPECT_FALSE(duel->lease.is_held());
    EXPECT_EQ(duel->lease.release(), Errc::session_lost);
  }
}

TEST_F(FamilyPartition, of_a_reader_is_noticed_before_the_writer_is_granted) {
  expect_loss_before_grant(
      server_, "read", [](Client& client, const auto& name) { return client.shared_mutex(name).acquire_shared(); },
      [](Client& client, const auto& name) { return client.shared_mutex(name).acquire(); });
}

TEST_F(FamilyPartition, of_who_has_permits_is_noticed_before_they_are_granted_to_another) {
  const Acquire both = [](Client& client, const auto& name) { return client.semaphore(name, 2).acquire(2); };
  expect_loss_before_grant(server_, "permits", both, both);
}

TEST_F(FamilyPartition, of_who_holds_several_names_is_noticed_before_one_of_them_is_granted) {
  expect_loss_before_grant(
      server_, "several",
      [](Client& client, const auto& name) {
        return client.multi_lock({{name + "/a"}, {name + "/b"}, {name + "/c"}}).acquire();
      },
      [](Client& client, const auto& name) { return client.mutex(name + "/b").acquire(); });
}

// H2 for permits; and the count still wakes it.
TEST_F(FamilyPartition, a_wait_for_permits_goes_on_with_the_next_session_and_still_hears_of_the_count) {
  auto rival = connect_directly({.session_timeout = 20s});
  auto count = rival.shared_count("s/count", 1);
  auto lease = rival.semaphore("s", count).acquire();
  auto client = connect({.session_timeout = 2s, .retry = RetryPolicy::forever(50ms)});
  auto waiting = std::async(std::launch::async, [&] {
    return client.semaphore("s", client.shared_count("s/count", 1)).try_acquire_for(40s);
  });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("s/leases").size() == 2; }));
  const auto old_ticket = tickets("s/leases").back();
  proxy_.black_hole();
  ASSERT_TRUE(eventually(15s, [&] { return tickets("s/leases").size() == 1; }));  // the server has given it up
  proxy_.heal();
  ASSERT_TRUE(eventually(15s, [&] { return tickets("s/leases").size() == 2; }));
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
  count.set(2);
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  auto result = waiting.get();
  ASSERT_TRUE(result) << result.message();
  EXPECT_FALSE(result.lease().ticket().ends_with(old_ticket));
  EXPECT_TRUE(lease.is_held());
}

TEST_F(FamilyPartition, a_server_restart_is_survived_by_who_waits_for_permits) {
  auto first = connect_directly({.session_timeout = 20s, .retry = RetryPolicy::forever(50ms)});
  auto second = connect_directly({.session_timeout = 20s, .retry = RetryPolicy::forever(50ms)});
  auto lease = first.semaphore("s", 1).acquire();
  auto waiting = std::async(std::launch::async, [&] { return second.semaphore("s", 1).try_acquire_for(60s); });
  ASSERT_TRUE(eventually(kSoon, [&] { return server_.watch_count() == 1; }));
  server_.restart();
  EXPECT_EQ(lease.release_for(40s), std::error_code());
  ASSERT_EQ(waiting.wait_for(40s), std::future_status::ready);
  auto result = waiting.get();
  EXPECT_TRUE(result) << result.message();
}

}  // namespace
}  // namespace holdfast::testing
