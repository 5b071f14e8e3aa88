#include "support/zookeeper_server.h"
#include "transcript.h"

namespace holdfast::testing {
namespace {

using Lines = std::vector<std::string>;

// One machine after the other, whichever comes first.
void expect_one_after_the_other(const std::string& url) {
  Process program({HOLDFAST_STARTER, url});
  const auto lines = lines_until(program, "");
  EXPECT_EQ(program.wait(kLineTimeout), 0);
  ASSERT_EQ(lines.size(), 8U);
  const std::string first = lines[0].substr(0, lines[0].find(" exports"));
  const std::string second = first == "machine A" ? "machine B" : "machine A";
  Lines expected;
  for (const auto& machine : {first, second}) {
    for (const auto* what : {" exports", " holds orders/7", " holds shop::Machine::export_all", " has exported"})
      expected.push_back(machine + what);
  }
  EXPECT_EQ(lines, expected);
}

TEST(Starter, exports_on_one_machine_at_a_time_in_memory) { expect_one_after_the_other("memory:"); }

TEST(Starter, exports_on_one_machine_at_a_time_on_zookeeper) {
  const ZooKeeperServer server;
  expect_one_after_the_other("zk://" + server.address());
}

}  // namespace
}  // namespace holdfast::testing
