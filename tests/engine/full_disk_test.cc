// A file system that is full: support/small_disk.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "session_client.h"
#include "support/eventually.h"
#include "support/four_letter_word.h"
#include "support/free_port.h"
#include "support/process.h"
#include "support/small_disk.h"
#include "support/temp_dir.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSoon{20'000};
// The least that a server grants unless told otherwise.
constexpr milliseconds kTimeout{4'000};
constexpr std::size_t kBlock = 64 << 10;
// More than fits into the file system, several times over.
constexpr int kEnough = 10'000;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// `holdfast server` with its data on 8 MiB that nobody else sees, but for those who look through its eyes.
class SmallDiskServer {
 public:
  SmallDiskServer()
      : disk_(directory()),
        process_({.argv = disk_.around({HOLDFAST_COMMAND, "server", "--listen", fmt::format("127.0.0.1:{}", port_),
                                        "--data", directory().string()}),
                  .stdout_file = dir_ / "log",
                  .stderr_file = dir_ / "log"}) {
    const bool up = eventually(kSoon, [&] { return !ask_or_nothing(port_, "srvr").empty() || !process_.running(); });
    if (up && process_.running()) return;
    throw std::runtime_error("no server with a small file system of its own: " + log());
  }

  std::uint16_t port() const { return port_; }
  std::string log() const { return content_of(dir_ / "log"); }

  void fill() { disk_.fill(process_.pid()); }
  void make_room() { disk_.make_room(process_.pid()); }

 private:
  std::filesystem::path directory() {
    std::filesystem::create_directories(dir_ / "data");
    return dir_ / "data";
  }

  TempDir dir_{"small-disk"};
  SmallDisk disk_;
  std::uint16_t port_ = free_port();
  Process process_;
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(FullDisk, refuses_writes_answers_reads_and_recovers_when_there_is_room) {
  SmallDiskServer server;
  SessionClient client(server.port());
  SessionClient other(server.port());
  ASSERT_TRUE(client.call(create("/d", "first")).ok());
  ASSERT_TRUE(client.call(create("/d/mine", "", kEphemeral)).ok());

  server.fill();
  // The log has written some zeros ahead, which are used up first.
  int taken = 0;
  Answer last;
  while (taken < kEnough &&
         (last = client.call(set_data("/d", fmt::format("{}{}", taken, std::string(kBlock, '.'))))).ok()) {
    ++taken;
  }
  ASSERT_TRUE(last.came()) << "the connection was closed";
  ASSERT_EQ(last.err, -1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.call(set_data("/d", std::string(kBlock, 'r'))).err, -1);
    EXPECT_EQ(client.call(create(fmt::format("/d/{}", i), std::string(kBlock, 'r'))).err, -1);
    const auto seen = parse_data(other.call(get_data("/d")).body);
    EXPECT_EQ(seen.version, taken);
    EXPECT_TRUE(other.call(ping()).ok());
  }
  EXPECT_EQ(parse_children2(other.call(get_children2("/d")).body).names, std::vector<std::string>{"mine"});
  EXPECT_EQ(count_of(server.log(), "writes are refused"), 1U) << server.log();

  server.make_room();
  EXPECT_TRUE(client.call(set_data("/d", "last")).ok());
  const auto seen = parse_data(other.call(get_data("/d")).body);
  EXPECT_EQ(seen.data, "last");
  EXPECT_EQ(seen.version, taken + 1);
  SessionClient third(server.port());
  EXPECT_TRUE(third.accepted());
  EXPECT_TRUE(client.call(close_session()).ok());
  EXPECT_EQ(other.call(exists("/d/mine")).err, -101);
}

TEST(FullDisk, ends_a_silent_session_once_there_is_room) {
  SmallDiskServer server;
  SessionClient observer(server.port());
  ASSERT_TRUE(observer.call(create("/d", "")).ok());
  // A long name: the end of its session takes more room than the changes below.
  const auto mine = '/' + std::string(200, 'm');
  SessionClient client(server.port(), {.timeout = kTimeout});
  ASSERT_TRUE(client.call(create(mine, "", kEphemeral)).ok());
  const auto silent_since = std::chrono::steady_clock::now();
  server.fill();
  int taken = 0;
  while (taken < kEnough && observer.call(set_data("/d", "")).ok()) {
    ++taken;
    server.fill();  // with what the log gave back
  }
  ASSERT_TRUE(eventually(kSoon, [&] {
    EXPECT_TRUE(observer.call(ping()).ok());
    return std::chrono::steady_clock::now() - silent_since > kTimeout + kTimeout / 4;
  }));
  EXPECT_TRUE(observer.call(exists(mine)).ok()) << "its end was told before it was safe";
  EXPECT_LE(count_of(server.log(), "writes are refused"), 3U) << server.log();
  server.make_room();
  EXPECT_TRUE(eventually(kSoon, [&] { return !observer.call(exists(mine)).ok(); }));
}

}  // namespace
}  // namespace holdfast::testing::asking
