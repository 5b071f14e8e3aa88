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

}  // namespace
}  // namespace holdfast::testing
