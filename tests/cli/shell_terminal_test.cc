// `holdfast shell` with people in front of it.
#include <gtest/gtest.h>
#include <signal.h>

#include "shell_command.h"
#include "support/eventually.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

constexpr auto kTab = "\t";
constexpr auto kArrowUp = "\x1b[A";

class ShellTerminal : public ::testing::Test {
 protected:
  std::unique_ptr<Pty> person(unsigned short columns = 80) {
    auto terminal = shell_on_terminal(server_.address(), home_.path(), {}, columns);
    EXPECT_TRUE(terminal->expect(prompt_, kPatience)) << terminal->text();
    return terminal;
  }
  // Types a line and waits for what it says.
  static ::testing::AssertionResult says(Pty& terminal, const std::string& line, const std::string& answer) {
    terminal.send(line + "\n");
    if (terminal.expect(answer, kPatience)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no " << answer << " in:\n" << terminal.text();
  }
  // The line under the cursor becomes that.
  static bool edits(const Pty& terminal, const std::string& row) {
    return eventually(kPatience, [&] { return terminal.cursor_row() == row; });
  }
  static ::testing::AssertionResult leaves(Pty& terminal) {
    terminal.key('d');
    const auto code = terminal.wait(kPatience);
    if (code == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "code " << code.value_or(-1) << ":\n" << terminal.text();
  }

  ZooKeeperServer server_{{.make = ServerMake::engine}};
  TempDir home_{"home"};
  std::string prompt_ = server_.address() + "> ";
};

class ShellTwo : public ::testing::TestWithParam<ServerMake> {};
INSTANTIATE_TEST_SUITE_P(, ShellTwo, ::testing::Values(ServerMake::apache, ServerMake::engine),
                         [](const auto& each) { return to_string(each.param); });

TEST_P(ShellTwo, people_see_each_others_nodes_come_and_go) {
  const ZooKeeperServer server({.make = GetParam()});
  const TempDir home;
  const auto says = [](Pty& terminal, const std::string& line, const std::string& answer) {
    terminal.send(line + "\n");
    EXPECT_TRUE(terminal.expect(answer, kPatience)) << line << ": no " << answer << " in:\n" << terminal.text();
  };
  const auto ann = shell_on_terminal(server.address(), home.path());
  const auto bob = shell_on_terminal(server.address(), home.path());
  says(*ann, "create /locks", "Created /locks");
  says(*ann, "create -s -e /locks/ticket- ann", "Created /locks/ticket-0000000000");
  says(*bob, "create -s -e /locks/ticket- bob", "Created /locks/ticket-0000000001");
  says(*bob, "ls /locks", "[ticket-0000000000, ticket-0000000001]");
  says(*bob, "get -w /locks/ticket-0000000000", "\nann\n");
  ann->send("delete /locks/ticket-0000000000\n");
  EXPECT_TRUE(bob->expect("WATCHER:: NodeDeleted /locks/ticket-0000000000", kPatience)) << bob->text();
  says(*ann, "get -w /locks/ticket-0000000001", "\nbob\n");
  bob->key('d');
  EXPECT_EQ(bob->wait(kPatience), 0) << bob->text();
  EXPECT_TRUE(ann->expect("WATCHER:: NodeDeleted /locks/ticket-0000000001", kPatience)) << ann->text();
  says(*ann, "ls /locks", "\n[]\n");
}

TEST_F(ShellTerminal, prints_news_above_the_line_that_is_edited) {
  for (const auto columns : std::initializer_list<unsigned short>{80, 40}) {
    const auto terminal = person(columns);
    const std::string name = "/news-" + std::to_string(columns);
    ASSERT_TRUE(says(*terminal, "create " + name + " x", "Created"));
    ASSERT_TRUE(says(*terminal, "get -w " + name, "\nx\n"));
    const std::string half = "set " + name + " 'a long line, longer than a narrow window";
    terminal->send(half);
    ASSERT_TRUE(eventually(kPatience, [&] { return terminal->text().ends_with("window"); })) << terminal->text();
    ASSERT_EQ(one_shot(server_.address(), {"set", name, "y"}).code, 0);
    ASSERT_TRUE(terminal->expect("WATCHER:: NodeDataChanged " + name + "\n", kPatience)) << terminal->text();
    // Whole, and only once on the screen.
    const auto in_rows = [&] {
      const auto whole = prompt_ + half;
      std::vector<std::string> rows;
      for (std::size_t at = 0; at < whole.size(); at += columns) rows.push_back(whole.substr(at, columns));
      return rows;
    }();
    const auto is_drawn_again = [&] {
      const auto screen = terminal->screen();
      const auto news = std::find(screen.begin(), screen.end(), "WATCHER:: NodeDataChanged " + name);
      return news != screen.end() && std::vector(news + 1, screen.end()) == in_rows &&
             std::find(screen.begin(), news, in_rows.front()) == news;
    };
    EXPECT_TRUE(eventually(kPatience, is_drawn_again)) << ::testing::PrintToString(terminal->screen());
    terminal->send("'\n");
    ASSERT_TRUE(says(*terminal, "get " + name, "\na long line, longer than a narrow window\n"));
    EXPECT_TRUE(leaves(*terminal));
  }
}

TEST_F(ShellTerminal, completes_commands_options_and_paths) {
  for (const std::string path : {"/locks", "/locks/orders", "/locals"}) {
    ASSERT_EQ(one_shot(server_.address(), {"create", path, "data of " + path}).code, 0);
  }
  const auto terminal = person();
  terminal->send(std::string("ge") + kTab);
  EXPECT_TRUE(edits(*terminal, prompt_ + "get"));
  terminal->send(std::string(" /lo") + kTab + kTab);
  ASSERT_TRUE(terminal->expect("locals  locks", kPatience)) << terminal->text();
  EXPECT_TRUE(edits(*terminal, prompt_ + "get /loc"));
  terminal->send(std::string("k") + kTab + kTab);
  EXPECT_TRUE(edits(*terminal, prompt_ + "get /locks/orders"));
  EXPECT_TRUE(says(*terminal, "", "\ndata of /locks/orders\n"));
  terminal->send(std::string("create -") + kTab);
  EXPECT_TRUE(terminal->expect("-c  -e  -s  -t", kPatience)) << terminal->text();
  terminal->key('c');
  EXPECT_TRUE(leaves(*terminal));
}

TEST_F(ShellTerminal, remembers_lines_but_no_secrets) {
  {
    const auto terminal = person();
    ASSERT_TRUE(says(*terminal, "create /a 'two words'", "Created /a"));
    ASSERT_TRUE(says(*terminal, "get /a", "\ntwo words\n"));
    terminal->send("addauth digest ann:secret\n");
    ASSERT_TRUE(says(*terminal, "whoami", "\ndigest: ann\n"));
    ASSERT_TRUE(leaves(*terminal));
  }
  const auto file = home_ / "state/holdfast/shell_history";
  EXPECT_EQ(content_of(file), "create /a 'two words'\nget /a\nwhoami\n");
  const auto terminal = person();
  terminal->send(kArrowUp);
  EXPECT_TRUE(edits(*terminal, prompt_ + "whoami")) << terminal->cursor_row();
  terminal->send(std::string(kArrowUp) + kArrowUp);
  EXPECT_TRUE(edits(*terminal, prompt_ + "create /a 'two words'")) << terminal->cursor_row();
  terminal->send("\n");
  EXPECT_TRUE(terminal->expect("Node already exists: /a", kPatience)) << terminal->text();
  EXPECT_TRUE(leaves(*terminal));
}

TEST_F(ShellTerminal, clears_the_line_on_ctrl_c) {
  const auto terminal = person();
  terminal->send("create /never x");
  ASSERT_TRUE(edits(*terminal, prompt_ + "create /never x"));
  terminal->key('c');
  ASSERT_TRUE(terminal->expect("^C", kPatience)) << terminal->text();
  EXPECT_TRUE(edits(*terminal, server_.address() + ">")) << terminal->cursor_row();
  EXPECT_TRUE(says(*terminal, "ls /", "\n[zookeeper]\n"));
  EXPECT_TRUE(leaves(*terminal));
}

TEST_F(ShellTerminal, stops_and_goes_on_as_a_job) {
  Pty bash({.argv = {"bash", "--norc", "--noprofile", "-i"},
            .env = {{"PS1", "bash$ "}, {"XDG_STATE_HOME", home_.path().string()}, {"HOME", home_.path().string()}}});
  ASSERT_TRUE(bash.expect("bash$ ", kPatience)) << bash.text();
  bash.send(std::string(HOLDFAST_COMMAND) + " shell --url zk://" + server_.address() + "\n");
  ASSERT_TRUE(bash.expect(prompt_, kPatience)) << bash.text();
  bash.send("create /half");
  ASSERT_TRUE(edits(bash, prompt_ + "create /half"));
  bash.key('z');
  ASSERT_TRUE(bash.expect("Stopped", kPatience)) << bash.text();
  bash.send("fg\n");
  ASSERT_TRUE(edits(bash, prompt_ + "create /half")) << bash.text();
  EXPECT_TRUE(says(bash, "-made", "Created /half-made"));
  EXPECT_TRUE(says(bash, "quit", "bash$ "));
}

TEST_F(ShellTerminal, ends_its_session_when_it_is_told_to_go) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const auto terminal = person();
    ASSERT_TRUE(says(*terminal, "create -e /mine", "Created /mine"));
    terminal->signal(signal);
    EXPECT_EQ(terminal->wait(kPatience), 128 + signal) << terminal->text();
    EXPECT_EQ(one_shot(server_.address(), {"ls", "/"}).out, "[zookeeper]\n") << "not left to the session's timeout";
  }
}

TEST_F(ShellTerminal, lets_no_escape_sequence_of_others_through) {
  ASSERT_EQ(one_shot(server_.address(), {"create", "/evil", "\x1b]0;mine\a"}).code, 0);
  const auto terminal = person();
  EXPECT_TRUE(says(*terminal, "get /evil", "\n\\x1b]0;mine\\x07\n"));
  EXPECT_TRUE(says(*terminal, "get -r /evil", "-r is for files and pipes"));
  EXPECT_EQ(terminal->bytes().find("\x1b]0;mine"), std::string::npos);
  EXPECT_TRUE(leaves(*terminal));
}

}  // namespace
}  // namespace holdfast::testing
