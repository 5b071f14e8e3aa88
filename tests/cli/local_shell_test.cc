// `holdfast shell` on local:, when the engine there is killed.
#include <gtest/gtest.h>

#include "cli/local_world.h"
#include "support/pty.h"

namespace holdfast::testing {
namespace {

class LocalShell : public LocalWorld {
 protected:
  std::unique_ptr<Pty> person() const {
    auto terminal = std::make_unique<Pty>(
        PtyOptions{.argv = {HOLDFAST_COMMAND, "shell", "--session-timeout", "40s", "--connect-timeout", "60s"},
                   .env = {{"HOME", dir_.path().string()}, {"LC_ALL", "C.UTF-8"}}});
    EXPECT_TRUE(terminal->expect("> ", kLocalPatience)) << terminal->text();
    return terminal;
  }
  // Until its connections are closed, too.
  void kill_and_bury_engine() {
    const int pid = kill_engine();
    EXPECT_TRUE(eventually(kLocalPatience, [&] { return is_gone(pid); }));
  }
  static ::testing::AssertionResult says(Pty& terminal, const std::string& line, const std::string& answer) {
    terminal.send(line + "\n");
    if (terminal.expect(answer, kLocalPatience)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no " << answer << " in:\n" << terminal.text();
  }
};

TEST_F(LocalShell, goes_on_in_its_session_at_the_next_engine_when_the_first_is_killed) {
  const auto terminal = person();
  ASSERT_TRUE(says(*terminal, "create -e /mine x", "Created /mine"));
  for (int round = 0; round < 2; ++round) {
    const auto before = find_local_engine();
    ASSERT_TRUE(before);
    ASSERT_EQ(::kill(before->pid, SIGKILL), 0);
    ASSERT_TRUE(terminal->expect("Lost the connection to " + before->address, kLocalPatience)) << terminal->text();
    ASSERT_TRUE(terminal->expect("Connected again to ", kLocalPatience)) << terminal->text();
    const auto after = find_local_engine();
    ASSERT_TRUE(after);
    EXPECT_NE(after->pid, before->pid);
    ASSERT_TRUE(terminal->expect(after->address + " in the same session", kLocalPatience)) << terminal->text();
    EXPECT_TRUE(terminal->expect(after->address + "> ", kLocalPatience)) << "the prompt says where we are";
    EXPECT_TRUE(says(*terminal, "getEphemerals", "\n/mine\n"));
  }
  EXPECT_EQ(starts(), 3) << contents(state() / "engine.log");
}

TEST_F(LocalShell, meets_others_at_the_engine_that_they_have_started) {
  const auto terminal = person();
  terminal->signal(SIGSTOP);
  kill_and_bury_engine();
  Process other(holder("a"));
  ASSERT_TRUE(first_line(other).starts_with("token "));
  terminal->signal(SIGCONT);
  EXPECT_TRUE(says(*terminal, "ls /a", "-lock-"));
  EXPECT_EQ(starts(), 2) << contents(state() / "engine.log");
}

TEST_F(LocalShell, script_goes_on_at_the_next_engine) {
  const TempDir err("script");
  Process script({.argv = {HOLDFAST_COMMAND, "shell", "--connect-timeout", "60s"}, .stderr_file = err / "err"});
  ASSERT_TRUE(script.write_line("create /a x"));
  ASSERT_EQ(first_line(script), "Created /a");
  kill_and_bury_engine();
  ASSERT_TRUE(script.write_line("get /a"));
  EXPECT_EQ(first_line(script), "x") << "only results are on stdout";
  script.close_stdin();
  EXPECT_EQ(script.wait(kLocalPatience), 0);
  const auto errors = contents(err.path() / "err");
  EXPECT_TRUE(errors.starts_with("holdfast: Lost the connection to ")) << errors;
  EXPECT_NE(errors.find("\nholdfast: Connected again to "), std::string::npos) << errors;
}

}  // namespace
}  // namespace holdfast::testing
