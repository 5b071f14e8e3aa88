#include "support/zookeeper_server.h"
#include "transcript.h"

namespace holdfast::testing {
namespace {

// On a busy machine the first acquire may take long too, and then there is a line for it.
void expect_a_line_for_the_wait_that_failed(const std::string& url) {
  Process program({HOLDFAST_OWN_HANDLER, url});
  const auto lines = lines_until(program, "");
  EXPECT_EQ(program.wait(kLineTimeout), 0);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.back().starts_with("orders/1 was not acquired: timed out: ")) << lines.back();
  EXPECT_NE(lines.back().find("1 ahead of us"), std::string::npos) << lines.back();
}

TEST(OwnHandler, says_waits_that_took_long_in_memory) { expect_a_line_for_the_wait_that_failed("memory:own-handler"); }

TEST(OwnHandler, says_waits_that_took_long_on_zookeeper) {
  const ZooKeeperServer server;
  expect_a_line_for_the_wait_that_failed("zk://" + server.address());
}

}  // namespace
}  // namespace holdfast::testing
