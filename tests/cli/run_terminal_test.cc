// `holdfast run` in front of a person: a real terminal, and a real shell with job control.
#include <gtest/gtest.h>
#include <signal.h>

#include "run_command.h"
#include "support/pty.h"
#include "support/terminal_screen.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

struct Shell : Pty {
  Shell()
      : Pty({.argv = {"bash", "--norc", "--noprofile", "-i"},
             .env = {{"PS1", "prompt> "}, {"HOLDFAST_URL", engine_url()}, {"HISTFILE", ""}},
             .columns = 300}) {}

  bool prompt() { return expect("prompt> ", kRunPatience); }
  void run(const std::string& rest) { send(HOLDFAST_COMMAND " run " + rest + "\n"); }
  // A job is in the foreground before it is continued, and what is typed before that may be lost.
  bool job_runs() const {
    return eventually(kRunPatience, [this] {
      const auto stat = content("/proc/" + std::to_string(foreground()) + "/stat");
      return foreground() != pid() && !stat.empty() && stat[stat.rfind(')') + 2] != 'T';
    });
  }
  // Of the last command. The answer is not in the echo of what was typed.
  std::string code() {
    send("echo co''de=$?.\n");
    const auto found = expect(std::regex("code=([0-9]+)\\."), kRunPatience);
    return found ? (*found)[1] : "no code in " + text();
  }
};

// Says "up" once it runs; the words are not in the echo of what was typed.
constexpr auto kSleeps = "sh -c \"echo u''p; exec sleep 1000\"";

TEST(RunTerminal, ctrl_c_ends_the_command_and_the_loop_around_it) {
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.send("for i in 1 2 3; do " HOLDFAST_COMMAND " run " + fresh_name() + " -- " + kSleeps + "; done\n");
  ASSERT_TRUE(bash.expect("up", kRunPatience)) << bash.text();
  bash.key('c');
  ASSERT_TRUE(bash.prompt()) << bash.text();
  EXPECT_EQ(bash.code(), "130");
}

TEST(RunTerminal, a_command_that_handles_ctrl_c_gets_it_once) {
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run(
      fresh_name() +
      " -- sh -c \"trap 'echo cau''ght; n=x\\$n' INT; echo u''p; while [ \\\"\\$n\\\" != x ]; do sleep 0.02; done; "
      "sleep 0.2; echo n=\\$n.; exit 4\"");
  ASSERT_TRUE(bash.expect("up", kRunPatience)) << bash.text();
  bash.key('c');
  EXPECT_TRUE(bash.expect("caught", kRunPatience)) << bash.text();
  EXPECT_TRUE(bash.expect("n=x.", kRunPatience)) << bash.text();
  ASSERT_TRUE(bash.prompt());
  EXPECT_EQ(bash.code(), "4");
}

TEST(RunTerminal, ctrl_z_fg_and_bg_work_as_for_any_job) {
  const auto name = fresh_name();
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run(name + " -- " + kSleeps);
  ASSERT_TRUE(bash.expect("up", kRunPatience)) << bash.text();
  bash.key('z');
  ASSERT_TRUE(bash.expect("Stopped", kRunPatience)) << bash.text();
  ASSERT_TRUE(bash.prompt());
  bash.send("bg\n");
  ASSERT_TRUE(bash.prompt());
  bash.send("jobs\n");
  ASSERT_TRUE(bash.expect("Running", kRunPatience)) << bash.text();
  EXPECT_EQ(RunCommand({"-n", "-q", name, "--", "true"}).exit_code(), 75) << "it still holds the lock";
  bash.send("fg\n");
  ASSERT_TRUE(bash.job_runs());
  bash.key('z');
  ASSERT_TRUE(bash.expect("Stopped", kRunPatience)) << bash.text();
  ASSERT_TRUE(bash.prompt());
  bash.send("fg\n");
  ASSERT_TRUE(bash.job_runs());
  bash.key('c');
  ASSERT_TRUE(bash.prompt()) << bash.text();
  EXPECT_EQ(bash.code(), "130");
}

TEST(RunTerminal, a_command_that_stops_itself_stops_the_job) {
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run(fresh_name() + " -- sh -c 'kill -STOP $$; echo ba''ck'");
  ASSERT_TRUE(bash.expect("Stopped", kRunPatience)) << bash.text();
  ASSERT_TRUE(bash.prompt());
  bash.send("fg\n");
  EXPECT_TRUE(bash.expect("back", kRunPatience)) << bash.text();
  EXPECT_EQ(bash.code(), "0");
}

TEST(RunTerminal, a_job_that_is_stopped_for_too_long_is_ended_and_says_so) {
  const auto name = fresh_name();
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run("--session-timeout 2s " + name + " -- " + kSleeps);
  ASSERT_TRUE(bash.expect("up", kRunPatience)) << bash.text();
  bash.key('z');
  ASSERT_TRUE(bash.expect("Stopped", kRunPatience)) << bash.text();
  EXPECT_TRUE(bash.expect(name + ": stopped for too long to keep the lock", kRunPatience)) << bash.text();
  EXPECT_EQ(RunCommand({name, "--", "true"}).exit_code(), 0);
  bash.send("fg\n");
  ASSERT_TRUE(bash.expect("fg", kRunPatience));
  ASSERT_TRUE(bash.prompt()) << bash.text();
  EXPECT_EQ(bash.code(), "76");
}

TEST(RunTerminal, the_command_reads_what_is_typed) {
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run(fresh_name() + " -- sh -c 'echo u''p; read line; echo got=$line.'");
  ASSERT_TRUE(bash.expect("up", kRunPatience));
  bash.send("hello\n");
  EXPECT_TRUE(bash.expect("got=hello.", kRunPatience)) << bash.text();
}

TEST(RunTerminal, its_neighbour_in_a_pipe_can_use_the_terminal_too) {
  // As a pager does: data from the pipe, keys from the terminal.
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run(
      fresh_name() +
      " -- sh -c 'echo da''ta; exec sleep 1000' | sh -c 'read d; echo $d; read k </dev/tty; echo key=$k.; kill 0'");
  ASSERT_TRUE(bash.expect("data", kRunPatience)) << bash.text();
  bash.send("q\n");
  EXPECT_TRUE(bash.expect("key=q.", kRunPatience)) << bash.text();
  EXPECT_TRUE(bash.prompt()) << bash.text();
}

TEST(RunTerminal, in_the_background_it_is_stopped_when_it_reads) {
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run(fresh_name() + " -- cat &");
  ASSERT_TRUE(bash.prompt());
  ASSERT_TRUE(eventually(kRunPatience, [&] {
    bash.send("jobs\n");
    return bash.expect("Stopped", 200ms);
  })) << bash.text();
  bash.send("fg\n");
  ASSERT_TRUE(bash.job_runs());
  bash.send("hi there\n");
  EXPECT_TRUE(bash.expect("hi there\nhi there", kRunPatience)) << bash.text();
  bash.key('d');
  EXPECT_TRUE(bash.prompt()) << bash.text();
}

TEST(RunTerminal, a_closed_window_reaches_the_command) {
  TempDir dir;
  const auto file = dir / "heard";
  Pty tty({.argv = {HOLDFAST_COMMAND, "run", fresh_name(), "--", "sh", "-c",
                    "trap 'echo HUP > " + file.string() + "; exit 1' HUP; echo up; while :; do sleep 0.02; done"},
           .env = {{"HOLDFAST_URL", engine_url()}}});
  ASSERT_TRUE(tty.expect("up", kRunPatience)) << tty.text();
  tty.hang_up();
  EXPECT_TRUE(eventually(kRunPatience, [&] { return content(file) == "HUP\n"; }));
  EXPECT_EQ(tty.wait(kRunPatience), 1);
}

TEST(RunTerminal, a_new_window_size_reaches_the_command) {
  Pty tty({.argv = {HOLDFAST_COMMAND, "run", fresh_name(), "--", "sh", "-c",
                    "trap 'stty size; exit 0' WINCH; echo up; while :; do sleep 0.02; done"},
           .env = {{"HOLDFAST_URL", engine_url()}}});
  ASSERT_TRUE(tty.expect("up", kRunPatience)) << tty.text();
  tty.resize(91, 31);
  EXPECT_TRUE(tty.expect("31 91", kRunPatience)) << tty.text();
  EXPECT_EQ(tty.wait(kRunPatience), 0);
}

TEST(RunTerminal, shows_one_live_line_while_it_waits_and_erases_it) {
  const auto name = fresh_name();
  RunCommand holder({name, "--purpose", "monthly run", "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(holder.line(), "held");
  Pty tty({.argv = {HOLDFAST_COMMAND, "run", name, "--", "echo", "granted"},
           .env = {{"HOLDFAST_URL", engine_url()}},
           .columns = 120});
  const auto shows = [&](const std::string& text) {
    return eventually(kRunPatience, [&] { return tty.cursor_row().find(text) != std::string::npos; });
  };
  EXPECT_TRUE(shows(name + ": next in line; held for ")) << tty.text();
  EXPECT_TRUE(shows("(pid " + std::to_string(holder.pid()) + ") on ")) << tty.text();
  EXPECT_TRUE(shows(": monthly run")) << tty.text();
  EXPECT_TRUE(shows("held for 2s")) << "it is drawn anew: " << tty.text();
  EXPECT_EQ(tty.screen().size(), 1U);
  ASSERT_TRUE(holder.process().write_line("go"));
  EXPECT_EQ(tty.wait(kRunPatience), 0);
  EXPECT_TRUE(eventually(kRunPatience, [&] { return tty.screen() == std::vector<std::string>{"granted"}; }))
      << tty.text();
}

TEST(RunTerminal, the_live_line_is_cut_to_the_window_and_free_of_others_escape_sequences) {
  const auto name = fresh_name();
  RunCommand holder(
      {name, "--purpose", "\x1b[31mred " + std::string(100, 'x'), "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(holder.line(), "held");
  Pty tty({.argv = {HOLDFAST_COMMAND, "run", name, "--", "echo", "granted"},
           .env = {{"HOLDFAST_URL", engine_url()}},
           .columns = 60});
  ASSERT_TRUE(tty.expect("held for 1s", kRunPatience)) << tty.text();
  EXPECT_EQ(tty.screen().size(), 1U) << tty.text();
  EXPECT_EQ(tty.bytes().find("\x1b[31m"), std::string::npos);
}

TEST(RunTerminal, a_dumb_terminal_gets_plain_lines) {
  const auto name = fresh_name();
  RunCommand holder({name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(holder.line(), "held");
  Pty tty({.argv = {HOLDFAST_COMMAND, "run", "-v", name, "--", "echo", "mine"},
           .env = {{"HOLDFAST_URL", engine_url()}, {"TERM", "dumb"}}});
  ASSERT_TRUE(tty.expect("waiting for " + name, kRunPatience)) << tty.text();
  ASSERT_TRUE(holder.process().write_line("go"));
  ASSERT_TRUE(tty.expect("mine", kRunPatience)) << tty.text();
  EXPECT_EQ(tty.bytes().find('\x1b'), std::string::npos) << tty.bytes();
}

// A window that becomes narrower breaks the line into several rows; the cursor stays at the beginning of the first.
TEST(RunTerminal, the_live_line_is_erased_from_its_first_column_on_to_the_end) {
  const auto name = fresh_name();
  RunCommand holder({name, "--purpose", std::string(100, 'x'), "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(holder.line(), "held");
  Pty tty({.argv = {HOLDFAST_COMMAND, "run", name, "--", "true"}, .env = {{"HOLDFAST_URL", engine_url()}}});
  ASSERT_TRUE(tty.expect("held for ", kRunPatience)) << tty.text();
  ASSERT_TRUE(holder.process().write_line("go"));
  ASSERT_EQ(tty.wait(kRunPatience), 0);
  const auto sent = tty.bytes();
  const auto erase = sent.rfind("\r\x1b[J");
  ASSERT_NE(erase, std::string::npos) << sent;
  EXPECT_EQ(sent[erase - 1], '\r') << "where the cursor has waited";
  TerminalScreen narrow(40, 24);
  narrow.feed(std::string(79, 'x') + "\r\x1b[A");
  narrow.feed(sent.substr(erase));
  EXPECT_TRUE(narrow.rows().empty()) << narrow.rows().front();
}

TEST(RunTerminal, ctrl_c_while_it_waits_leaves_no_ticket) {
  const auto name = fresh_name();
  RunCommand holder({name, "--", "sh", "-c", "echo held; read go"});
  ASSERT_EQ(holder.line(), "held");
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.run(name + " -- true");
  ASSERT_TRUE(bash.expect("next in line", kRunPatience)) << bash.text();
  bash.key('c');
  ASSERT_TRUE(bash.prompt()) << bash.text();
  EXPECT_EQ(bash.code(), "130");
  ASSERT_TRUE(holder.process().write_line("go"));
  ASSERT_EQ(holder.exit_code(), 0);
  EXPECT_EQ(RunCommand({"-n", name, "--", "true"}).exit_code(), 0);
}

TEST(RunTerminal, a_command_that_is_killed_leaves_the_terminal_as_it_was) {
  Shell bash;
  ASSERT_TRUE(bash.prompt());
  bash.send("sh -c \"" HOLDFAST_COMMAND " run --max-hold 0.3 --kill-after 0.1 " + fresh_name() +
            " -- sh -c 'trap : TERM; stty raw -echo; while :; do sleep 0.02; done'; stty -a\"\n");
  ASSERT_TRUE(bash.expect("--max-hold allows", kRunPatience)) << bash.text();
  EXPECT_TRUE(bash.expect(" icanon", kRunPatience)) << bash.text();
  EXPECT_TRUE(bash.prompt());
}

}  // namespace
}  // namespace holdfast::testing
