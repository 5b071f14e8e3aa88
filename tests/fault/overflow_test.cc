// docs/semantics.md, "Limits": H3, the end of ZooKeeper's 32-bit counter.
#include <fmt/format.h>

#include "network.h"
#include "support/free_port.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

// A ZooKeeper 3.8 whose counters can be moved forward: 2^31 creates would take a month.
class Overflow : public ::testing::Test {
 protected:
  Overflow()
      : port_(free_port()),
        server_({HOLDFAST_JAVA, "-XX:TieredStopAtLevel=1", "-cp", HOLDFAST_PEER_CLASSPATH, "OverflowServer",
                 std::to_string(port_), dir_.path().string(), "500"}) {
    EXPECT_EQ(server_.read_line(30s), "ready");
    observer_.emplace(fmt::format("127.0.0.1:{}", port_));
  }

  Client connect() { return Client::connect(fmt::format("zk://127.0.0.1:{}", port_), {.session_timeout = 5s}); }

  // A queue that is there and at rest: the server counts on from what it has under way, not from what we set, so the release
  // must have been answered.
  static void make_queue(Mutex& mutex) { ASSERT_FALSE(mutex.acquire().release_for(kSoon)); }

  // The next ticket of that queue gets this number.
  void set_next(const std::string& name, std::int64_t next) {
    server_.write_line(fmt::format("cversion /{} {}", name, next));
    ASSERT_EQ(server_.read_line(10s), "ok");
  }

  std::vector<std::string> tickets(const std::string& name) { return observer_->children("/" + name); }

  TempDir dir_{"overflow"};
  std::uint16_t port_;
  Process server_;
  std::optional<PlainClient> observer_;
};

TEST_F(Overflow, near_the_end_of_the_counter_the_lock_refuses_and_says_why) {
  auto client = connect();
  auto mutex = client.mutex("a");
  make_queue(mutex);
  set_next("a", 2'147'483'640);
  const auto result = mutex.try_acquire_for(10s);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_NE(result.message().find("counter"), std::string::npos) << result.message();
  EXPECT_NE(result.message().find("/a"), std::string::npos) << result.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return tickets("a").empty(); }));
}

// Curator: two holders in 9 to 11 of 20 trials.
TEST_F(Overflow, it_never_has_two_holders) {
  auto first = connect();
  auto second = connect();
  for (int trial = 0; trial < 20; ++trial) {
    const auto name = fmt::format("trial/{}", trial);
    auto a = first.mutex(name);
    auto b = second.mutex(name);
    make_queue(a);
    // The last good ones for some, the last of all for others, so that it is crossed at every step.
    set_next(name, trial < 10 ? 2'146'999'996 + trial % 10 : 2'147'483'640 + trial % 8);
    int refused = 0;
    for (int round = 0; round < 6; ++round) {
      auto mine = a.try_acquire_for(10s);
      auto theirs = b.try_acquire_for(mine ? 20ms : 10s);
      EXPECT_FALSE(mine && theirs) << "two holders in trial " << trial << ", round " << round;
      EXPECT_TRUE(mine || mine.error() == Errc::refused) << mine.message();
      refused += mine.error() == Errc::refused;
      refused += theirs.error() == Errc::refused;
    }
    EXPECT_GT(refused, 0) << "the end of the counter was not reached in trial " << trial;
  }
}

TEST_F(Overflow, who_holds_a_good_ticket_is_not_disturbed_by_those_past_the_end) {
  auto first = connect();
  auto second = connect();
  auto a = first.mutex("a");
  auto b = second.mutex("a");
  make_queue(a);
  set_next("a", 2'147'000'000);
  auto lease = a.acquire();
  EXPECT_TRUE(lease.ticket().ends_with("-2147000000")) << lease.ticket();
  set_next("a", 2'147'483'646);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(b.try_acquire_for(10s).error(), Errc::refused);
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.release_for(kSoon));
}

}  // namespace
}  // namespace holdfast::testing
