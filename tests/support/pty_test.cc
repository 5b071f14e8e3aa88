#include "pty.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "eventually.h"
#include "terminal_screen.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 30s;
const std::vector<std::string> kBash{"bash", "--norc", "--noprofile", "-i"};

TEST(TerminalScreen, shows_what_a_person_would_see) {
  TerminalScreen screen(10, 3);
  EXPECT_EQ(screen.feed("one\r\n\x1b[31mtwo\x1b[0m\r\nthree"), "one\ntwo\nthree");
  EXPECT_EQ(screen.rows(), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(screen.feed("\r\x1b[Kfour"), "\rfour");
  EXPECT_EQ(screen.row(), "four");
  screen.feed("\r\nfive");
  EXPECT_EQ(screen.rows(), (std::vector<std::string>{"two", "four", "five"}));
  screen.feed("\x1b[1;3H\x1b[J");
  EXPECT_EQ(screen.rows(), std::vector<std::string>{"tw"});
  screen.feed("\x1b]0;a title\aé");
  EXPECT_EQ(screen.rows(), std::vector<std::string>{"twé"});
  screen.feed("\x1b[2J\x1b[H0123456789abc");
  EXPECT_EQ(screen.rows(), (std::vector<std::string>{"0123456789", "abc"}));
}

TEST(Pty, is_a_terminal_of_the_size_that_was_asked_for) {
  Pty tty({.argv = {"sh", "-c", "test -t 0 && test -t 1 && test -t 2 && stty size"}, .columns = 100, .rows = 30});
  EXPECT_TRUE(tty.expect("30 100", kPatience)) << tty.text();
  EXPECT_EQ(tty.wait(kPatience), 0);
}

TEST(Pty, expects_one_thing_behind_the_other) {
  Pty tty({"printf", "one two one\\n"});
  EXPECT_TRUE(tty.expect("one", kPatience));
  const auto found = tty.expect(std::regex("t(w)o"), kPatience);
  ASSERT_TRUE(found) << tty.text();
  EXPECT_EQ((*found)[1], "w");
  EXPECT_TRUE(tty.expect("one", kPatience));
  EXPECT_FALSE(tty.expect("one", kPatience)) << "the program has ended, so this does not wait";
}

TEST(Pty, passes_keys_as_signals) {
  Pty tty({"sh", "-c", "trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.05; done"});
  ASSERT_TRUE(tty.expect("ready", kPatience));
  tty.key('c');
  EXPECT_TRUE(tty.expect("caught", kPatience)) << tty.text();
  EXPECT_EQ(tty.wait(kPatience), 3);
}

TEST(Pty, has_the_job_control_of_a_real_shell) {
  Pty bash({.argv = kBash, .env = {{"PS1", "prompt> "}}});
  ASSERT_TRUE(bash.expect("prompt> ", kPatience)) << bash.text();
  EXPECT_EQ(bash.foreground(), bash.pid());
  // A Ctrl-Z before the shell's child has become the program is lost, as it is for a person.
  bash.send("sh -c \"echo st''arted; exec sleep 1000\"\n");
  ASSERT_TRUE(bash.expect("started", kPatience)) << bash.text();
  EXPECT_NE(bash.foreground(), bash.pid());
  bash.key('z');
  ASSERT_TRUE(bash.expect("Stopped", kPatience)) << bash.text();
  ASSERT_TRUE(bash.expect("prompt> ", kPatience)) << bash.text();
  bash.send("fg\n");
  ASSERT_TRUE(eventually(kPatience, [&] { return bash.foreground() != bash.pid(); }));
  bash.key('c');
  bash.send("echo code=$?\n");
  EXPECT_TRUE(bash.expect("code=130", kPatience)) << bash.text();
}

TEST(Pty, tells_the_program_when_the_window_is_closed) {
  Pty tty({"sh", "-c", "echo ready; sleep 1000"});
  ASSERT_TRUE(tty.expect("ready", kPatience));
  tty.hang_up();
  EXPECT_EQ(tty.wait(kPatience), 128 + SIGHUP);
}

TEST(Pty, leaves_no_process_behind) {
  pid_t background = 0;
  {
    Pty bash({.argv = kBash, .env = {{"PS1", "prompt> "}}});
    bash.send("nohup sleep 1000 >/dev/null 2>&1 & echo pid=$!.\n");
    const auto found = bash.expect(std::regex("pid=([0-9]+)\\."), kPatience);
    ASSERT_TRUE(found) << bash.text();
    background = std::stoi((*found)[1]);
    ASSERT_EQ(::kill(background, 0), 0);
  }
  EXPECT_TRUE(eventually(kPatience, [&] { return ::kill(background, 0) != 0; }));
}

}  // namespace
}  // namespace holdfast::testing
