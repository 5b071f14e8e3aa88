// `holdfast shell` when its server goes, and comes back.
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "shell_command.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/free_port.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

class ShellSession : public ::testing::TestWithParam<ServerMake> {
 protected:
  std::unique_ptr<Pty> person(const std::vector<std::string>& options = {}) {
    auto terminal = shell_on_terminal(server_.address(), home_.path(), options);
    EXPECT_TRUE(terminal->expect("> ", kPatience)) << terminal->text();
    return terminal;
  }
  static ::testing::AssertionResult says(Pty& terminal, const std::string& line, const std::string& answer) {
    terminal.send(line + "\n");
    if (terminal.expect(answer, kPatience)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no " << answer << " in:\n" << terminal.text();
  }

  ZooKeeperServer server_{{.make = GetParam()}};
  TempDir home_{"home"};
};
INSTANTIATE_TEST_SUITE_P(, ShellSession, ::testing::Values(ServerMake::apache, ServerMake::engine),
                         [](const auto& each) { return to_string(each.param); });

TEST_P(ShellSession, outlives_its_server_with_nodes_watches_and_identity) {
  const auto terminal = person({"--session-timeout", "40s"});
  terminal->send("addauth digest ann:secret\n");
  ASSERT_TRUE(says(*terminal, "create /hers x auth::cdrwa", "Created /hers"));
  ASSERT_TRUE(says(*terminal, "create -e /mine", "Created /mine"));
  ASSERT_TRUE(says(*terminal, "create /watched x", "Created /watched"));
  ASSERT_TRUE(says(*terminal, "get -w /watched", "\nx\n"));
  terminal->send("addWatch -m PERSISTENT /mine\n");
  ASSERT_TRUE(says(*terminal, "sync /", "Sync is OK"));
  server_.kill();
  ASSERT_TRUE(terminal->expect("Lost the connection to " + server_.address(), kPatience)) << terminal->text();
  EXPECT_TRUE(terminal->expect(server_.address() + " (not connected)> ", kPatience)) << terminal->text();
  server_.restart();
  ASSERT_TRUE(terminal->expect("Connected again to " + server_.address() + " in the same session", kPatience))
      << terminal->text();
  EXPECT_TRUE(says(*terminal, "getEphemerals", "\n/mine\n"));
  EXPECT_TRUE(says(*terminal, "get /hers", "\nx\n"));
  ASSERT_EQ(one_shot(server_.address(), {"set", "/watched", "y"}).code, 0);
  EXPECT_TRUE(terminal->expect("WATCHER:: NodeDataChanged /watched", kPatience)) << terminal->text();
  EXPECT_TRUE(says(*terminal, "delete /mine", "WATCHER:: NodeDeleted /mine"));
}

TEST_P(ShellSession, that_has_expired_is_replaced_and_that_is_said) {
  const auto terminal = person({"--session-timeout", "1s"});
  ASSERT_TRUE(says(*terminal, "create -e /mine", "Created /mine"));
  terminal->signal(SIGSTOP);
  ASSERT_TRUE(eventually(kPatience, [&] { return one_shot(server_.address(), {"ls", "/"}).out == "[zookeeper]\n"; }));
  terminal->signal(SIGCONT);
  EXPECT_TRUE(terminal->expect("The session has expired", kPatience)) << terminal->text();
  EXPECT_TRUE(says(*terminal, "create -e /mine", "Created /mine"));
}

// Stopped, or on a machine that stood still: the answer that came meanwhile counts.
TEST_P(ShellSession, begins_although_we_were_away_for_longer_than_it_may_take) {
  FaultProxy proxy(server_.port());
  server_.pause();
  Process shell({.argv = {HOLDFAST_COMMAND, "shell", "--url", "zk://" + proxy.address(), "--connect-timeout", "2s",
                          "--", "ls", "/"},
                 .env = {{"HOME", home_.path().string()}},
                 .stderr_file = home_ / "err"});
  const auto seen = [&](Seen::Kind kind) {
    return proxy.count([&](const Seen& each) { return each.is_handshake() && each.kind == kind; }) > 0;
  };
  ASSERT_TRUE(eventually(kPatience, [&] { return seen(Seen::Kind::request); }));
  shell.pause();
  server_.resume();
  ASSERT_TRUE(eventually(kPatience, [&] { return seen(Seen::Kind::reply); }));
  std::this_thread::sleep_for(std::chrono::seconds(2));  // the moment at which it is late
  shell.resume();
  EXPECT_EQ(shell.wait(kPatience), 0) << content_of(home_ / "err");
}

TEST_P(ShellSession, is_not_waited_for_any_longer_after_ctrl_c) {
  const auto terminal = person({"--session-timeout", "60s"});
  server_.pause();
  terminal->send("ls /\n");
  ASSERT_TRUE(terminal->expect("ls /\n", kPatience)) << terminal->text();
  terminal->key('c');
  EXPECT_TRUE(terminal->expect("Interrupted", kPatience)) << terminal->text();
  server_.resume();
  EXPECT_TRUE(says(*terminal, "ls /", "\n[zookeeper]\n"));
}

TEST_P(ShellSession, shows_what_is_typed_ahead_once) {
  const auto terminal = person({"--session-timeout", "60s"});
  server_.pause();
  terminal->send("ls /\n");
  ASSERT_TRUE(terminal->expect("ls /\n", kPatience)) << terminal->text();
  terminal->send("get /ahead");
  server_.resume();
  ASSERT_TRUE(terminal->expect("[zookeeper]\n", kPatience)) << terminal->text();
  const auto whole = server_.address() + "> get /ahead";
  EXPECT_TRUE(eventually(kPatience, [&] { return terminal->cursor_row() == whole; })) << terminal->text();
  EXPECT_EQ(terminal->text().find("get /ahead"), terminal->text().rfind("get /ahead")) << terminal->text();
}

TEST_P(ShellSession, ends_after_the_command_during_which_ctrl_d_was_pressed) {
  const auto terminal = person({"--session-timeout", "60s"});
  server_.pause();
  terminal->send("ls /\n");
  ASSERT_TRUE(terminal->expect("ls /\n", kPatience)) << terminal->text();
  terminal->key('d');
  server_.resume();
  EXPECT_TRUE(terminal->expect("[zookeeper]", kPatience)) << terminal->text();
  EXPECT_EQ(terminal->wait(kPatience), 0) << terminal->text();
}

TEST_P(ShellSession, goes_to_the_next_server_of_its_list) {
  const auto dead = "127.0.0.1:" + std::to_string(free_port());
  // Which one is tried first is left to chance, so often enough.
  for (int i = 0; i < 5; ++i) {
    const auto ran = run_shell("zk://" + dead + "," + server_.address(), {"--", "ls", "/"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "[zookeeper]\n");
  }
}

TEST_P(ShellSession, survives_credentials_that_are_refused) {
  const auto ran =
      run_shell("zk://" + server_.address(), {"-k"}, {"create -e /mine", "addauth nonsense x", "getEphemerals"});
  EXPECT_NE(ran.err.find("line 2: The server refused that identity"), std::string::npos) << ran.err;
  EXPECT_TRUE(ran.out.ends_with("\n/mine\n")) << ran.out;
}

TEST_P(ShellSession, keeps_alive_while_a_script_has_nothing_to_say) {
  const std::vector<std::string> argv{HOLDFAST_COMMAND,    "shell", "--url", "zk://" + server_.address(),
                                      "--session-timeout", "1s"};
  Process process(argv);
  process.write_line("create -e /mine");
  ASSERT_EQ(process.read_line(kPatience), "Created /mine");
  // Three timeouts by the server's own clock: those of sessions like this one, that are killed.
  for (int i = 0; i < 3; ++i) {
    Process other(argv);
    other.write_line("create -e /other");
    ASSERT_EQ(other.read_line(kPatience), "Created /other");
    other.kill9();
    ASSERT_TRUE(eventually(kPatience, [&] { return one_shot(server_.address(), {"stat", "/other"}).code == 1; }));
  }
  process.write_line("getEphemerals");
  EXPECT_EQ(process.read_line(kPatience), "/mine");
}

}  // namespace
}  // namespace holdfast::testing
