// Signals on their way to the command, and what is left when somebody is killed.
#include <gtest/gtest.h>
#include <signal.h>

#include "run_command.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Says so for every signal, and "ready" when it can.
std::string listener(const std::string& signals) {
  std::string script;
  for (std::istringstream each(signals); each;) {
    std::string signal;
    if (each >> signal) script += "trap 'echo " + signal + "' " + signal + "; ";
  }
  return script + "echo ready; while :; do sleep 0.02; done";
}

TEST(RunSignal, passes_on_what_it_is_sent) {
  RunCommand run({fresh_name(), "--", "sh", "-c", listener("HUP INT QUIT TERM USR1 USR2 WINCH")});
  ASSERT_EQ(run.line(), "ready");
  const std::vector<std::pair<int, std::string>> all{{SIGHUP, "HUP"},    {SIGINT, "INT"},   {SIGQUIT, "QUIT"},
                                                     {SIGTERM, "TERM"},  {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"},
                                                     {SIGWINCH, "WINCH"}};
  for (const auto& [signal, name] : all) {
    run.process().signal(signal);
    EXPECT_EQ(run.line(), name);
  }
  run.process().kill9();
}

TEST(RunSignal, reaches_the_whole_process_group_and_not_those_who_left_it) {
  const std::string inner = "sh -c 'trap \"echo inner\" TERM; echo r; while :; do sleep 0.02; done' & ";
  const std::string away = "setsid sh -c 'trap \"echo away\" TERM; echo r; while :; do sleep 0.02; done' & ";
  RunCommand run(
      {fresh_name(), "--", "sh", "-c", inner + away + "trap 'echo outer' TERM; echo r; while :; do sleep 0.02; done"});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(run.line(), "r");
  run.process().signal(SIGTERM);
  std::vector<std::string> heard{run.line().value_or(""), run.line().value_or("")};
  std::sort(heard.begin(), heard.end());
  EXPECT_EQ(heard, (std::vector<std::string>{"inner", "outer"}));
  EXPECT_EQ(run.process().read_line(100ms), std::nullopt);
}

TEST(RunSignal, ends_at_once_while_it_waits_and_leaves_no_ticket) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto name = fresh_name();
    RunCommand holder({name, "--", "sh", "-c", "echo held; read go"});
    ASSERT_EQ(holder.line(), "held");
    RunCommand waiter({name, "-v", "--", "true"});
    ASSERT_TRUE(waiter.says("next in line")) << waiter.errors();
    waiter.process().signal(signal);
    EXPECT_EQ(waiter.process().wait(5s), 128 + signal);
    ASSERT_TRUE(holder.process().write_line("go"));
    ASSERT_EQ(holder.exit_code(), 0);
    // A ticket left behind would be first now.
    EXPECT_EQ(RunCommand({"-n", name, "--", "true"}).exit_code(), 0);
  }
}

TEST(RunSignal, stops_and_continues_the_command_with_it) {
  TempDir dir;
  const auto file = dir / "pid";
  // Not a shell that starts others: one that is stopped while a child of its vfork() is stopped before exec stands still, but is not
  // shown as stopped.
  RunCommand run({fresh_name(), "--", "sh", "-c", "echo $$ > " + file.string() + "; exec sleep 600"});
  const pid_t command = pid_in(file);
  const auto stopped = [](pid_t pid) {
    const auto stat = content("/proc/" + std::to_string(pid) + "/stat");
    return stat[stat.rfind(')') + 2] == 'T';
  };
  // SIGTSTP to us alone: there is no terminal and no shell here, but somebody who asks for it.
  run.process().signal(SIGTSTP);
  EXPECT_TRUE(eventually(kRunPatience, [&] { return stopped(command); }));
  run.process().signal(SIGCONT);
  EXPECT_TRUE(eventually(kRunPatience, [&] { return !stopped(command); }));
}

TEST(RunSignal, lets_a_command_decide_what_to_do_when_it_is_to_stop) {
  RunCommand run({fresh_name(), "--", "sh", "-c", "trap 'echo asked; exit 3' TSTP; echo ready; while :; do :; done"});
  ASSERT_EQ(run.line(), "ready");
  run.process().signal(SIGTSTP);
  EXPECT_EQ(run.line(), "asked");
  run.process().signal(SIGCONT);  // we had stopped as well
  EXPECT_EQ(run.exit_code(), 3);
}

// A command of three: itself, a child, and one that has forked twice and is in a session of its own. All ignore TERM if told so.
struct Family {
  TempDir dir{"family"};
  std::vector<pid_t> pids{};

  std::string script(bool stubborn) const {
    const std::string trap = stubborn ? "trap '' TERM HUP; " : "";
    const auto file = [this](const char* name) { return (dir / name).string(); };
    return trap + "sh -c 'echo $$ > " + file("child") + "; while :; do sleep 0.02; done' & " +
           "(setsid sh -c '(sh -c \"echo \\$\\$ > " + file("daemon") + "; while :; do sleep 0.02; done\" &)') & " +
           "echo $$ > " + file("self") + "; while :; do sleep 0.02; done";
  }
  bool started() {
    for (const char* name : {"self", "child", "daemon"}) pids.push_back(pid_in(dir / name));
    return std::find(pids.begin(), pids.end(), 0) == pids.end();
  }
  bool dead() const { return std::none_of(pids.begin(), pids.end(), &runs); }
};

TEST(RunSignal, nothing_survives_kill_9_of_the_wrapper) {
  for (const bool stubborn : {false, true}) {
    Family family;
    RunCommand run({"--session-timeout", "4s", fresh_name(), "--", "sh", "-c", family.script(stubborn)});
    ASSERT_TRUE(family.started());
    const auto killed = std::chrono::steady_clock::now();
    run.process().kill9();
    // Well before the session of the killed wrapper ends.
    EXPECT_TRUE(eventually(3s, [&] { return family.dead(); }));
    EXPECT_LT(std::chrono::steady_clock::now() - killed, 3s);
    EXPECT_TRUE(run.says("holdfast was killed")) << run.errors();
  }
}

TEST(RunSignal, nothing_survives_kill_9_of_the_guardian) {
  Family family;
  RunCommand run({fresh_name(), "--", "sh", "-c", family.script(true)});
  ASSERT_TRUE(family.started());
  const pid_t guardian = run.guardian();
  ASSERT_GT(guardian, 0);
  ::kill(guardian, SIGKILL);
  EXPECT_EQ(run.exit_code(), 76);
  EXPECT_TRUE(family.dead());
  EXPECT_NE(run.errors().find("the guardian of the command was killed"), std::string::npos) << run.errors();
}

TEST(RunSignal, nothing_survives_kill_9_of_the_whole_group) {
  // As `kill -9 %1` does it. The daemon is in another group and session.
  Family family;
  TempDir dir;
  const auto file = dir / "wrapper";
  Process leader({"setsid", "sh", "-c", "echo $$ > " + file.string() + "; exec \"$@\"", "sh", HOLDFAST_COMMAND, "run",
                  "--url", engine_url(), fresh_name(), "--", "sh", "-c", family.script(true)});
  ASSERT_TRUE(family.started());
  ::kill(-pid_in(file), SIGKILL);
  EXPECT_TRUE(eventually(10s, [&] { return family.dead(); }));
}

// Nobody above the group could continue what stands still in it, so the kernel would hang up on all of it if we cut its last tie.
TEST(RunSignal, does_not_hang_up_on_its_neighbours_without_a_terminal) {
  Process job({"setsid", "sh", "-c",
               "sleep 1000 & neighbour=$!; kill -STOP $neighbour; "
               "while ! grep -q 'State:.T' /proc/$neighbour/status; do :; done; "
               "\"$@\"; echo ended with $?; kill -9 $neighbour",
               "sh", HOLDFAST_COMMAND, "run", "--url", engine_url(), fresh_name(), "--", "sh", "-c", "exit 3"});
  EXPECT_EQ(job.read_line(kRunPatience), "ended with 3");
  EXPECT_EQ(job.wait(kRunPatience), 0);
}

TEST(RunSignal, a_guardian_that_was_stopped_keeps_nothing_alive) {
  Family family;
  RunCommand run({"--max-hold", "1", "--kill-after", "0.2", fresh_name(), "--", "sh", "-c", family.script(true)});
  ASSERT_TRUE(family.started());
  const pid_t guardian = run.guardian();
  ::kill(guardian, SIGSTOP);
  EXPECT_EQ(run.exit_code(), 76);
  EXPECT_TRUE(family.dead());
}

TEST(RunSignal, kills_what_ignores_term) {
  Family family;
  RunCommand run({"--max-hold", "0.3", "--kill-after", "0.3", fresh_name(), "--", "sh", "-c", family.script(true)});
  ASSERT_TRUE(family.started());
  EXPECT_EQ(run.exit_code(), 124);
  EXPECT_TRUE(family.dead());
}

TEST(RunSignal, a_wrapper_that_is_stopped_past_its_session_leaves_nothing_running) {
  const auto name = fresh_name();
  Family family;
  RunCommand run({"--session-timeout", "2s", name, "--", "sh", "-c", family.script(true)});
  ASSERT_TRUE(family.started());
  run.process().pause();
  RunCommand rival({name, "--", "echo", "granted"});
  ASSERT_EQ(rival.line(), "granted");
  EXPECT_TRUE(family.dead()) << "a rival was granted while the command ran";
  EXPECT_NE(run.errors().find("stopped for too long"), std::string::npos) << run.errors();
  run.process().resume();
  EXPECT_EQ(run.exit_code(), 76);
}

}  // namespace
}  // namespace holdfast::testing
