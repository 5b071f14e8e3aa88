// What happens to locks when Redis is stopped, killed, emptied, filled, or when their holder stands still: real servers, real processes. Never two
// holders, and who has lost a lock knows it before another is granted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "holdfast/holdfast.h"
#include "loss.h"
#include "support/eventually.h"
#include "support/oracle.h"
#include "support/peer.h"
#include "support/redis_server.h"
#include "support/socket_client.h"
#include "support/tcp_relay.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 2s;
constexpr auto kSoon = 60s;

ClientOptions options(std::chrono::milliseconds session_timeout = kTimeout) {
  return {.session_timeout = session_timeout, .connection_timeout = 1s, .retry = RetryPolicy::forever(20ms)};
}
Client connect(const std::string& address, std::chrono::milliseconds session_timeout = kTimeout) {
  return Client::connect_until("redis://" + address, Clock::now() + kSoon, options(session_timeout));
}
Client connect(const RedisServer& server) { return connect(server.address()); }

// --------------------------------------------------------------------------------------------------------- the server is broken

class RedisFault : public ::testing::TestWithParam<RedisKeeps> {
 protected:
  RedisServer server_{{.keeps = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(keeps, RedisFault, ::testing::Values(RedisKeeps::nothing, RedisKeeps::all),
                         [](const auto& keeps) {
                           return std::string(keeps.param == RedisKeeps::all ? "all" : "nothing");
                         });

// The rival was there before, too. Without data, its session tells it that there was a restart.
TEST_P(RedisFault, kill_9_and_restart_of_the_server_passes_a_lock_on_once_its_holder_has_lost_it) {
  for (int round = 0; round < 3; ++round) {
    auto holder = connect(server_);
    auto rival = connect(server_);
    auto lease = holder.mutex("a").acquire();
    Loss loss(lease);
    server_.kill();
    server_.restart();
    expect_passed_on(rival, "a", lease, loss, kSoon);
  }
}

TEST_P(RedisFault, a_server_that_stands_still_past_the_session_passes_a_lock_on_to_one) {
  auto holder = connect(server_);
  auto rival = connect(server_);
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  server_.pause();
  ASSERT_TRUE(eventually(kSoon, [&] { return loss.at().has_value(); }));
  server_.resume();
  expect_passed_on(rival, "a", lease, loss, kSoon);
}

class RedisTrouble : public ::testing::Test {
 protected:
  explicit RedisTrouble(const RedisOptions& options = {}) : server_(options) {}

  RedisServer server_;
};

TEST_F(RedisTrouble, client_pause_past_the_session_passes_a_lock_on_once_its_holder_has_lost_it) {
  auto holder = connect(server_);
  auto rival = connect(server_);
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  // Not by ask(), whose QUIT waits for the end of the pause.
  SocketClient to_pause(server_.port());
  ASSERT_TRUE(to_pause.send("CLIENT PAUSE 4000\r\n"));
  ASSERT_EQ(to_pause.receive(5), "+OK\r\n");
  ASSERT_TRUE(eventually(kSoon, [&] { return loss.at().has_value(); }));
  expect_passed_on(rival, "a", lease, loss, kSoon);
}

TEST_F(RedisTrouble, a_shorter_stop_of_the_server_costs_no_lock) {
  auto holder = connect(server_.address(), 20s);
  auto lease = holder.mutex("a").acquire();
  server_.pause();
  std::this_thread::sleep_for(2s);  // the stop itself, not a wait for something
  server_.resume();
  EXPECT_FALSE(lease.release_for(kSoon));
}

TEST_F(RedisTrouble, client_kill_costs_no_lock) {
  auto holder = connect(server_.address(), 20s);
  auto lease = holder.mutex("a").acquire();
  auto rival = connect(server_.address(), 20s);
  auto waiting = std::async(std::launch::async, [&] { return rival.mutex("a").try_acquire_for(kSoon); });
  ASSERT_TRUE(eventually(kSoon, [&] { return server_.ask("ZCARD {holdfast}:w") == ":1\r\n"; }));
  server_.ask("CLIENT KILL TYPE normal");
  server_.ask("CLIENT KILL TYPE pubsub");
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.release_for(kSoon));
  EXPECT_TRUE(waiting.get());
}

TEST_F(RedisTrouble, flushall_is_noticed_by_the_holder_and_by_who_waits) {
  auto holder = connect(server_);
  auto rival = connect(server_);
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  auto waiting = std::async(std::launch::async, [&] { return rival.mutex("a").try_acquire_for(kSoon); });
  ASSERT_TRUE(eventually(kSoon, [&] { return server_.ask("ZCARD {holdfast}:w") == ":1\r\n"; }));
  server_.ask("FLUSHALL");
  auto result = waiting.get();
  const auto granted = Clock::now();
  // A waiter whose session has ended is told so, and may come again.
  if (result) {
    EXPECT_LT(loss.at().value_or(Clock::time_point::max()), granted);
    EXPECT_GT(result.lease().token(), lease.token());
  } else {
    EXPECT_EQ(result.error(), Errc::session_lost) << result.message();
    expect_passed_on(rival, "a", lease, loss, kSoon);
  }
}

TEST_F(RedisTrouble, full_memory_lets_holders_go_on_and_release_and_makes_others_wait) {
  auto holder = connect(server_);
  auto rival = connect(server_);
  auto lease = holder.mutex("a").acquire();
  server_.ask("CONFIG SET maxmemory 1");
  auto waiting = std::async(std::launch::async, [&] { return rival.mutex("a").try_acquire_for(kSoon); });
  const auto full = Clock::now();
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.valid_until() > full + 2 * kTimeout; })) << "beats go through";
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.release_for(kSoon));
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout) << "nothing new is made on a full server";
  server_.ask("CONFIG SET maxmemory 0");
  EXPECT_TRUE(waiting.get());
}

TEST_F(RedisTrouble, a_script_that_does_not_end_costs_locks_and_no_exclusion) {
  auto holder = connect(server_);
  auto rival = connect(server_);
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  server_.ask("CONFIG SET busy-reply-threshold 100");
  auto forever = std::async(std::launch::async, [&] { return server_.ask("EVAL \"while true do end\" 0"); });
  ASSERT_TRUE(eventually(kSoon, [&] { return loss.at().has_value(); }));
  EXPECT_TRUE(eventually(kSoon, [&] { return server_.ask("SCRIPT KILL") == "+OK\r\n"; }));
  forever.get();
  expect_passed_on(rival, "a", lease, loss, kSoon);
}

// ------------------------------------------------------------------------------------------------------- the network is broken

// Twenty of twenty: each holder has a client of its own, all behind one network.
TEST_F(RedisTrouble, twenty_holders_behind_a_silent_network_lose_before_their_rivals_are_granted) {
  constexpr std::size_t kHolders = 20;
  TcpRelay relay(server_.port());
  auto rival = connect(server_);
  std::list<Client> holders;
  std::list<Lease> leases;
  std::list<Loss> losses;
  std::vector<std::future<void>> successions;
  for (std::size_t i = 0; i < kHolders; ++i) {
    holders.push_back(connect(fmt::format("127.0.0.1:{}", relay.port())));
    leases.push_back(holders.back().mutex(fmt::format("a{}", i)).acquire());
    losses.emplace_back(leases.back());
  }
  relay.stall();
  auto lost = losses.begin();
  for (const auto& lease : leases) {
    successions.push_back(std::async(std::launch::async, [&, &loss = *lost, i = successions.size()] {
      expect_passed_on(rival, fmt::format("a{}", i), lease, loss, kSoon);
    }));
    ++lost;
  }
  for (auto& each : successions) each.get();
  relay.heal();
  for (const auto& lease : leases) EXPECT_FALSE(lease.is_held()) << "nothing that arrives late revives it";
  EXPECT_TRUE(holders.front().mutex("b").try_acquire_for(kSoon));
}

// ------------------------------------------------------------------------------------------------------------ a client is broken

class RedisPeers : public RedisTrouble {
 protected:
  using RedisTrouble::RedisTrouble;
  std::vector<std::string> worker_arguments(std::chrono::milliseconds session) const {
    return {HOLDFAST_LOCK_WORKER, "redis://" + server_.address(), "/a", std::to_string(session.count())};
  }
  Peer worker(std::chrono::milliseconds session) const { return Peer(worker_arguments(session), "worker"); }
  const TempDir directory_{"redis-oracle"};
};

TEST_F(RedisPeers, a_killed_holder_is_succeeded_within_its_session_and_a_third) {
  for (int round = 0; round < 3; ++round) {
    auto holder = worker(kTimeout);
    holder.acquire();
    auto rival = connect(server_);
    auto waiting = std::async(std::launch::async, [&] { return rival.mutex("a").try_acquire_for(kSoon); });
    ASSERT_TRUE(eventually(kSoon, [&] { return server_.ask("ZCARD {holdfast}:w") == ":1\r\n"; }));
    holder.kill9();
    const auto killed = Clock::now();
    auto result = waiting.get();
    const auto took = Clock::now() - killed;
    ASSERT_TRUE(result) << result.message();
    std::printf("granted %.0f ms after kill -9, session %lld ms\n",
                std::chrono::duration<double, std::milli>(took).count(),
                static_cast<long long>(std::chrono::milliseconds(kTimeout).count()));
    // Its fifth, a beat of the rival, and a starved machine.
    EXPECT_LT(took, kTimeout * 6 / 5 + kTimeout / 6 + 2s);
  }
}

TEST_F(RedisPeers, a_holder_that_stood_still_past_its_session_is_told_and_what_it_sends_late_does_nothing) {
  auto holder = worker(kTimeout);
  const Token late = std::stoull(holder.acquire());
  auto rival = connect(server_);
  holder.pause();
  auto result = rival.mutex("a").try_acquire_for(kSoon);
  ASSERT_TRUE(result) << result.message();
  EXPECT_GT(result.lease().token(), late);
  holder.resume();
  EXPECT_TRUE(eventually(kSoon, [&] { return holder.lost_at().has_value(); }));
  EXPECT_TRUE(result.lease().is_held());
  EXPECT_EQ(rival.inspect("a").tickets.size(), 1U);
}

// With an oracle that sees overlaps, while the server forgets its scripts, ends connections, and stands still.
TEST_F(RedisPeers, of_a_crowd_take_turns_while_the_server_is_troubled) {
  constexpr std::size_t kPeers = 4;
  constexpr std::size_t kRounds = 150;
  std::vector<std::unique_ptr<Peer>> peers;
  for (std::size_t i = 0; i < kPeers; ++i) peers.push_back(std::make_unique<Peer>(worker_arguments(20s), "worker"));
  for (std::size_t i = 0; i < kPeers; ++i) peers[i]->start_rounds(kRounds, directory_.path(), fmt::format("p{}", i));
  const Oracle oracle(directory_.path());
  for (int trouble = 0; oracle.grants().size() < kPeers * kRounds; ++trouble) {
    switch (trouble % 4) {
      case 0: server_.ask("SCRIPT FLUSH"); break;
      case 1: server_.ask("CLIENT KILL TYPE normal"); break;
      case 2: server_.ask("CLIENT KILL TYPE pubsub"); break;
      default: server_.ask("CLIENT PAUSE 50"); break;
    }
    const auto before = oracle.grants().size();
    ASSERT_TRUE(eventually(kSoon, [&] { return oracle.grants().size() >= std::min(before + 20, kPeers * kRounds); }))
        << "nothing goes on after trouble " << trouble;
  }
  for (auto& peer : peers) peer->finish_rounds(kSoon);
  EXPECT_TRUE(oracle.overlaps().empty()) << oracle.overlaps().front();
  // Tokens in the order of the grants.
  Token last = 0;
  for (const auto& grant : oracle.grants()) {
    EXPECT_GT(std::stoull(grant.token), last) << grant.id;
    last = std::stoull(grant.token);
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return server_.ask("ZCARD {holdfast}:q") == ":0\r\n"; }));
}

// ------------------------------------------------------------------------------------------------- the server's clock is wrong

// docs/adr/0026: sessions do not end by it.
class RedisClock : public RedisPeers {
 protected:
  RedisClock() : RedisPeers(RedisOptions{.settable_clock = true}) {}
};

TEST_F(RedisClock, that_jumps_by_hours_ends_no_hold_and_lets_no_rival_in) {
  auto holder = connect(server_);
  auto rival = connect(server_);
  auto lease = holder.mutex("a").acquire();
  auto waiting = std::async(std::launch::async, [&] { return rival.mutex("a").try_acquire_for(kSoon); });
  ASSERT_TRUE(eventually(kSoon, [&] { return server_.ask("ZCARD {holdfast}:w") == ":1\r\n"; }));
  for (const auto ahead : {1h, 25h, -2h}) {
    server_.set_clock(ahead);
    const auto jumped = Clock::now();
    EXPECT_TRUE(eventually(kSoon, [&] { return lease.valid_until() > jumped + kTimeout; })) << "beats go through";
  }
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
  const auto before = lease.token();
  lease.release();
  auto result = waiting.get();
  ASSERT_TRUE(result) << result.message();
  EXPECT_GT(result.lease().token(), before) << "although the clock is 27 hours behind what it was";
}

TEST_F(RedisClock, that_jumps_backwards_delays_no_successor_of_a_killed_holder_and_forwards_brings_none_early) {
  for (const auto ahead : {-1h, 1h}) {
    auto holder = worker(kTimeout);
    auto rival = connect(server_);
    holder.acquire();
    const auto died = Clock::now();
    holder.kill9();
    server_.set_clock(ahead);
    auto result = rival.mutex("a").try_acquire_for(kSoon);
    ASSERT_TRUE(result) << result.message();
    // What it believed when it died was that, at least from when it had acquired.
    EXPECT_GT(Clock::now() - died, kTimeout / 2);
    EXPECT_LT(Clock::now() - died, kTimeout * 6 / 5 + kTimeout / 6 + 2s);
  }
}

}  // namespace
}  // namespace holdfast::testing
