#include "cli/run/process_tree.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "support/eventually.h"
#include "support/process.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::Process;

TEST(ProcessTree, reads_a_line_of_proc) {
  const auto info = parse_process_stat("812 (a) b) c) T 17 800 700 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 3 0 4711 10 20");
  EXPECT_EQ(info.pid, 812);
  EXPECT_EQ(info.name, "a) b) c");
  EXPECT_EQ(info.parent, 17);
  EXPECT_EQ(info.group, 800);
  EXPECT_EQ(info.started, 4711U);
  EXPECT_TRUE(info.stopped);
  EXPECT_FALSE(info.dead);
}

TEST(ProcessTree, a_zombie_is_dead_unless_other_threads_go_on) {
  EXPECT_TRUE(parse_process_stat("8 (x) Z 1 8 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5").dead);
  EXPECT_FALSE(parse_process_stat("8 (x) Z 1 8 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 2 0 5").dead);
}

TEST(ProcessTree, does_not_mistake_anything_else_for_a_process) {
  for (const auto* text : {"", "8", "8 (x", "8 (x)", "8 (x) S", "8 (x) S one two"}) {
    EXPECT_EQ(parse_process_stat(text).pid, 0) << text;
  }
  EXPECT_EQ(process_info(-1).pid, 0);
}

TEST(ProcessTree, knows_this_process) {
  const auto info = process_info(::getpid());
  EXPECT_EQ(info.pid, ::getpid());
  EXPECT_EQ(info.parent, ::getppid());
  EXPECT_EQ(info.group, ::getpgrp());
}

TEST(ProcessTree, goes_up_to_the_first_process) {
  const auto above = ancestors_of(::getpid());
  ASSERT_FALSE(above.empty());
  EXPECT_EQ(above.front(), ::getppid());
  EXPECT_EQ(std::count(above.begin(), above.end(), ::getpid()), 0);
  const Process child({"sleep", "1000"});
  const auto of_child = ancestors_of(child.pid());
  ASSERT_EQ(of_child.size(), above.size() + 1);
  EXPECT_EQ(of_child.front(), ::getpid());
  EXPECT_TRUE(ancestors_of(-1).empty());
}

TEST(ProcessTree, finds_processes_by_what_they_were_started_with) {
  const std::string mark = "HF_MARK=" + std::to_string(::getpid()) + "-of-this-test";
  EXPECT_TRUE(processes_with_environment(mark).empty());
  {
    const Process child({"env", "-i", "A=b", mark, "sleep", "1000"});
    EXPECT_TRUE(eventually(10s, [&] { return processes_with_environment(mark) == std::vector<pid_t>{child.pid()}; }));
  }
  EXPECT_TRUE(processes_with_environment(mark).empty());
}

TEST(ProcessTree, knows_which_signals_a_process_leaves_to_the_kernel) {
  Process child({"sh", "-c", "trap '' USR1; trap : USR2; echo ready; read -r end"});
  ASSERT_EQ(child.read_line(30s), "ready");
  EXPECT_FALSE(leaves_to_kernel(child.pid(), SIGUSR1));
  EXPECT_FALSE(leaves_to_kernel(child.pid(), SIGUSR2));
  EXPECT_TRUE(leaves_to_kernel(child.pid(), SIGTSTP));
}

TEST(ProcessTree, knows_whom_a_signal_would_still_kill) {
  Process child({"sleep", "1000"});
  EXPECT_TRUE(can_be_killed(child.pid()));
  EXPECT_FALSE(can_be_killed(std::numeric_limits<pid_t>::max())) << "there is none";
}

TEST(ProcessTree, finds_and_kills_those_who_forked_twice_and_left_the_session) {
  // Orphans come to us, as they come to a guardian.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  Process parent({"sh", "-c", "sleep 1000 & (setsid sleep 1001 &) ; echo ready; wait"});
  ASSERT_EQ(parent.read_line(30s), "ready");
  const auto sleeping = [] {
    const auto all = descendants_of(::getpid());
    return std::count_if(all.begin(), all.end(), [](const ProcessInfo& info) { return !info.dead; });
  };
  EXPECT_TRUE(eventually(30s, [&] { return sleeping() == 3; })) << sleeping();
  EXPECT_TRUE(descendants_of(::getpid(), {parent.pid()}).size() == 1)
      << "the orphan, which is no process's child but ours";
  EXPECT_TRUE(eventually(30s, [] { return kill_descendants(::getpid()) == 0; }));
  EXPECT_EQ(sleeping(), 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace holdfast::cli
