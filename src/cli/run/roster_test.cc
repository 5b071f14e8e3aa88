#include "cli/run/roster.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "cli/run/process_tree.h"
#include "support/eventually.h"
#include "support/process.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using testing::Process;

constexpr auto kNoDeadline = Clock::time_point::max();

TEST(Roster, kills_those_that_it_has_seen) {
  Process parent({"sh", "-c", "trap '' TERM; sleep 1000 & echo ready; wait; wait"});
  ASSERT_EQ(parent.read_line(30s), "ready");
  Roster roster;
  roster.look(parent.pid(), kNoDeadline);
  Process later({"sleep", "1000"});
  roster.kill();
  EXPECT_TRUE(testing::eventually(30s, [&] { return descendants_of(parent.pid()).empty(); }));
  EXPECT_TRUE(later.running());
}

TEST(Roster, asks_those_to_end_that_stand_still) {
  Process parent({"sh", "-c", "sleep 1000 & echo $!; wait; echo ended"});
  const auto child = static_cast<pid_t>(std::stol(parent.read_line(30s).value_or("0")));
  ASSERT_GT(child, 0);
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  ASSERT_TRUE(testing::eventually(30s, [&] { return process_info(child).stopped; }));
  Roster roster;
  roster.look(parent.pid(), kNoDeadline);
  roster.ask_to_end();
  EXPECT_EQ(parent.read_line(30s), "ended");
}

TEST(Roster, does_not_hit_a_process_that_has_ended) {
  Roster roster;
  {
    Process parent({"sh", "-c", "sleep 0.01 & echo ready; wait"});
    ASSERT_EQ(parent.read_line(30s), "ready");
    roster.look(parent.pid(), kNoDeadline);
    ASSERT_EQ(parent.wait(30s), 0);
  }
  roster.kill();  // numbers may be those of others by now; descriptors are not
}

}  // namespace
}  // namespace holdfast::cli
