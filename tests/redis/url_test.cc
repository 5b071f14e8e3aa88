// Redis by a URL, as a program reaches it: every way there, and every sentence with which it is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "holdfast/holdfast.h"
#include "support/free_port.h"
#include "support/redis_server.h"
#include "support/secure_redis.h"
#include "support/temp_dir.h"
#include "support/web_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 3s;

ClientOptions options() { return {.session_timeout = kTimeout, .connection_timeout = 20s}; }
// For a service that will not be there.
ClientOptions impatient() { return {.session_timeout = kTimeout, .connection_timeout = 500ms}; }

// A lock can be taken, seen and given back there.
void expect_locks(const std::string& url, const ClientOptions& with = options()) {
  auto client = Client::connect(url, with);
  auto mutex = client.mutex("orders/1");
  auto lease = mutex.acquire();
  EXPECT_EQ(client.inspect("orders/1").tickets.size(), 1U) << url;
  EXPECT_FALSE(lease.release_for(20s)) << url;
}

struct Refused {
  std::error_code code;
  std::string sentence;
};

Refused refusal_of(const std::string& url, const ClientOptions& with = options()) {
  try {
    Client::connect(url, with);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << url << " was connected to";
  return {};
}

void expect_refused(const std::string& url, std::string_view because, const ClientOptions& with = options()) {
  const auto refused = refusal_of(url, with);
  EXPECT_EQ(refused.code, Errc::refused) << refused.sentence;
  EXPECT_NE(refused.sentence.find(because), std::string::npos) << refused.sentence;
}

void expect_not_connected(const std::string& url, std::string_view because, const ClientOptions& with = impatient()) {
  const auto refused = refusal_of(url, with);
  EXPECT_EQ(refused.code, Errc::not_connected) << refused.sentence;
  EXPECT_NE(refused.sentence.find(because), std::string::npos) << refused.sentence;
}

std::string url_of(const RedisServer& server) { return "redis://" + server.address(); }

// --------------------------------------------------------------------------------------------------------------- the way there

TEST(RedisUrl, leads_to_a_server) {
  RedisServer server;
  expect_locks(url_of(server));
  EXPECT_EQ(server.ask("EXISTS {holdfast}:m"), ":1\r\n");
}

TEST(RedisUrl, leads_to_a_database_and_locks_of_two_do_not_hear_of_each_other) {
  RedisServer server;
  auto one = Client::connect(url_of(server) + "/1", options());
  auto two = Client::connect(url_of(server) + "/2", options());
  auto holds = one.mutex("a").acquire();
  EXPECT_TRUE(two.mutex("a").try_acquire_for(20s)) << "another database, another lock";
  EXPECT_EQ(server.ask("EXISTS {holdfast}:m"), ":0\r\n") << "nothing is in database 0";
  expect_refused(url_of(server) + "/99", "it does not have that database");
}

TEST(RedisUrl, has_a_prefix_under_which_all_keys_are) {
  RedisServer server;
  auto one = Client::connect(url_of(server) + "?prefix=billing", options());
  auto two = Client::connect(url_of(server), options());
  auto holds = one.mutex("a").acquire();
  EXPECT_TRUE(two.mutex("a").try_acquire_for(20s));
  EXPECT_EQ(server.ask("EXISTS {billing}:m"), ":1\r\n");
  for (const auto* wrong : {"?prefix=", "?prefix=a%20b", "?prefix={a}", "?prefix=a%0Ab"}) {
    const auto refused = refusal_of(url_of(server) + wrong);
    EXPECT_EQ(refused.code, Errc::invalid_argument);
    EXPECT_NE(refused.sentence.find("cannot be a prefix of Redis' keys"), std::string::npos) << refused.sentence;
  }
}

TEST(RedisUrl, leads_to_a_unix_socket) {
  const TempDir directory("redis-socket");
  const auto path = (directory / "my socket").string();
  RedisServer server({.config_lines = {"unixsocket \"" + path + "\""}});
  expect_locks("redis+unix://" + path + "?db=3");
  expect_locks("redis+unix://" + directory.path().string() + "/my%20socket");
  EXPECT_EQ(server.ask("EXISTS {holdfast}:m"), ":1\r\n");
  expect_not_connected("redis+unix://" + path + ".not", "No such file or directory");
}

TEST(RedisUrl, with_several_servers_leads_to_the_one_that_is_the_master) {
  RedisServer master;
  RedisServer replica({.config_lines = {fmt::format("replicaof 127.0.0.1 {}", master.port())}});
  expect_locks(fmt::format("redis://127.0.0.1:{},{},{}", free_port(), replica.address(), master.address()));
  EXPECT_EQ(master.ask("EXISTS {holdfast}:m"), ":1\r\n");
}

// ------------------------------------------------------------------------------------------------------------------------- TLS

TEST(RedisUrl, leads_to_a_server_with_tls) {
  SecureRedis secure;
  auto with = options();
  with.tls = {
      .ca = secure.authority().certificate, .certificate = secure.client().certificate, .key = secure.client().key};
  expect_locks("rediss://" + secure.address(), with);
  EXPECT_EQ(secure.server().ask("EXISTS {holdfast}:m"), ":1\r\n");
}

TEST(RedisUrl, with_tls_says_which_server_is_not_trusted_and_which_does_not_speak_it) {
  SecureRedis secure;
  auto with = impatient();
  expect_not_connected("rediss://" + secure.address(), "certificate", with);
  with.tls.ca = secure.authority().certificate;
  // A Redis waits for the end of what it takes for a command.
  expect_not_connected("rediss://" + secure.server().address(), "it does not answer; does it speak TLS at this port?",
                       with);
  const auto refused = refusal_of("redis://" + secure.address(), with);
  EXPECT_EQ(refused.code, Errc::invalid_argument);
  EXPECT_NE(refused.sentence.find("is a URL without it; write rediss://"), std::string::npos) << refused.sentence;
}

TEST(RedisUrl, without_tls_says_that_a_server_may_want_it) {
  SecureRedis secure;
  expect_not_connected("redis://" + secure.address(), "wants TLS");
}

// ---------------------------------------------------------------------------------------------------------------------- logins

TEST(RedisUrl, has_the_password_of_the_server) {
  RedisServer server;
  server.ask("CONFIG SET requirepass p@ss/word:%");
  expect_locks(fmt::format("redis://:p%40ss%2Fword:%25@{}", server.address()));
  auto with = options();
  with.redis.password = "p@ss/word:%";
  expect_locks(url_of(server), with);
  expect_refused(url_of(server), "it wants a password; write it into the URL: redis://user:password@host");
  expect_refused(fmt::format("redis://:secret@{}", server.address()), "it has refused the user or the password");
}

// The commands that docs/backends/redis.md names.
std::vector<std::string> documented_rights() {
  std::ifstream file(HOLDFAST_REDIS_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string_view begin = "ACL SETUSER locks on >secret ";
  const auto at = page.find(begin);
  if (at == std::string::npos) throw std::runtime_error("docs/backends/redis.md has no ACL SETUSER");
  const auto from = at + begin.size();
  std::istringstream words(page.substr(from, page.find("\n\n", from) - from));
  std::vector<std::string> rights;
  for (std::string word; words >> word;) rights.push_back(word);
  return rights;
}

std::string joined(const std::vector<std::string>& words, const std::string& without = {}) {
  std::string all;
  for (const auto& word : words) all += word == without ? "" : word + " ";
  return all;
}

TEST(RedisUrl, has_the_login_of_a_user_who_may_do_no_more_than_the_documents_say) {
  RedisServer server;
  server.ask(fmt::format("ACL SETUSER ann on >s%cret {}", joined(documented_rights())));
  expect_locks(fmt::format("redis://ann:s%25cret@{}", server.address()));
  expect_locks(fmt::format("redis://ann:s%25cret@{}/1", server.address()));
  const auto refused = refusal_of(fmt::format("redis://ann@{}", server.address()));
  EXPECT_EQ(refused.code, Errc::invalid_argument);
  EXPECT_NE(refused.sentence.find("the user \"ann\" of Redis has no password"), std::string::npos) << refused.sentence;
}

// Before anything is written: half a script would be worse than none.
TEST(RedisUrl, of_a_user_who_lacks_any_single_right_is_refused_and_nothing_is_changed) {
  RedisServer server;
  const auto rights = documented_rights();
  ASSERT_GT(rights.size(), 20U);
  for (const auto& right : rights) {
    server.ask("ACL DELUSER ann");
    server.ask(fmt::format("ACL SETUSER ann on >secret {}", joined(rights, right)));
    // Only that of another database than 0 is asked for when it is.
    const auto refused = refusal_of(fmt::format("redis://ann:secret@{}/1", server.address()));
    EXPECT_EQ(refused.code, Errc::refused) << right << ": " << refused.sentence;
    EXPECT_NE(refused.sentence.find("its user may not do what a lock needs"), std::string::npos)
        << right << ": " << refused.sentence;
    EXPECT_EQ(server.ask("DBSIZE"), ":0\r\n") << right;
    EXPECT_EQ(texts_of(server.ask("INFO keyspace")).at(0), "# Keyspace\r\n") << right;
  }
}

// ------------------------------------------------------------------------------------------------- servers that cannot have locks

TEST(RedisUrl, of_a_replica_says_whose_it_is) {
  RedisServer master;
  RedisServer replica({.config_lines = {fmt::format("replicaof 127.0.0.1 {}", master.port())}});
  expect_not_connected(url_of(replica),
                       "it is a replica, which cannot be written to; name its master, or use its Sentinels");
}

TEST(RedisUrl, of_a_node_of_a_cluster_is_refused) {
  RedisServer node({.config_lines = {"cluster-enabled yes"}});
  expect_refused(url_of(node), "it is a node of a Redis Cluster, which cannot keep locks; use a server of its own");
}

TEST(RedisUrl, of_a_server_that_may_throw_locks_away_is_refused) {
  RedisServer server({.config_lines = {"maxmemory 100mb", "maxmemory-policy allkeys-lfu"}});
  expect_refused(url_of(server),
                 "it may throw locks away when its memory is full (maxmemory-policy allkeys-lfu); set it to "
                 "noeviction or volatile-lru");
}

TEST(RedisUrl, of_a_key_of_another_program_is_refused) {
  RedisServer server;
  server.ask("SET {holdfast}:m precious");
  expect_refused(url_of(server), "the key {holdfast}:m there is a string, which is not Holdfast's; use another prefix");
  EXPECT_EQ(server.ask("GET {holdfast}:m"), "$8\r\nprecious\r\n");
}

TEST(RedisUrl, of_a_sentinel_is_refused) {
  RedisServer server;
  RedisServer sentinel(
      {.sentinel = true, .config_lines = {fmt::format("sentinel monitor m 127.0.0.1 {} 1", server.port())}});
  expect_refused(url_of(sentinel), "it is a Sentinel; write redis+sentinel://host:port/name-of-the-master");
  expect_refused(fmt::format("redis+sentinel://{}/m", server.address()),
                 "it is not a Sentinel; write redis://host:port");
}

TEST(RedisUrl, of_what_is_not_a_redis_says_so) {
  WebServer pages;
  expect_not_connected("redis://" + pages.address(), "what listens there is not a Redis");
  expect_not_connected(fmt::format("redis://127.0.0.1:{}", free_port()), "connection refused; is the server running?");
  expect_not_connected("redis://no-such-host.invalid", "no-such-host.invalid");
}

// Redis 5 does not know HELLO either.
TEST(RedisUrl, of_an_old_server_says_which_version_it_needs) {
  RedisServer server({.config_lines = {"rename-command HELLO \"\""}});
  expect_refused(url_of(server), "it is older than Redis 6.0; Redis 6.0 or newer, or Valkey, is needed");
}

TEST(RedisUrl, that_is_wrong_is_refused_before_anything_is_tried) {
  for (const auto* url : {"redis://", "redis://a:0", "redis://a/b", "redis+sentinel://a", "redis://a?mode=fast"}) {
    const auto refused = refusal_of(url);
    EXPECT_EQ(refused.code, Errc::invalid_argument) << url;
    EXPECT_NE(refused.sentence.find("is not a Redis address"), std::string::npos) << refused.sentence;
  }
  const auto mode = refusal_of("redis://localhost?key=lock:%s");
  EXPECT_EQ(mode.code, Errc::invalid_argument);
  EXPECT_NE(mode.sentence.find("a pattern for keys is for the modes cell and redisson"), std::string::npos)
      << mode.sentence;
  const auto key = refusal_of("redis://localhost?mode=cell&key=lock");
  EXPECT_NE(key.sentence.find("has to have %s once, which stands for the name"), std::string::npos) << key.sentence;
}

TEST(RedisUrl, with_a_session_timeout_that_makes_no_sense_is_refused) {
  for (const auto timeout : {0ms, -1ms}) {
    auto with = options();
    with.session_timeout = timeout;
    EXPECT_EQ(refusal_of("redis://localhost", with).code, Errc::invalid_argument);
  }
}

}  // namespace
}  // namespace holdfast::testing
