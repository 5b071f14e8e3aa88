#include "peer.h"

#include <gtest/gtest.h>

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A worker with no lock behind it.
constexpr const char* kWorker = R"(
echo ready
while read -r command argument rest; do
  case "$command" in
    acquire) if [ -z "$argument" ]; then echo acquired 42; else echo timeout; fi ;;
    release) echo lost; echo released ;;
    share) echo acquired 43 ;;
    downgrade) echo downgraded 43 ;;
    revoke) echo asked; echo revoked ;;
    count) echo counted ;;
    fail) echo error no such hold ;;
    rounds) echo done "$argument" ;;
    exit) exit 0 ;;
  esac
done
)";

Peer shell_peer() { return Peer({"sh", "-c", kWorker}, "shell"); }

TEST(Peer, speaks_the_protocol) {
  Peer peer = shell_peer();
  EXPECT_EQ(peer.acquire(), "42");
  EXPECT_EQ(peer.acquire_within(5ms), std::nullopt);
  peer.start_rounds(3, "/tmp", "a");
  peer.finish_rounds(10s);
  EXPECT_EQ(peer.share(), "43");
  EXPECT_EQ(peer.downgrade(), "43");
  peer.set_count(2);
  EXPECT_EQ(peer.lost_at(), std::nullopt);
  EXPECT_EQ(peer.revoked_at(), std::nullopt);
  EXPECT_EQ(peer.exit(), 0);
}

TEST(Peer, records_a_loss_without_taking_it_for_a_reply) {
  Peer peer = shell_peer();
  const auto before = Peer::Clock::now();
  peer.release();
  ASSERT_TRUE(peer.wait_lost(10s));
  EXPECT_GE(*peer.lost_at(), before);
  EXPECT_LE(*peer.lost_at(), Peer::Clock::now());
  peer.forget_lost();
  EXPECT_EQ(peer.lost_at(), std::nullopt);
}

TEST(Peer, records_a_revocation_without_taking_it_for_a_reply_or_a_loss) {
  Peer peer = shell_peer();
  const auto before = Peer::Clock::now();
  peer.revoke();
  ASSERT_TRUE(peer.wait_revoked(10s));
  EXPECT_GE(*peer.revoked_at(), before);
  EXPECT_LE(*peer.revoked_at(), Peer::Clock::now());
  EXPECT_EQ(peer.lost_at(), std::nullopt);
  peer.forget_revoked();
  EXPECT_EQ(peer.revoked_at(), std::nullopt);
  EXPECT_FALSE(peer.wait_revoked(0ms));
}

TEST(Peer, says_what_it_expected_and_what_it_got) {
  Peer peer = shell_peer();
  peer.send("fail");
  try {
    peer.expect("released");
    FAIL() << "no error";
  } catch (const PeerError& error) {
    EXPECT_STREQ(error.what(), "shell said \"error no such hold\" instead of \"released\"");
  }
  peer.send("unknown");
  EXPECT_THROW(peer.expect("acquired", 20ms), PeerError);
}

TEST(Peer, notices_that_a_worker_ended) {
  try {
    Peer peer({"sh", "-c", "exit 3"}, "shell");
    FAIL() << "no error";
  } catch (const PeerError& error) {
    EXPECT_STREQ(error.what(), "shell ended with status 3 instead of saying \"ready\"");
  }
}

TEST(Peer, can_be_killed_and_paused) {
  Peer peer = shell_peer();
  peer.pause();
  peer.send("acquire");
  EXPECT_EQ(peer.reply(50ms), std::nullopt);
  peer.resume();
  EXPECT_EQ(peer.expect("acquired"), "acquired 42");
  peer.kill9();
  EXPECT_THROW(peer.send("acquire"), PeerError);
}

}  // namespace
}  // namespace holdfast::testing
