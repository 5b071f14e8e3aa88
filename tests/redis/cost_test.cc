// docs/backends/redis.md, "Costs": counted by the server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/redis_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoon = 60s;

// How often a command was executed, by clients and by scripts.
std::size_t calls_of(const std::string& stats, const std::string& command) {
  const auto what = "cmdstat_" + command + ":calls=";
  const auto at = stats.find(what);
  return at == std::string::npos ? 0 : std::stoul(stats.substr(at + what.size()));
}

TEST(RedisCost, of_a_hundred_waiters_and_ten_thousand_holds_is_one_script_for_each_client_and_beat) {
  constexpr std::size_t kWaiters = 100;
  constexpr std::size_t kHolds = 10'000;
  constexpr auto kSession = 12s;
  constexpr auto kWait = 10s;
  RedisServer server;
  const auto connect = [&] {
    return Client::connect_until("redis://" + server.address(), Clock::now() + kSoon, {.session_timeout = kSession});
  };
  auto holder = connect();
  std::vector<Lease> held;
  for (std::size_t i = 0; i < kHolds; ++i) held.push_back(holder.mutex(fmt::format("held/{}", i)).acquire());
  std::list<Client> waiters;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kWaiters; ++i) {
    waiters.push_back(connect());
    threads.emplace_back([&client = waiters.back()] { EXPECT_TRUE(client.mutex("held/0").try_acquire_for(kSoon)); });
  }
  // Each waiter listens to the ticket before its own, and every client to its own tickets.
  const auto listeners = fmt::format(":{}\r\n", kHolds + 2 * kWaiters);
  ASSERT_TRUE(eventually(kSoon, [&] { return server.ask("ZCARD {holdfast}:w") == listeners; }))
      << server.ask("ZCARD {holdfast}:w");
  server.ask("CONFIG RESETSTAT");
  std::this_thread::sleep_for(kWait);  // what is measured
  const auto stats = server.ask("INFO commandstats");
  constexpr auto kBeats = kWait / (kSession / 6);
  const auto scripts = calls_of(stats, "evalsha");
  EXPECT_GE(scripts, (kWaiters + 1) * (kBeats - 2)) << stats;
  EXPECT_LE(scripts, (kWaiters + 1) * (kBeats + 2)) << stats;
  EXPECT_EQ(calls_of(stats, "info"), 2 * scripts) << "all of them were beats\n" << stats;
  for (const auto* other : {"publish", "subscribe", "ping", "hget|", "hello", "script|load"}) {
    EXPECT_EQ(calls_of(stats, other), 0U) << other;
  }
  for (const auto& lease : held) ASSERT_TRUE(lease.is_held());
  held.clear();
}

}  // namespace
}  // namespace holdfast::testing
