// Redis with replicas and Sentinels, as a program sees it: the way to the master, and locks over a failover. Real servers throughout.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "holdfast/holdfast.h"
#include "loss.h"
#include "support/eventually.h"
#include "support/redis_failover.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 3s;
constexpr auto kSoon = RedisFailover::kFailoverTimeout;

ClientOptions options() {
  return {.session_timeout = kTimeout, .connection_timeout = 2s, .retry = RetryPolicy::forever(50ms)};
}
Client connect(const std::string& url) { return Client::connect_until(url, Clock::now() + kSoon, options()); }

TEST(RedisSentinel, leads_to_the_master) {
  RedisFailover servers({.replicas = 1, .sentinels = 3});
  auto client = connect(servers.url());
  auto lease = client.mutex("a").acquire();
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(servers.server(0).ask("EXISTS {holdfast}:m"), ":1\r\n");
}

TEST(RedisSentinel, may_be_out_of_reach_as_long_as_another_is_there) {
  RedisFailover servers({.replicas = 0, .sentinels = 3});
  servers.sentinel(0).kill();
  servers.sentinel(1).pause();
  auto client = connect(servers.url());
  EXPECT_TRUE(client.mutex("a").try_acquire_for(kSoon));
  servers.sentinel(1).resume();
}

TEST(RedisSentinel, that_does_not_know_the_master_is_refused_with_its_name) {
  RedisFailover servers;
  try {
    connect(fmt::format("redis+sentinel://{}/other", servers.sentinel_addresses()));
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_NE(std::string(error.what()).find("it does not know a master \"other\""), std::string::npos) << error.what();
  }
}

TEST(RedisSentinel, that_is_not_there_is_named) {
  RedisFailover servers;
  servers.sentinel(0).kill();
  auto impatient = options();
  impatient.connection_timeout = 500ms;
  try {
    Client::connect(servers.url(), impatient);
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_connected);
    EXPECT_NE(std::string(error.what())
                  .find(fmt::format("the Sentinel at {}: connection refused", servers.sentinel(0).address())),
              std::string::npos)
        << error.what();
  }
}

TEST(RedisSentinel, has_a_login_of_its_own) {
  RedisServer server;
  server.ask("CONFIG SET requirepass locks-secret");
  RedisServer sentinel({.sentinel = true,
                        .config_lines = {fmt::format("sentinel monitor locks 127.0.0.1 {} 1", server.port()),
                                         "sentinel auth-pass locks locks-secret"}});
  sentinel.ask("ACL SETUSER default >sentinels-secret");
  const auto url = fmt::format("redis+sentinel://:locks-secret@{}/locks", sentinel.address());
  auto with = options();
  const auto refused = [&](std::string_view because) {
    try {
      Client::connect(url, with);
      ADD_FAILURE() << "connected";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::refused) << error.what();
      EXPECT_NE(std::string(error.what()).find(because), std::string::npos) << error.what();
    }
  };
  refused("it wants a password; set sentinel_password");
  with.redis.sentinel_password = "guess";
  refused("it has refused the user or the password");
  with.redis.sentinel_password = "sentinels-secret";
  EXPECT_TRUE(Client::connect(url, with).mutex("a").try_acquire_for(kSoon));
}

// A Sentinel that was cut off during a failover still names the old master.
TEST(RedisSentinel, with_the_newest_configuration_is_believed) {
  RedisFailover servers({.replicas = 1, .sentinels = 1});
  RedisServer behind(
      {.sentinel = true,
       .config_lines = {fmt::format("sentinel monitor locks 127.0.0.1 {} 9", servers.server(0).port())}});
  behind.pause();  // until it is known that the others have a new master
  const auto master = servers.fail_over();
  behind.resume();
  auto client = connect(fmt::format("redis+sentinel://{},{}/locks", behind.address(), servers.sentinel(0).address()));
  EXPECT_TRUE(client.mutex("a").try_acquire_for(kSoon));
  EXPECT_NE(servers.server(master).ask("CLIENT LIST").find("name=holdfast"), std::string::npos);
}

// ------------------------------------------------------------------------------------------------------------------- failovers

TEST(RedisFailover, after_kill_9_of_the_master_passes_locks_on_once_their_holders_have_lost_them) {
  RedisFailover servers({.replicas = 1, .sentinels = 3});
  auto holder = connect(servers.url());
  auto rival = connect(servers.url());
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  servers.server(0).kill();
  expect_passed_on(rival, "a", lease, loss, kSoon);
  EXPECT_EQ(servers.master(), 1U);
  EXPECT_TRUE(holder.mutex("b").try_acquire_for(kSoon)) << "the old holder goes on with a new session";
}

TEST(RedisFailover, that_an_operator_asks_for_passes_locks_on_once_their_holders_have_lost_them) {
  RedisFailover servers({.replicas = 1, .sentinels = 1});
  auto holder = connect(servers.url());
  auto rival = connect(servers.url());
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  EXPECT_EQ(servers.fail_over(), 1U);
  expect_passed_on(rival, "a", lease, loss, kSoon);
}

// The old master thinks that no time has passed, and answers until it is told that it is a replica.
TEST(RedisFailover, of_a_master_that_was_stopped_passes_locks_on_once_their_holders_have_lost_them) {
  RedisFailover servers({.replicas = 1, .sentinels = 3});
  auto holder = connect(servers.url());
  auto rival = connect(servers.url());
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  servers.server(0).pause();
  EXPECT_EQ(servers.wait_for_master_other_than(0), 1U);
  servers.server(0).resume();
  expect_passed_on(rival, "a", lease, loss, kSoon);
}

// The replica was cut off before, so that it knows neither the ticket nor the session.
TEST(RedisFailover, to_a_replica_that_missed_the_ticket_lets_no_client_in_before_its_holder_has_lost_it) {
  RedisFailover servers({.replicas = 1, .sentinels = 1, .down_after = 3s, .relayed = true});
  auto rival = connect(servers.url());
  const auto before = rival.mutex("a").acquire().token();
  ASSERT_TRUE(
      eventually(kSoon, [&] { return servers.server(0).ask("INFO replication").find("lag=0") != std::string::npos; }));
  servers.relay().stall();
  // On the old master's side of the partition, just before it dies.
  auto holder = connect("redis://" + servers.server(0).address());
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  EXPECT_GT(lease.token(), before);
  servers.server(0).kill();
  servers.relay().cut_all();
  expect_passed_on(rival, "a", lease, loss, kSoon);
}

// ----------------------------------------------------------------------------------------------------------------- two masters

// docs/backends/redis.md: what it takes that an old master which is cut off does not go on beside the new one. Two replicas, because the new
// master needs one as well.
TEST(RedisFailover, of_a_master_that_stops_without_its_replicas_passes_locks_on_once_their_holders_have_lost_them) {
  RedisFailover servers({.replicas = 2,
                         .sentinels = 1,
                         .down_after = 6s,
                         .relayed = true,
                         .config_lines = {"min-replicas-to-write 1", "min-replicas-max-lag 2"}});
  auto rival = connect(servers.url());
  auto holder = connect("redis://" + servers.server(0).address());  // it stays on the old master's side
  auto lease = holder.mutex("a").acquire();
  Loss loss(lease);
  servers.relay().stall();
  servers.wait_for_master_other_than(0);
  expect_passed_on(rival, "a", lease, loss, kSoon);
  servers.relay().cut_all();
  servers.relay().heal();
}

// The row of the table that says so: without that setting two clients hold one lock, each on a master of its own.
TEST(RedisFailover, of_a_master_that_goes_on_without_its_replicas_gives_one_lock_to_two_clients) {
  RedisFailover servers({.replicas = 1, .sentinels = 1, .down_after = 1s, .relayed = true});
  auto rival = connect(servers.url());
  auto holder = connect("redis://" + servers.server(0).address());
  auto lease = holder.mutex("a").acquire();
  servers.relay().stall();
  EXPECT_EQ(servers.wait_for_master_other_than(0), 1U);
  auto other = rival.mutex("a").try_acquire_for(kSoon);
  ASSERT_TRUE(other) << other.message();
  EXPECT_TRUE(lease.is_held());
  EXPECT_GT(other.lease().token(), lease.token()) << "but a fence knows which is the newer one";
  // When the old master hears of the new one, its clients are told.
  servers.relay().cut_all();
  servers.relay().heal();
  EXPECT_TRUE(eventually(kSoon, [&] { return !lease.is_held(); }));
  EXPECT_TRUE(other.lease().is_held());
}

}  // namespace
}  // namespace holdfast::testing
