#include <set>

#include "support/zookeeper_server.h"
#include "transcript.h"

namespace holdfast::testing {
namespace {

void expect_five_machines_one_after_the_other(const std::string& url) {
  Process program({HOLDFAST_ORDERS, url});
  std::vector<unsigned long long> tokens;
  std::set<std::string> wanted;
  std::set<std::string> served;
  std::string holder;
  for (const auto& line : lines_until(program, "")) {
    const std::string machine = line.substr(0, std::string("machine 1").size());
    const std::string what = without_token(line, tokens).substr(machine.size());
    if (what == " wants order 1") {
      EXPECT_TRUE(wanted.insert(machine).second) << line;
    } else if (what == " has order 1") {
      EXPECT_EQ(holder, "") << line;
      EXPECT_TRUE(wanted.contains(machine)) << line;
      holder = machine;
    } else {
      EXPECT_EQ(what, " is done");
      EXPECT_EQ(holder, machine) << line;
      EXPECT_TRUE(served.insert(machine).second) << line;
      holder.clear();
    }
  }
  EXPECT_EQ(program.wait(kLineTimeout), 0);
  EXPECT_EQ(served.size(), 5U);
  EXPECT_EQ(tokens.size(), 5U);
  EXPECT_TRUE(strictly_grow(tokens)) << "served out of order";
}

TEST(Orders, are_served_one_machine_after_the_other_in_memory) { expect_five_machines_one_after_the_other("memory:"); }

TEST(Orders, are_served_one_machine_after_the_other_on_zookeeper) {
  const ZooKeeperServer server;
  expect_five_machines_one_after_the_other("zk://" + server.address());
}

TEST(Orders, say_so_when_there_is_no_such_service) {
  Process program(ProcessOptions{.argv = {HOLDFAST_ORDERS, "carrier-pigeon:"}, .stderr_file = "/dev/null"});
  EXPECT_EQ(program.wait(kLineTimeout), 1);
}

}  // namespace
}  // namespace holdfast::testing
