// One life of an engine after the other: what was told in one is never contradicted in the next.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "server/runtime.h"
#include "session_client.h"
#include "support/eventually.h"
#include "support/simulated_disk.h"

namespace holdfast::testing::asking {
namespace {

using server::Runtime;

constexpr std::chrono::milliseconds kLong{60'000};

class EngineLives : public ::testing::Test {
 protected:
  void begin_life() {
    ASSERT_NO_FATAL_FAILURE(end_life());
    options_.data_dir = "/data";
    options_.listen = {Listen{}};
    auto started = Runtime::start(options_, disk_.get());
    ASSERT_TRUE(started) << started.error();
    runtime_ = std::move(*started);
    const auto& address = runtime_->addresses().front();
    port_ = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  }
  // As kill -9 would.
  void end_life() { runtime_.reset(); }
  void lose_power() {
    end_life();
    disk_->crash();
  }

  std::unique_ptr<SimulatedDisk> disk_ = std::make_unique<SimulatedDisk>(1);
  EngineOptions options_{.max_session_timeout = kLong};
  std::unique_ptr<Runtime> runtime_;
  std::uint16_t port_ = 0;
};

// Writes that fail have zxids as well, which are told and not in the log.
TEST_F(EngineLives, give_out_no_zxid_twice_although_nothing_is_written_in_one_of_them) {
  begin_life();
  auto client = std::make_unique<SessionClient>(port_);
  ASSERT_TRUE(client->call(create("/d")).ok());
  for (int life = 2; life < 6; ++life) {
    SCOPED_TRACE(life);
    const auto who = client->who();
    begin_life();
    client = std::make_unique<SessionClient>(port_, who);
    ASSERT_TRUE(client->accepted()) << "it has seen more than the server has told anybody";
    for (int i = 0; i < 10; ++i) {
      const auto answer = client->call(remove("/not-there"));
      EXPECT_EQ(answer.err, -101);
      EXPECT_GT(answer.zxid, who.last_zxid);
    }
  }
}

TEST_F(EngineLives, give_out_larger_tokens_although_the_power_took_the_log_of_one_of_them) {
  options_.durability = Durability::process;
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    end_life();
    disk_ = std::make_unique<SimulatedDisk>(seed);
    begin_life();
    ASSERT_TRUE(SessionClient(port_).call(create("/first")).ok());
    begin_life();
    SessionClient holder(port_);
    ASSERT_TRUE(holder.call(create("/ticket")).ok());
    const auto token = parse_data(holder.call(get_data("/ticket")).body).czxid;
    lose_power();
    begin_life();
    SessionClient next(port_);
    if (!next.call(create("/ticket")).ok()) continue;  // it was kept
    ++lost;
    EXPECT_GT(parse_data(next.call(get_data("/ticket")).body).czxid, token);
  }
  EXPECT_GT(lost, 0U) << "nothing was ever lost: nothing was shown";
}

// Otherwise the log grows with every crash, and so does the time that the next start takes.
TEST_F(EngineLives, that_are_short_take_snapshots_too) {
  options_.snapshot_after = 10;
  for (int life = 1; life <= 10; ++life) {
    begin_life();
    SessionClient client(port_);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.call(create(fmt::format("/{}-{}", life, i))).ok());
  }
  const auto has_snapshot = [&] {
    const auto paths = disk_->paths();
    return std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
      return path.starts_with("/data/snapshot.") && !path.ends_with(".tmp");
    });
  };
  EXPECT_TRUE(eventually(std::chrono::milliseconds(10'000), has_snapshot));
}

// It counts on what it was granted last, not on what the server before granted when the session was new.
TEST_F(EngineLives, keep_a_session_for_as_long_as_it_was_granted_when_it_was_resumed) {
  constexpr std::chrono::milliseconds kFew{300};
  constexpr std::chrono::milliseconds kMore{3'000};
  options_.min_session_timeout = options_.max_session_timeout = kFew;
  begin_life();
  auto client = std::make_unique<SessionClient>(port_, Who{.timeout = kMore});
  ASSERT_EQ(client->greeting()->timeout, kFew.count());
  ASSERT_TRUE(client->call(create("/mine", "", kEphemeral)).ok());

  options_.max_session_timeout = kLong;
  begin_life();
  client = std::make_unique<SessionClient>(port_, client->who());
  ASSERT_TRUE(client->accepted());
  ASSERT_EQ(client->greeting()->timeout, kMore.count());
  const auto sent = std::chrono::steady_clock::now();
  ASSERT_TRUE(client->call(ping()).ok());

  begin_life();
  SessionClient observer(port_, {.timeout = kLong});
  EXPECT_TRUE(eventually(kLong, [&] { return observer.call(exists("/mine")).err == -101; }));
  EXPECT_GE(std::chrono::steady_clock::now() - sent, kMore);
}

}  // namespace
}  // namespace holdfast::testing::asking
