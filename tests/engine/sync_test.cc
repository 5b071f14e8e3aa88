// One append is one successful fdatasync(2) before the reply, seen at the call itself: no simulated disk can show that of the real one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "session_client.h"
#include "support/eventually.h"
#include "support/four_letter_word.h"
#include "support/free_port.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSoon{60'000};
// A reply that does not wait for the sync comes in less.
constexpr milliseconds kMoment{300};

class SyncedServer {
 public:
  explicit SyncedServer(const std::string& durability)
      : process_({.argv = {HOLDFAST_COMMAND, "server", "--listen", fmt::format("127.0.0.1:{}", port_), "--data",
                           dir_ / "data", "--durability", durability},
                  .env = {{"LD_PRELOAD", HOLDFAST_SYNC_GATE_PRELOAD},
                          {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                          {"HOLDFAST_SYNC_LOG", dir_ / "syncs"},
                          {"HOLDFAST_SYNC_GATE", dir_ / "gate"}},
                  .stdout_file = dir_ / "log",
                  .stderr_file = dir_ / "log"}) {
    if (!eventually(kSoon, [&] { return !ask_or_nothing(port_, "srvr").empty(); }))
      throw std::runtime_error("no server");
  }

  std::uint16_t port() const { return port_; }
  // How many lines of that kind there are, of segments of the log.
  std::ptrdiff_t count(const std::string& what) const {
    std::ifstream file(dir_ / "syncs");
    std::ptrdiff_t count = 0;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(what + " ") && line.find("/log.") != std::string::npos && !line.ends_with(".tmp")) ++count;
    }
    return count;
  }
  void close_gate() { std::ofstream(dir_ / "gate") << "closed"; }
  void open_gate() { std::filesystem::remove(dir_ / "gate"); }

 private:
  TempDir dir_{"synced"};
  std::uint16_t port_ = free_port();
  Process process_;
};

TEST(SyncedWrite, is_one_successful_fdatasync_before_its_reply) {
  SyncedServer server("power");
  SessionClient client(server.port());
  ASSERT_TRUE(client.call(create("/first")).ok());  // begins the segment
  for (int i = 0; i < 10; ++i) {
    const auto before = server.count("synced");
    ASSERT_TRUE(client.call(create(fmt::format("/{}", i))).ok());
    EXPECT_EQ(server.count("synced"), before + 1);
  }
}

TEST(SyncedWrite, is_not_answered_while_its_fdatasync_waits) {
  SyncedServer server("power");
  SessionClient client(server.port());
  ASSERT_TRUE(client.call(create("/first")).ok());
  const auto before = server.count("waits");
  server.close_gate();
  client.send(create("/a"));
  const auto early = client.receive(kMoment);
  EXPECT_FALSE(early.came()) << "answered before it was safe";
  EXPECT_TRUE(eventually(kSoon, [&] { return server.count("waits") == before + 1; }));
  server.open_gate();
  EXPECT_TRUE(early.came() || client.receive(kSoon).ok());
}

TEST(SyncedWrite, needs_no_fdatasync_if_only_the_process_may_die) {
  SyncedServer server("process");
  SessionClient client(server.port());
  ASSERT_TRUE(client.call(create("/first")).ok());
  const auto before = server.count("waits");
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(client.call(create(fmt::format("/{}", i))).ok());
  EXPECT_EQ(server.count("waits"), before);
}

}  // namespace
}  // namespace holdfast::testing::asking
