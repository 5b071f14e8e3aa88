#include "zookeeper_ensemble.h"

#include <gtest/gtest.h>

#include "plain_client.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST(ZooKeeperEnsemble, survives_the_kill_of_its_leader) {
  ZooKeeperEnsemble ensemble;
  EXPECT_EQ(ensemble.followers().size(), 2u);
  PlainClient client(ensemble.connect_string());
  ASSERT_EQ(client.create("/before"), ZOK);

  const std::size_t first = ensemble.leader();
  ensemble.kill(first);
  ensemble.wait_until_serving();
  const std::size_t second = ensemble.leader();
  EXPECT_NE(second, first);
  EXPECT_TRUE(eventually(20s, [&] { return client.exists("/before") == ZOK; }));
  EXPECT_TRUE(eventually(20s, [&] {
    const int result = client.create("/after");
    return result == ZOK || result == ZNODEEXISTS;
  }));

  ensemble.restart(first);
  EXPECT_EQ(ensemble.followers().size(), 2u);
  PlainClient direct(ensemble.server(first).address());
  EXPECT_TRUE(eventually(10s, [&] { return direct.exists("/after") == ZOK; }));
}

TEST(ZooKeeperEnsemble, elects_another_leader_while_the_first_is_paused) {
  // Two ticks instead of ten, as the followers of a silent leader wait that long before they elect.
  ZooKeeperEnsemble ensemble(ZooKeeperOptions{.tick_time = 500ms, .config_lines = {"syncLimit=2"}});
  const std::size_t first = ensemble.leader();
  ensemble.pause(first);
  EXPECT_TRUE(eventually(20s, [&] { return ensemble.find_leader().value_or(first) != first; }));
  ensemble.resume(first);
  EXPECT_TRUE(eventually(20s, [&] { return ensemble.followers().size() == 2; }));
}

TEST(ZooKeeperEnsemble, stalls_the_link_of_one_follower_which_does_not_notice) {
  ZooKeeperEnsemble ensemble(ZooKeeperOptions{.tick_time = 500ms}, 3, QuorumLinks::relayed);
  const std::size_t leader = ensemble.leader();
  const auto followers = ensemble.followers();
  ASSERT_EQ(followers.size(), 2u);
  EXPECT_THROW(ensemble.stall_link(leader), std::logic_error);
  PlainClient on_leader(ensemble.server(leader).address());
  PlainClient on_stalled(ensemble.server(followers[0]).address());
  PlainClient on_other(ensemble.server(followers[1]).address());

  ensemble.stall_link(followers[0]);
  ASSERT_EQ(on_leader.create("/during"), ZOK);
  EXPECT_TRUE(eventually(10s, [&] { return on_other.exists("/during") == ZOK; }));
  EXPECT_EQ(on_stalled.exists("/during"), ZNONODE);
  EXPECT_EQ(ensemble.server(followers[0]).mode(), "follower");
  ensemble.heal_links();
  EXPECT_TRUE(eventually(10s, [&] { return on_stalled.exists("/during") == ZOK; }));
  EXPECT_TRUE(on_stalled.connected());
}

TEST(ZooKeeperEnsemble, takes_a_follower_back_whose_link_was_stalled_for_too_long) {
  ZooKeeperEnsemble ensemble(ZooKeeperOptions{.tick_time = 500ms, .config_lines = {"syncLimit=2"}}, 3,
                             QuorumLinks::relayed);
  const std::size_t follower = ensemble.followers().front();
  ensemble.stall_link(follower);
  EXPECT_TRUE(eventually(20s, [&] { return ensemble.server(follower).mode().empty(); }));
  ensemble.heal_links();
  EXPECT_TRUE(eventually(30s, [&] { return ensemble.followers().size() == 2; }));
}

TEST(ZooKeeperEnsemble, has_no_link_to_stall_unless_they_are_relayed) {
  ZooKeeperEnsemble ensemble;
  EXPECT_THROW(ensemble.stall_link(ensemble.followers().front()), std::logic_error);
}

}  // namespace
}  // namespace holdfast::testing
