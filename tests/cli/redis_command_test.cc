// docs/backends/redis.md: what the command says and does on Redis.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <regex>

#include "command_run.h"
#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/redis_failover.h"
#include "support/redis_server.h"
#include "support/secure_redis.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoon = 60s;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A file that only its owner can read.
std::string secret_file(const TempDir& dir, const std::string& name, const std::string& text) {
  const auto path = (dir / name).string();
  std::ofstream(path) << text << '\n';
  ::chmod(path.c_str(), 0600);
  return path;
}

class RedisCommand : public ::testing::Test {
 protected:
  std::string url() const { return "redis://" + server_.address(); }
  Said run(std::vector<std::string> words) const {
    words.insert(words.begin() + 1, {"--url", url()});
    return run_command(words);
  }
  Client connect() const { return Client::connect(url()); }

  const TempDir dir_{"redis-command"};
  RedisServer server_{{.keeps = RedisKeeps::all}};
};

TEST_F(RedisCommand, runs_under_a_lock_and_hands_its_service_to_the_commands_in_it) {
  const auto said = run({"run", "-q", "a", "--", HOLDFAST_COMMAND, "ls", "--json"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "\"a\"")) << said.out << said.err;
}

TEST_F(RedisCommand, lists_shows_and_breaks_locks) {
  auto client = connect();
  auto lease = client.mutex("orders/1").acquire();
  auto waiter = connect();
  auto waiting = std::async(std::launch::async, [&] { return waiter.mutex("orders/1").try_acquire_for(kSoon); });
  ASSERT_TRUE(eventually(kSoon, [&] { return client.inspect("orders/1").tickets.size() == 2; }));
  const auto listed = run({"ls"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_TRUE(has(listed.out, "orders/1")) << listed.out;
  const auto shown = run({"show", "orders/1", "--json"});
  const auto document = nlohmann::json::parse(shown.out);
  EXPECT_TRUE(has(shown.out, std::to_string(::getpid()))) << "the card of the holder: " << shown.out;
  const auto broken = run({"break", "orders/1", "--force", "--yes"});
  EXPECT_EQ(broken.exit_code, 0) << broken.out << broken.err;
  EXPECT_TRUE(eventually(kSoon, [&] { return !lease.is_held(); }));
  EXPECT_TRUE(waiting.get());
}

TEST_F(RedisCommand, watches_a_lock_that_is_passed_on) {
  auto client = connect();
  auto lease = client.mutex("m").acquire();
  Process watch(ProcessOptions{.argv = {HOLDFAST_COMMAND, "watch", "--url", url(), "m", "--json"}});
  const auto hears = [&](const std::string& event) {
    while (const auto line = watch.read_line(kSoon)) {
      if (has(*line, "\"" + event + "\"")) return true;
    }
    return false;
  };
  EXPECT_TRUE(hears("holds"));
  auto other = connect();
  auto waiting = std::async(std::launch::async, [&] { return other.mutex("m").acquire(); });
  EXPECT_TRUE(hears("queued"));
  lease.release();
  EXPECT_TRUE(hears("granted"));
  waiting.get().release();
  EXPECT_TRUE(hears("released"));
}

TEST_F(RedisCommand, takes_its_url_from_the_environment_and_from_a_file) {
  const auto config = (dir_ / "holdfast.yaml").string();
  std::ofstream(config) << "url: " << url() << "\nnamespace: billing\n";
  EXPECT_EQ(run_command({"run", "a", "--config", config, "--", "true"}).exit_code, 0);
  EXPECT_EQ(run_command({"ls"}, {{"HOLDFAST_URL", url()}}).exit_code, 0);
  const auto shown = run_command({"config", "show", "--config", config});
  EXPECT_TRUE(has(shown.out, url())) << shown.out << shown.err;
}

TEST_F(RedisCommand, logs_in_with_the_password_in_a_file_and_takes_none_in_a_url) {
  server_.ask("CONFIG SET requirepass se:cret");
  const auto file = secret_file(dir_, "password", "default:se:cret");
  EXPECT_EQ(run({"run", "--auth", file, "a", "--", HOLDFAST_COMMAND, "ls"}).exit_code, 0);
  const auto config = (dir_ / "holdfast.yaml").string();
  std::ofstream(config) << "url: " << url() << "\nauth: password\n";
  EXPECT_EQ(run_command({"ls", "--config", config}).exit_code, 0);

  const auto without = run({"ls"});
  EXPECT_NE(without.exit_code, 0);
  EXPECT_TRUE(has(without.err, "it wants a password")) << without.err;
  const auto inside = run_command({"ls", "--url", "redis://:se%3Acret@" + server_.address()});
  EXPECT_NE(inside.exit_code, 0);
  EXPECT_TRUE(has(inside.err, "a URL has no login in it, which every process on this machine could read"))
      << inside.err;
  EXPECT_FALSE(has(inside.err, "cret")) << inside.err;
}

TEST_F(RedisCommand, says_which_url_is_wrong_and_what_was_meant) {
  const auto says = [](const std::string& url, const std::string& what) {
    const auto said = run_command({"ls", "--url", url});
    EXPECT_NE(said.exit_code, 0) << url;
    EXPECT_TRUE(has(said.err, what)) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  };
  says("Redis://localhost", "did you mean redis://localhost?");
  says("redis://", "a host is empty");
  says("redis://localhost/app", "\"app\" is not the number of a database");
  says("redis+sentinel://localhost", "after the Sentinels comes the name of the master");
}

TEST_F(RedisCommand, says_what_is_for_zookeeper_only) {
  const auto shell = run({"shell", "--", "ls", "/"});
  EXPECT_NE(shell.exit_code, 0);
  EXPECT_TRUE(has(shell.err, "speaks ZooKeeper's protocol")) << shell.err;
  EXPECT_TRUE(has(shell.err, "redis-cli")) << shell.err;
}

TEST_F(RedisCommand, of_a_server_that_is_not_there_fails_soon) {
  server_.stop();
  const auto before = Clock::now();
  const auto said = run({"ls"});
  EXPECT_NE(said.exit_code, 0);
  EXPECT_TRUE(has(said.err, "connection refused; is the server running?")) << said.err;
  EXPECT_LT(Clock::now() - before, 4s) << "less than the connect timeout";
}

// The guardian ends the session of a wrapper that was killed, once nothing of the command lives.
TEST_F(RedisCommand, ends_the_session_of_a_run_that_was_killed) {
  Process run(ProcessOptions{.argv = {HOLDFAST_COMMAND, "run", "--url", url(), "--session-timeout", "60s", "a", "--",
                                      "sh", "-c", "echo ready; sleep 60"}});
  ASSERT_EQ(run.read_line(kSoon), "ready");
  auto rival = connect();
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  const auto granted = rival.mutex("a").try_acquire_for(30s);
  EXPECT_TRUE(granted) << granted.message();
  EXPECT_EQ(server_.ask("ZCARD {holdfast}:e"), ":1\r\n") << "only the rival's session is left";
}

TEST_F(RedisCommand, ends_a_place_in_line_of_a_run_that_was_killed) {
  auto holder = connect();
  auto lease = holder.mutex("a").acquire();
  Process run(
      ProcessOptions{.argv = {HOLDFAST_COMMAND, "run", "--url", url(), "--session-timeout", "60s", "a", "--", "true"}});
  ASSERT_TRUE(eventually(kSoon, [&] { return holder.inspect("a").tickets.size() == 2; }));
  ASSERT_EQ(::kill(run.pid(), SIGKILL), 0);
  EXPECT_TRUE(eventually(30s, [&] { return holder.inspect("a").tickets.size() == 1; }));
}

// --------------------------------------------------------------------------------------------------------------------- doctor

TEST_F(RedisCommand, doctor_says_what_the_server_is_and_that_locks_can_be_kept_there) {
  const auto visit = run({"doctor"});
  EXPECT_EQ(visit.exit_code, 0) << visit.out << visit.err;
  EXPECT_TRUE(has(visit.out, server_.address() + " is reached in ")) << visit.out;
  for (const auto* part :
       {", redis ", ", master", "nothing is thrown away", "it keeps an append-only file", "20 round trips: median ",
        "locks can be made, listed and removed", "10 times taken and given back", "agree within a second"}) {
    EXPECT_TRUE(has(visit.out, part)) << part << " is missing in:\n" << visit.out;
  }
  EXPECT_EQ(server_.ask("ZCARD {holdfast}:q"), ":0\r\n");
}

TEST_F(RedisCommand, doctor_warns_of_a_server_that_forgets) {
  RedisServer forgets;
  const auto visit = run_command({"doctor", "--url", "redis://" + forgets.address()});
  EXPECT_EQ(visit.exit_code, 0) << visit.out;
  EXPECT_TRUE(has(visit.out, "it keeps no append-only file")) << visit.out;
  EXPECT_TRUE(has(visit.out, "set appendonly yes")) << visit.out;
}

TEST_F(RedisCommand, doctor_says_what_is_wrong_with_a_server) {
  server_.ask("CONFIG SET maxmemory 200mb");
  server_.ask("CONFIG SET maxmemory-policy allkeys-lru");
  auto visit = run({"doctor"});
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(has(visit.out, "it throws away any key, locks too (maxmemory-policy allkeys-lru)")) << visit.out;
  EXPECT_TRUE(has(visit.out, "set maxmemory-policy to noeviction")) << visit.out;
  server_.ask("CONFIG SET maxmemory-policy noeviction");

  server_.ask("ACL SETUSER ann on >secret +@all -zadd ~* &*");
  visit = run({"doctor", "--auth", secret_file(dir_, "ann", "ann:secret")});
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(has(visit.out, "its user may not do what a lock needs (zadd on ")) << visit.out;

  server_.ask("CONFIG SET requirepass secret");
  visit = run({"doctor"});
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(has(visit.out, "it wants a password")) << visit.out;
}

TEST_F(RedisCommand, doctor_looks_at_sentinels_and_at_what_a_failover_may_do) {
  RedisFailover servers({.replicas = 1, .sentinels = 1});
  auto visit = run_command({"doctor", "--url", servers.url()});
  EXPECT_EQ(visit.exit_code, 0) << visit.out << visit.err;
  for (const std::string& part : std::vector<std::string>{
           servers.sentinel(0).address() + " is reached in ", "the master locks is at " + servers.server(0).address(),
           std::string("there is 1 Sentinel"), std::string("two clients may hold one lock"),
           std::string("set min-replicas-to-write 1, and")}) {
    EXPECT_TRUE(has(visit.out, part)) << part << " is missing in:\n" << visit.out;
  }
  servers.server(0).ask("CONFIG SET min-replicas-to-write 1");
  visit = run_command({"doctor", "--url", servers.url()});
  EXPECT_TRUE(has(visit.out, "without which it takes no writes")) << visit.out;

  visit = run_command({"doctor", "--url", "redis://" + servers.server(1).address()});
  EXPECT_EQ(visit.exit_code, 1);
  EXPECT_TRUE(has(visit.out, "it is a replica, which cannot be written to")) << visit.out;
}

TEST_F(RedisCommand, doctor_and_run_go_by_tls) {
  SecureRedis secure;
  const std::vector<std::string> options{
      "--url",      "rediss://" + secure.address(), "--tls-ca",  secure.authority().certificate,
      "--tls-cert", secure.client().certificate,    "--tls-key", secure.client().key};
  for (std::vector<std::string> words :
       {std::vector<std::string>{"doctor"}, {"run", "a", "--", HOLDFAST_COMMAND, "ls"}}) {
    words.insert(words.begin() + 1, options.begin(), options.end());
    const auto said = run_command(words);
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
  }
}

// ------------------------------------------------------------------------------------------------------------------------ demo

TEST_F(RedisCommand, demo_plays_and_the_lock_holds) {
  const auto said = run({"demo"});
  EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
  EXPECT_TRUE(has(said.out, "never two at once")) << said.out;
  EXPECT_TRUE(has(said.out, "1 late and refused")) << said.out;
  EXPECT_TRUE(has(said.out, "The lock held.")) << said.out;
}

}  // namespace
}  // namespace holdfast::testing
