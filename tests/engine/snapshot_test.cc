// When a server takes snapshots.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "session_client.h"
#include "support/eventually.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSoon{20'000};

std::size_t snapshots_of(const ZooKeeperServer& server) {
  const std::filesystem::directory_iterator files(server.data());
  return static_cast<std::size_t>(std::count_if(begin(files), end(files), [](const auto& file) {
    const auto name = file.path().filename().string();
    return name.starts_with("snapshot.") && !name.ends_with(".tmp");
  }));
}

ZooKeeperOptions server_options() { return {.make = ServerMake::engine, .config_lines = {"snapCount=20"}}; }

std::uintmax_t log_bytes_of(const ZooKeeperServer& server) {
  std::uintmax_t sum = 0;
  for (const auto& file : std::filesystem::directory_iterator(server.data())) {
    std::error_code gone;  // by the purge
    const auto size = file.path().filename().string().starts_with("log.") ? file.file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

// Few writes can be many bytes: by their number alone the log would grow to about 100 GB before the first snapshot.
TEST(Snapshot, is_taken_after_so_many_bytes_of_log_and_the_log_is_purged) {
  constexpr std::uintmax_t kMegabyte = 1'000'000;
  ZooKeeperServer server({.make = ServerMake::engine});
  SessionClient client(server.port());
  ASSERT_TRUE(client.call(create("/a")).ok());
  for (std::uintmax_t i = 0; i < 400; ++i) {
    ASSERT_TRUE(client.call(set_data("/a", std::string(kMegabyte, static_cast<char>('a' + i % 26)))).ok());
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return snapshots_of(server) >= 3; }));
  // What three snapshots need, a fourth that is under way, and the rounding up to whole segments.
  EXPECT_TRUE(eventually(kSoon, [&] { return log_bytes_of(server) < 340 * kMegabyte; })) << log_bytes_of(server);
}

// A refused write takes a zxid, too, but leaves nothing in the log.
TEST(Snapshot, is_taken_although_the_last_write_was_refused) {
  ZooKeeperServer server(server_options());
  SessionClient client(server.port());
  for (int i = 0; i < 100; ++i) {
    const auto node = create(fmt::format("/{}", i));
    // Together, so that the server never rests between the two.
    const auto answers = client.call_all({node, node});
    ASSERT_EQ(answers.size(), 2U);
    ASSERT_EQ(answers[0].err, 0);
    ASSERT_EQ(answers[1].err, -110);
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return snapshots_of(server) > 0; }));
  EXPECT_EQ(server.log_tail().find("no snapshot"), std::string::npos) << server.log_tail();
}

TEST(Snapshot, is_taken_by_an_orderly_stop_even_if_the_last_write_was_refused) {
  ZooKeeperServer server(server_options());
  SessionClient client(server.port());
  ASSERT_TRUE(client.call(create("/a")).ok());
  ASSERT_EQ(client.call(create("/a")).err, -110);
  server.stop();
  EXPECT_EQ(snapshots_of(server), 1U);
  EXPECT_EQ(server.log_tail().find("no snapshot"), std::string::npos) << server.log_tail();
  server.restart();
  EXPECT_TRUE(SessionClient(server.port()).call(exists("/a")).ok());
}

TEST(Snapshot, is_nothing_to_complain_about_when_nothing_was_written) {
  ZooKeeperServer server(server_options());
  server.stop();
  server.restart();
  server.stop();
  EXPECT_EQ(server.log_tail().find("no snapshot"), std::string::npos) << server.log_tail();
}

}  // namespace
}  // namespace holdfast::testing::asking
