// Curator's bugs with directories that the server removes, for read/write locks and semaphores. docs/bugs.md has the table.
#include "family_network.h"

namespace holdfast::testing {
namespace {

// CURATOR-180 and testContainerCleanup, with the real reaper, which never sleeps here.
TEST(FamilyReaper, directories_that_nobody_uses_are_removed_and_until_then_disturb_nobody) {
  constexpr int kRounds = 200;
  ZooKeeperServer server(
      {.container_check_interval = 1ms, .java_options = {"-Dznode.container.maxPerMinute=10000000"}});
  FaultProxy proxy(server.port());
  PlainClient observer(server.address());
  auto client = Client::connect("zk://" + proxy.address(), {.retry = RetryPolicy::forever(1ms)});
  auto semaphore = client.semaphore("deep/s", 3);
  auto shared = client.shared_mutex("deep/m");
  for (int round = 0; round < kRounds; ++round) {
    auto permits = semaphore.try_acquire_for(kSoon, 1 + round % 2);
    ASSERT_TRUE(permits) << permits.message();
    ASSERT_FALSE(permits.lease().release_for(kSoon));
    auto held = round % 2 == 0 ? shared.try_acquire_shared_for(kSoon) : shared.try_acquire_for(kSoon);
    ASSERT_TRUE(held) << held.message();
    ASSERT_FALSE(held.lease().release_for(kSoon));
  }
  const auto reaped = proxy.count([](const Seen& seen) {
    return seen.is_reply() && (seen.op == Op::create2 || seen.op == Op::get_children) && seen.err == ZNONODE;
  });
  std::printf("%zu times a directory was gone\n", reaped);
  EXPECT_GT(reaped, 10U) << "the reaper hardly came by: this shows nothing";
  EXPECT_TRUE(eventually(kSoon, [&] { return observer.exists("/deep") == ZNONODE; }));
}

}  // namespace
}  // namespace holdfast::testing
