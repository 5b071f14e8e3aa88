// A holder of one make is killed; a waiter of another make inherits.
#include <cstdio>

#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// From the expiry on: the server deletes the node, tells the waiter, the waiter takes the lock and says so.
constexpr auto kInheritance = 1s;

class Kill : public Interop {
 protected:
  void passes_the_lock_on(Make holder_make, Make heir_make) {
    auto& holder = start(holder_make, kVictimSession);
    auto& heir = start(heir_make);
    const auto first = holder.acquire();
    heir.send("acquire");
    ASSERT_TRUE(queue_becomes(2));
    ASSERT_EQ(heir.reply(0ms), std::nullopt);

    holder.kill9();
    const auto killed = Peer::Clock::now();
    const auto second = heir.expect("acquired ").substr(9);
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Peer::Clock::now() - killed);
    std::printf("inherited %lld ms after the kill of a session of %lld ms\n", static_cast<long long>(waited.count()),
                static_cast<long long>(kVictimSession.count()));
    EXPECT_LT(std::stoull(first), std::stoull(second));

    // The server last heard of the victim at the kill at the latest. ZooKeeper's ExpiryQueue puts the end of a session on
    // the next multiple of tickTime after (last heard + timeout): up to one tick late, never early.
    EXPECT_LE(waited, kVictimSession + ZooKeeperOptions{}.tick_time + kInheritance);
    // It last heard of the victim a third of the timeout before the kill at the earliest, as all clients beat at least that
    // often; half is for beats that come late. Sooner than that would be a hold that was not respected.
    EXPECT_GE(waited, kVictimSession / 2);
    EXPECT_EQ(queue().size(), 1U);
    heir.release();
  }
};

TEST_F(Kill, of_a_holder_of_curator_passes_the_lock_to_ours) { passes_the_lock_on(Make::curator, Make::holdfast); }
TEST_F(Kill, of_a_holder_of_kazoo_passes_the_lock_to_ours) { passes_the_lock_on(Make::kazoo, Make::holdfast); }
TEST_F(Kill, of_a_holder_of_ours_passes_the_lock_to_curator) { passes_the_lock_on(Make::holdfast, Make::curator); }
TEST_F(Kill, of_a_holder_of_ours_passes_the_lock_to_ours) { passes_the_lock_on(Make::holdfast, Make::holdfast); }

// In the middle of the queue: the one behind the dead waiter is not granted with it, and not forgotten either.
TEST_F(Kill, of_a_waiter_of_ours_leaves_the_queue_in_order) {
  auto& holder = start(Make::curator);
  auto& victim = start(Make::holdfast, kVictimSession);
  auto& heir = start(Make::curator);
  holder.acquire();
  victim.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  heir.send("acquire");
  ASSERT_TRUE(queue_becomes(3));
  victim.kill9();
  ASSERT_TRUE(queue_becomes(2));
  EXPECT_EQ(heir.reply(300ms), std::nullopt) << "woken, and let in while another holds";
  holder.release();
  heir.expect("acquired ");
}

}  // namespace
}  // namespace holdfast::testing
