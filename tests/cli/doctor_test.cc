// `holdfast doctor`: does it find what is wrong, and only that?
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/logins.h"
#include "cli/server_command.h"
#include "support/fault_proxy.h"
#include "support/free_port.h"
#include "support/plain_client.h"
#include "support/process.h"
#include "support/redis_server.h"
#include "support/temp_dir.h"
#include "support/web_server.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

struct Visit {
  int exit_code = -1;
  std::string output;
  std::string errors;

  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Visit command(std::vector<std::string> words, std::vector<std::pair<std::string, std::string>> env = {}) {
  words.insert(words.begin(), HOLDFAST_COMMAND);
  const TempDir dir("doctor");
  Process process({.argv = std::move(words),
                   .env = std::move(env),
                   .working_dir = dir.path(),
                   .stdout_file = dir / "out",
                   .stderr_file = dir / "err"});
  Visit visit;
  visit.exit_code = process.wait(60s).value_or(-1);
  visit.output = content(dir / "out");
  visit.errors = content(dir / "err");
  return visit;
}

Visit doctor(const std::string& hosts, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"doctor", "--url", "zk://" + hosts});
  return command(std::move(more));
}

// Every check of a service that is well, on whichever server.
void expect_all_well(const Visit& visit, const std::string& address) {
  EXPECT_EQ(visit.exit_code, 0) << visit.output << visit.errors;
  EXPECT_EQ(visit.errors, "");
  for (const auto* check : {"settings", "boot clock", "server", "session", "latency", "permissions", "lock", "clock"}) {
    EXPECT_TRUE(visit.says("ok       " + std::string(check))) << check << "\n" << visit.output;
  }
  EXPECT_TRUE(visit.says(address + " is reached in ")) << visit.output;
  EXPECT_TRUE(visit.says("version 3.8.")) << visit.output;
  EXPECT_TRUE(visit.says(", standalone")) << visit.output;
  EXPECT_TRUE(visit.says("\nAll is well.\n")) << visit.output;
}

TEST(Doctor, a_url_without_a_server_is_wrong_for_every_command) {
  for (const std::string url : {"zk://", "zk:///app", "zk://,", "zk://,,/app"}) {
    const auto said = "\"" + url + "\" names no server; write zk://host:port, such as zk://localhost:2181";
    const auto visit = command({"doctor", "--url", url});
    EXPECT_EQ(visit.exit_code, 1) << url;
    EXPECT_TRUE(visit.says("wrong    settings     " + said)) << visit.output;
    EXPECT_FALSE(visit.says("All")) << visit.output;
    for (const auto& words : std::vector<std::vector<std::string>>{{"run", "a", "--", "true"},
                                                                   {"ls"},
                                                                   {"show", "a"},
                                                                   {"watch"},
                                                                   {"break", "a"},
                                                                   {"shell", "--", "ls", "/"}}) {
      auto line = words;
      line.insert(line.begin() + 1, {"--url", url});
      const auto refused = command(line);
      EXPECT_EQ(refused.exit_code, 64) << words.front() << ": " << refused.errors;
      EXPECT_EQ(refused.errors, "holdfast: " + said + "\n") << words.front();
    }
  }
}

TEST(Doctor, finds_nothing_wrong_with_an_engine) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  expect_all_well(doctor(server.address()), server.address());
}

TEST(Doctor, finds_nothing_wrong_with_a_zookeeper) {
  const ZooKeeperServer server({.make = ServerMake::apache});
  expect_all_well(doctor(server.address()), server.address());
}

TEST(Doctor, looks_after_the_local_engine) {
  const TempDir home("home");
  const std::vector<std::pair<std::string, std::string>> env{
      {"HOLDFAST_STATE_DIR", home / "state"}, {"XDG_CONFIG_HOME", home / "config"}, {"HOLDFAST_URL", "local:"}};
  const auto first = command({"doctor"}, env);
  EXPECT_EQ(first.exit_code, 0) << first.output << first.errors;
  EXPECT_TRUE(first.says("ok       local engine was started as process ")) << first.output;
  EXPECT_TRUE(first.says("ok       disk ")) << first.output;
  EXPECT_TRUE(first.says("ok       latency ")) << first.output;
  EXPECT_TRUE(first.says("ok       permissions ")) << first.output;
  const auto second = command({"doctor"}, env);
  EXPECT_EQ(second.exit_code, 0) << second.output << second.errors;
  EXPECT_TRUE(second.says("ok       local engine runs as process ")) << second.output;
  EXPECT_EQ(command({"local", "stop"}, env).exit_code, 0);
}

TEST(Doctor, says_which_server_is_not_there) {
  const auto nobody = "127.0.0.1:" + std::to_string(free_port());
  const auto visit = doctor(nobody);
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(visit.says("wrong    server       " + nobody + " is not reached: Connection refused")) << visit.output;
  EXPECT_TRUE(visit.says("-> start it, or correct the address (--url)")) << visit.output;
  EXPECT_TRUE(visit.says("\n1 thing is wrong.\n")) << visit.output;
}

TEST(Doctor, only_warns_while_another_server_answers) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  const auto nobody = "127.0.0.1:" + std::to_string(free_port());
  const auto visit = doctor(nobody + "," + server.address());
  EXPECT_EQ(visit.exit_code, 0) << visit.output;
  EXPECT_TRUE(visit.says("warning  server       " + nobody)) << visit.output;
  EXPECT_TRUE(visit.says("ok       server       " + server.address())) << visit.output;
  EXPECT_TRUE(visit.says("\nAll works; 1 warning.\n")) << visit.output;
}

TEST(Doctor, says_which_name_has_no_address) {
  const auto visit = doctor("nobody.invalid:2181");
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(visit.says("wrong    server       nobody.invalid:2181 has no address: ")) << visit.output;
}

TEST(Doctor, does_not_wait_for_ever_for_a_server_that_is_silent) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  FaultProxy proxy(server.port());
  proxy.black_hole();
  const auto start = std::chrono::steady_clock::now();
  const auto visit = doctor(proxy.address(), {"--connect-timeout", "1s"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(visit.says("wrong    server       " + proxy.address() + " accepts connections, but does not answer"))
      << visit.output;
}

TEST(Doctor, warns_when_another_session_timeout_is_granted) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  const auto visit = doctor(server.address(), {"--session-timeout", "2m"});
  EXPECT_EQ(visit.exit_code, 0) << visit.output;
  EXPECT_TRUE(visit.says("warning  session      a timeout of 2m was asked for, 1m is granted")) << visit.output;
}

TEST(Doctor, says_where_it_may_not_lock) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  PlainClient owner(server.address());
  ASSERT_EQ(zoo_create(owner.handle(), "/closed", "", 0, &ZOO_READ_ACL_UNSAFE, 0, nullptr, 0), ZOK);
  const auto visit = doctor(server.address(), {"--namespace", "closed"});
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(visit.says("wrong    permissions ")) << visit.output;
  EXPECT_TRUE(visit.says("may create, read and delete below closed (--auth FILE)")) << visit.output;
}

TEST(Doctor, says_that_a_login_is_needed) {
  const TempDir dir("users");
  std::ofstream(dir / "users") << "ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=\n";  // ann:secret
  std::filesystem::permissions(dir / "users", std::filesystem::perms::owner_read);
  Server server(with(kAnyPort, {"--require-auth", dir / "users"}));
  server.serves();
  const auto visit = doctor(server.address());
  EXPECT_EQ(visit.exit_code, 1) << visit.output;
  EXPECT_TRUE(visit.says("wrong    server       " + server.address() + " serves no client without a login"))
      << visit.output;
  EXPECT_TRUE(visit.says("-> give a user:password (--auth FILE)")) << visit.output;
}

TEST(Doctor, says_that_a_login_is_wrong) {
  const TempDir dir("users");
  write_logins(dir);
  std::ofstream(dir / "wrong") << "orders:guess\n";
  std::filesystem::permissions(dir / "wrong", std::filesystem::perms::owner_read);
  Server server(with(kAnyPort, {"--require-auth", dir / "users"}));
  server.serves();
  const auto visit = doctor(server.address(), {"--auth", dir / "wrong"});
  EXPECT_EQ(visit.exit_code, 1) << visit.output;
  EXPECT_TRUE(visit.says("wrong    server       " + server.address() + " does not accept the login")) << visit.output;
  EXPECT_TRUE(visit.says("-> correct the user:password (--auth FILE)")) << visit.output;
  EXPECT_EQ(doctor(server.address(), {"--auth", dir / "password"}).exit_code, 0);
}

// The same sentence as from every other command, and no server is asked.
TEST(Doctor, finds_what_is_wrong_with_a_url) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  const auto address = server.address();
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"zk://" + address + "/app/", "it ends with a slash"},
      {"zk://" + address + "//app", "it has an empty part"},
      {"zk://" + address + ",,", "a host is empty"},
      {"zk://127.0.0.1:99999", "\"99999\" is not a port between 1 and 65535"},
      {"zk://127.0.0.1:zoo", "\"zoo\" is not a port between 1 and 65535"},
      {"zk://" + address + "?a=b", "is not a port between 1 and 65535"},
      {"zk://::1", "is an IPv6 address without brackets"},
      {"zk:" + address, "it does not begin with zk://"},
      {"ZK://" + address, "did you mean zk://" + address + "?"},
      {"local:/there", "did you mean local:?"},
      {"zk://ann:secret@" + address, "a URL has no login in it"},
  };
  for (const auto& [url, sentence] : wrong) {
    const auto visit = command({"doctor", "--url", url});
    EXPECT_EQ(visit.exit_code, 1) << url;
    EXPECT_TRUE(visit.says("wrong    settings     ")) << url << ": " << visit.output;
    EXPECT_TRUE(visit.says(sentence)) << url << ": " << visit.output;
    EXPECT_FALSE(visit.says(" server       ")) << url << ": " << visit.output;
    EXPECT_FALSE(visit.says("secret")) << visit.output;
    for (const auto* other : {"ls", "shell"}) {
      const auto refused = command({other, "--url", url});
      EXPECT_EQ(refused.exit_code, 64) << other << " " << url << ": " << refused.errors;
      EXPECT_NE(refused.errors.find(sentence), std::string::npos) << refused.errors;
    }
  }
}

// Nor does any other command take that for a service that does not answer.
TEST(Doctor, is_not_needed_to_learn_that_a_login_is_wrong) {
  const TempDir dir("users");
  std::ofstream(dir / "users") << "ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=\n";  // ann:secret
  std::ofstream(dir / "wrong") << "ann:guess\n";
  for (const auto* file : {"users", "wrong"}) {
    std::filesystem::permissions(dir / file, std::filesystem::perms::owner_read);
  }
  Server server(with(kAnyPort, {"--require-auth", dir / "users"}));
  server.serves();
  for (const std::vector<std::string>& login : {std::vector<std::string>{}, {"--auth", dir / "wrong"}}) {
    std::vector<std::string> words{"ls", "--url", "zk://" + server.address(), "--connect-timeout", "60s"};
    words.insert(words.end(), login.begin(), login.end());
    const auto visit = command(words);
    EXPECT_EQ(visit.exit_code, 69) << visit.errors;
    EXPECT_NE(visit.errors.find("has refused the credentials, or wants some"), std::string::npos) << visit.errors;
  }
}

// Nothing listens there, the system says at once, and a command that only looks has nothing to wait for.
TEST(RefusedConnections, end_a_command_that_looks_long_before_the_connect_timeout) {
  const auto nobody = "127.0.0.1:" + std::to_string(free_port());
  const auto hosts = nobody + ",127.0.0.1:" + std::to_string(free_port());
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"ls"}, {"show", "a"}, {"break", "a"}, {"watch"}, {"shell", "--", "ls", "/"}, {"doctor"}}) {
    for (const auto& address : {nobody, hosts}) {
      auto line = words;
      line.insert(line.begin() + 1, {"--url", "zk://" + address, "--connect-timeout", "50s"});
      const auto before = std::chrono::steady_clock::now();
      const auto visit = command(line);
      EXPECT_LT(std::chrono::steady_clock::now() - before, 20s) << words.front();
      EXPECT_EQ(visit.exit_code, words.front() == "doctor" ? 1 : 69) << words.front();
      const auto said = visit.errors + visit.output;
      EXPECT_NE(said.find("onnection refused"), std::string::npos) << words.front() << ": " << said;
    }
  }
}

// What they are is known at once, and `run` has nothing to wait for either.
TEST(ServersOfAnotherKind, end_every_command_long_before_the_connect_timeout) {
  const RedisServer redis;
  const WebServer web;
  const auto of_redis = "127.0.0.1:" + std::to_string(redis.port());
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"ls"}, {"run", "a", "--", "true"}, {"shell", "--", "ls", "/"}, {"show", "a"}}) {
    for (const auto& [address, what] :
         {std::pair{of_redis, "a Redis listens there"}, std::pair{web.address(), "a web server listens there"}}) {
      auto line = words;
      line.insert(line.begin() + 1, {"--url", "zk://" + address, "--connect-timeout", "60s"});
      const auto before = std::chrono::steady_clock::now();
      const auto visit = command(line);
      EXPECT_LT(std::chrono::steady_clock::now() - before, 30s) << words.front();
      EXPECT_EQ(visit.exit_code, 69) << words.front();
      EXPECT_NE(visit.errors.find(what), std::string::npos) << words.front() << ": " << visit.errors;
    }
  }
}

TEST(RefusedConnections, are_waited_out_by_a_run) {
  const auto port = std::to_string(free_port());
  const TempDir dir("refused");
  Process run({.argv = {HOLDFAST_COMMAND, "run", "--url", "zk://127.0.0.1:" + port, "--connect-timeout", "60s", "a",
                        "--", "echo", "granted"},
               .stderr_file = dir / "err"});
  // Longer than a command that looks would have stayed.
  EXPECT_EQ(run.wait(1500ms), std::nullopt) << content(dir / "err");
  Server server({"--listen", "127.0.0.1:" + port});
  server.serves();
  EXPECT_EQ(run.read_line(60s), "granted") << content(dir / "err");
  EXPECT_EQ(run.wait(60s), 0);
}

TEST(Doctor, leaves_no_lock_behind) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  PlainClient watcher(server.address());
  EXPECT_EQ(doctor(server.address()).exit_code, 0);
  for (const auto& name : watcher.children("/")) {
    if (name == "zookeeper") continue;
    EXPECT_TRUE(watcher.children("/" + name).empty()) << name;
  }
}

TEST(Doctor, finds_what_is_wrong_with_the_settings) {
  const auto visit = doctor("127.0.0.1:1", {"--session-timeout", "soon"});
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(visit.says("wrong    settings     --session-timeout: ")) << visit.output;
  const auto memory = command({"doctor", "--url", "memory:"});
  EXPECT_EQ(memory.exit_code, 1);
  EXPECT_TRUE(memory.says("wrong    settings ")) << memory.output;
}

TEST(Doctor, tells_programs_the_same) {
  const ZooKeeperServer server({.make = ServerMake::engine});
  const auto visit = doctor(server.address(), {"--json", "--session-timeout", "2m"});
  EXPECT_EQ(visit.exit_code, 0);
  const auto document = nlohmann::json::parse(visit.output);
  EXPECT_EQ(document["url"], "zk://" + server.address());
  EXPECT_EQ(document["verdict"], "warning");
  bool seen = false;
  for (const auto& check : document["checks"]) {
    if (check["check"] != "session") continue;
    seen = true;
    EXPECT_EQ(check["state"], "warning");
    EXPECT_TRUE(check["fix"].is_string());
  }
  EXPECT_TRUE(seen) << visit.output;
}

TEST(Version, says_what_it_was_built_from) {
  const auto text = command({"version"});
  EXPECT_EQ(text.exit_code, 0);
  const auto line = text.output.substr(0, text.output.find('\n'));
  EXPECT_EQ(command({"--version"}).output, line + "\n") << "one line, as before";
  EXPECT_TRUE(text.says("openssl 3.")) << text.output;

  const auto document = nlohmann::json::parse(command({"version", "--json"}).output);
  EXPECT_EQ("holdfast " + document["version"].get<std::string>(), line);
  EXPECT_EQ(document["protocol"], "ZooKeeper 3.8");
  for (const auto& [name, version] : document["libraries"].items()) EXPECT_NE(version, "") << name;
}

}  // namespace
}  // namespace holdfast::testing
