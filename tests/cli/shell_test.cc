// `holdfast shell` in scripts: one command, or standard input, on both servers.
#include <gtest/gtest.h>

#include <regex>

#include "shell_command.h"
#include "support/free_port.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using Words = std::vector<std::string>;
constexpr auto kHasTtl = "-Dzookeeper.extendedTypesEnabled=true";

class ShellOn : public ::testing::TestWithParam<ServerMake> {
 protected:
  ZooKeeperServer server_{{.make = GetParam(), .java_options = {kHasTtl}}};
  std::string url_ = "zk://" + server_.address();
};
INSTANTIATE_TEST_SUITE_P(, ShellOn, ::testing::Values(ServerMake::apache, ServerMake::engine),
                         [](const auto& each) { return to_string(each.param); });

TEST_P(ShellOn, runs_one_command_and_says_by_its_code_how_it_went) {
  const auto created = one_shot(server_.address(), {"create", "-s", "/a-", "two words"});
  EXPECT_EQ(created.code, 0) << created.err;
  EXPECT_EQ(created.out, "Created /a-0000000000\n");
  EXPECT_EQ(one_shot(server_.address(), {"get", "/a-0000000000"}).out, "two words\n");
  EXPECT_EQ(one_shot(server_.address(), {"ls", "/"}).out, "[a-0000000000, zookeeper]\n");

  const auto missing = one_shot(server_.address(), {"get", "/nowhere"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(missing.err, "holdfast: Node does not exist: /nowhere\n");
}

TEST_P(ShellOn, takes_its_ephemeral_nodes_with_it) {
  const auto ran = run_shell(url_, {}, {"create -e /mine x", "ls /", "getEphemerals"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Created /mine\n[mine, zookeeper]\n/mine\n");
  EXPECT_EQ(one_shot(server_.address(), {"ls", "/"}).out, "[zookeeper]\n");
}

TEST_P(ShellOn, stops_a_script_at_the_first_line_that_fails) {
  const Words script{"# a comment", "", "create /a x", "create /a y", "create /b z"};
  const auto stopped = run_shell(url_, {}, script);
  EXPECT_EQ(stopped.code, 1);
  EXPECT_EQ(stopped.out, "Created /a\n");
  EXPECT_EQ(stopped.err, "holdfast: line 4: Node already exists: /a\n");

  const auto went_on = run_shell(url_, {"--keep-going"}, script);
  EXPECT_EQ(went_on.code, 1);
  EXPECT_EQ(went_on.out, "Created /b\n");
}

TEST_P(ShellOn, works_below_the_path_of_its_url) {
  ASSERT_EQ(one_shot(server_.address(), {"create", "/app"}).code, 0);
  const auto ran =
      run_shell(url_ + "/app", {}, {"ls /", "addWatch /", "create -e /a x", "ls -R /", "getEphemerals", "delete /a"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "[]\nWATCHER:: NodeCreated /a\nCreated /a\n/\n/a\n/a\nWATCHER:: NodeDeleted /a\n");
}

TEST_P(ShellOn, shows_bytes_as_hex_and_gives_them_as_they_are) {
  const std::string odd = "\x1b[2J\xff";
  ASSERT_EQ(one_shot(server_.address(), {"create", "/bytes", odd}).code, 0);
  EXPECT_EQ(one_shot(server_.address(), {"get", "/bytes"}).out, "0x1b5b324aff (5 bytes)\n");
  EXPECT_EQ(one_shot(server_.address(), {"get", "-r", "/bytes"}).out, odd);
}

TEST_P(ShellOn, deletes_a_tree_and_nothing_beside_it) {
  ASSERT_EQ(run_shell(url_, {}, {"create /t", "create /t/a", "create /t/a/b", "create /t/c", "create /tt"}).code, 0);
  EXPECT_EQ(one_shot(server_.address(), {"getAllChildrenNumber", "/t"}).out, "3\n");
  EXPECT_EQ(one_shot(server_.address(), {"deleteall", "/t"}).code, 0);
  EXPECT_EQ(one_shot(server_.address(), {"ls", "/"}).out, "[tt, zookeeper]\n");
  EXPECT_EQ(one_shot(server_.address(), {"deleteall", "/"}).code, 64);
}

// Everything it can do, once.
const Words kRound{"ls /",
                   "stat /zookeeper",
                   "create /t top",
                   "create /t again",
                   "create /missing/child x",
                   "create /t/",
                   "create t",
                   "create -s -e /t/seq- one",
                   "create -se /t/seq- two",
                   "create -s /t/ three",
                   "create -e /t/gone four",
                   "create /t/gone/child x",
                   "create -c /t/container",
                   "create -t 100000 /t/lives lasts",
                   "create -st 100000 /t/lives- lasts",
                   "create -ce /t/x",
                   "create -t 0 /t/x",
                   "create",
                   "ls -s /t",
                   "ls -R /t",
                   "ls -R -w /t",
                   "ls /t/nowhere",
                   "stat /t/seq-0000000000",
                   "getEphemerals",
                   "getEphemerals /t/g",
                   "getAllChildrenNumber /t",
                   "get -w /t",
                   "set /t changed",
                   "set -s -v 1 /t third",
                   "set -v 1 /t fourth",
                   "set -v x /t fourth",
                   "get -s /t",
                   "create /empty",
                   "get /empty",
                   "set /empty ''",
                   "get /empty",
                   "stat -w /t/later",
                   "ls -w /t",
                   "create /t/later now",
                   "get -w /t/gone",
                   "removewatches /t/gone",
                   "removewatches /t/gone",
                   "addWatch -m PERSISTENT /t",
                   "create /t/under x",
                   "set /t/under y",
                   "removewatches /t",
                   "addWatch /t",
                   "create /t/under/deep x",
                   "removewatches -a /t",
                   "addWatch -m ALWAYS /t",
                   "delete -v 7 /t/under/deep",
                   "delete /t/under",
                   "delete /t/under/deep",
                   "delete /t/under/deep",
                   "getAcl -s /t",
                   "setAcl /t/later auth::cdrwa",
                   "whoami",
                   "addauth digest ann:secret",
                   "whoami",
                   "create /t/hers mine auth::crwa",
                   "getAcl /t/hers",
                   "create /t/seen open world:anyone:r,ip:127.0.0.1:rwa",
                   "getAcl /t/seen",
                   "create /t/seen/child x",
                   "setAcl -s /t/hers digest:bob:nobodys-hash:r",
                   "get /t/hers",
                   "setAcl -v 7 /t/later world:anyone:r",
                   "setAcl -R /t/later world:anyone:r",
                   "getAcl /t/later",
                   "setAcl /t/later nonsense:someone:r",
                   "setAcl /t/later nonsense",
                   "sync /t",
                   "history",
                   "redo 1",
                   "help getAcl",
                   "nonsense",
                   "ls",
                   "ls / /",
                   "ls -x /",
                   "create '/t/open",
                   "deleteall /t",
                   "ls /",
                   "close",
                   "ls /",
                   "connect",
                   "ls /",
                   "getEphemerals",
                   "quit",
                   "ls /never"};

// What differs from run to run: zxids, sessions and times.
std::string normalised(std::string text, const std::string& address) {
  for (std::size_t at = 0; (at = text.find(address)) != std::string::npos;) text.replace(at, address.size(), "SERVER");
  text = std::regex_replace(text, std::regex("0x[0-9a-f]+"), "0x");
  return std::regex_replace(text, std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"), "TIME");
}

TEST(Shell, says_the_same_on_the_engine_as_on_zookeeper) {
  const auto round = [](ServerMake make) {
    const ZooKeeperServer server({.make = make, .java_options = {kHasTtl}});
    auto ran = run_shell("zk://" + server.address(), {"-k"}, kRound);
    EXPECT_EQ(ran.code, 1) << "the first line that fails is refused by the server";
    return std::pair(normalised(ran.out, server.address()), normalised(ran.err, server.address()));
  };
  const auto apache = round(ServerMake::apache);
  const auto engine = round(ServerMake::engine);
  EXPECT_EQ(apache.first, engine.first);
  EXPECT_EQ(apache.second, engine.second);
  for (const char* line :
       {"Created /t/seq-0000000000\n", "Created /t/0000000002\n", "WATCHER:: NodeDataChanged /t\n", "\nnull\n",
        "WATCHER:: NodeChildrenChanged /t\n", "WATCHER:: NodeCreated /t/under/deep\n", "digest: ann\n", "Sync is OK\n",
        "ip:127.0.0.1:rwa\n", "Connected to SERVER in session 0x\n", "\n[empty, t, zookeeper]\n"}) {
    EXPECT_NE(engine.first.find(line), std::string::npos) << line << "is missing in:\n" << engine.first;
  }
  for (const char* line :
       {"line 5: Node does not exist: /missing; create it first\n", "Ephemerals cannot have children: /t/gone/child\n",
        "Version is not the current one: /t;", "No watch of this shell is on /t/gone\n", "Node not empty: /t/under;",
        "Insufficient permission: /t/hers;", "Acl is not valid: /t/later;", "No such command: nonsense;",
        "usage: ls [-s] [-R] [-w] path\n", "A quote is not closed;", "Not connected to a server;"}) {
    EXPECT_NE(engine.second.find(line), std::string::npos) << line << "\nis missing in:\n" << engine.second;
  }
  EXPECT_EQ(engine.second.find("/never"), std::string::npos) << "it went on after quit";
}

TEST(Shell, names_the_server_that_it_cannot_reach) {
  const auto address = "127.0.0.1:" + std::to_string(free_port());
  const auto began = std::chrono::steady_clock::now();
  const auto ran = run_shell("zk://" + address, {"--connect-timeout", "1s", "--", "ls", "/"});
  EXPECT_EQ(ran.code, 69);
  EXPECT_EQ(ran.err, "holdfast: Not connected to " + address + ": Connection refused\n");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST(Shell, refuses_what_makes_no_sense_without_a_server) {
  EXPECT_EQ(run_shell("memory:", {"--", "ls", "/"}).code, 64);
  const auto hosts = run_shell("zk://127.0.0.1:x", {"--", "ls", "/"});
  EXPECT_EQ(hosts.code, 64);
  EXPECT_NE(hosts.err.find("write zk://host:port"), std::string::npos) << hosts.err;
  EXPECT_EQ(run_shell("zk://127.0.0.1:1", {"--nonsense"}).code, 64);
}

}  // namespace
}  // namespace holdfast::testing
