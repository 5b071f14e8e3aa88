// docs/semantics.md, "Asking for it back": Client::revoke() and Lease::revoked().
#include <future>
#include <thread>

#include "conformance.h"
#include "support/eventually.h"

namespace holdfast::testing {

using namespace std::chrono_literals;
using Revoking = Conformance;

// Curator: testRevoking.
TEST_F(Revoking, the_holder_is_asked_and_the_asker_told_that_it_went) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("m");
  auto lease = mine.acquire();
  const std::stop_callback on_revoke(lease.revoked(), [&] { lease.release(); });
  const auto result = second.revoke("m", kSoon);
  EXPECT_EQ(result.asked, 1U);
  EXPECT_EQ(result.gone, 1U);
  EXPECT_EQ(result.broken, 0U);
  EXPECT_FALSE(lease.lost().stop_requested());
  EXPECT_EQ(queue_length("m"), 0U);
}

TEST_F(Revoking, a_holder_that_does_not_listen_keeps_it) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect();
  auto second = connect();
  auto mine = first.mutex("m");
  auto lease = mine.acquire();
  const auto result = second.revoke("m", 100ms);
  EXPECT_EQ(result.asked, 1U);
  EXPECT_EQ(result.gone, 0U);
  EXPECT_TRUE(lease.is_held());
  EXPECT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 0; }));
  // It was asked before it began to listen.
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.revoked().stop_requested(); }));
  EXPECT_TRUE(lease.is_held());
}

TEST_F(Revoking, force_breaks_and_the_broken_holder_is_told_and_fenced) {
  auto first = connect({.session_timeout = 2s});
  auto second = connect();
  auto mine = first.mutex("m");
  auto theirs = second.mutex("m");
  auto lease = mine.acquire();
  const auto result = second.revoke("m", 50ms, Client::Force::yes);
  EXPECT_EQ(result.asked, 1U);
  EXPECT_EQ(result.broken, 1U);
  auto next = theirs.try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  Fence fence;
  EXPECT_TRUE(fence.admit(next.lease().token()));
  EXPECT_FALSE(fence.admit(lease.token()));
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_EQ(lease.release(), Errc::session_lost);
}

TEST_F(Revoking, who_listens_learns_at_once_that_it_was_broken) {
  HOLDFAST_NEEDS(listeners);
  auto first = connect({.session_timeout = 1h});  // the next heartbeat is far away
  auto second = connect();
  auto mine = first.mutex("m");
  auto lease = mine.acquire();
  const auto revoked = lease.revoked();
  ASSERT_TRUE(eventually(kSoon, [&] { return world_->listeners() == 1; }));
  second.revoke("m", 0ms, Client::Force::yes);
  EXPECT_TRUE(eventually(2s, [&] { return lease.lost().stop_requested(); }));
}

TEST_F(Revoking, all_readers_are_asked_and_nobody_who_waits) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto third = connect();
  auto a = first.shared_mutex("m");
  auto b = second.shared_mutex("m");
  auto c = third.shared_mutex("m");
  auto one = a.acquire_shared();
  auto two = b.acquire_shared();
  auto writing = std::async(std::launch::async, [&] { return c.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 3; }));
  const std::stop_callback on_one(one.revoked(), [&] { one.release(); });
  const auto result = third.revoke("m", 200ms);
  EXPECT_EQ(result.asked, 2U);
  EXPECT_EQ(result.gone, 1U);
  EXPECT_TRUE(two.is_held());
  two.release();
  auto writer = writing.get();
  EXPECT_FALSE(writer.revoked().stop_requested());
}

TEST_F(Revoking, a_ticket_that_was_asked_for_is_not_handed_to_the_next_thread) {
  HOLDFAST_NEEDS_FEATURE(family);
  auto first = connect();
  auto second = connect();
  auto a = first.mutex("m");
  auto b = first.mutex("m");
  auto theirs = second.mutex("m");
  auto lease = a.acquire();
  const auto token = lease.token();
  const auto revoked = lease.revoked();
  auto local = std::async(std::launch::async, [&] { return b.acquire(); });
  auto remote = std::async(std::launch::async, [&] { return theirs.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return queue_length("m") == 2; }));
  second.revoke("m", 0ms);
  ASSERT_TRUE(eventually(kSoon, [&] { return revoked.stop_requested(); }));
  lease.release();
  auto next = remote.get();
  EXPECT_GT(next.token(), token);
  next.release();
  EXPECT_GT(local.get().token(), next.token());
}

TEST_F(Revoking, a_name_that_nobody_holds_changes_nothing) {
  auto client = connect();
  const auto result = client.revoke("m", 1h, Client::Force::yes);
  EXPECT_EQ(result.asked, 0U);
  EXPECT_THROW(client.revoke("m", -1ms), Error);
  EXPECT_THROW(client.revoke("m/", 1ms), Error);
}

}  // namespace holdfast::testing
