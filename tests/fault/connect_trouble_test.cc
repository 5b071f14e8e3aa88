// docs/semantics.md, "Deadlines": why there is no connection is said, whatever it is that listens there.
#include <fmt/format.h>

#include <future>
#include <optional>
#include <thread>

#include "network.h"
#include "support/free_port.h"
#include "support/redis_server.h"
#include "support/web_server.h"

namespace holdfast::testing {
namespace {

// What connecting ends with.
std::string sentence_of(const std::string& hosts, ClientOptions options = {}) {
  if (options.connection_timeout == ClientOptions().connection_timeout) options.connection_timeout = 1s;
  try {
    auto client = Client::connect("zk://" + hosts, std::move(options));
    return "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_connected) << error.what();
    return error.what();
  }
}

bool says(const std::string& sentence, std::string_view what) { return sentence.find(what) != std::string::npos; }

std::string local(std::uint16_t port) { return fmt::format("127.0.0.1:{}", port); }

TEST(ConnectTrouble, is_that_nothing_listens) {
  const auto sentence = sentence_of(local(free_port()));
  EXPECT_TRUE(says(sentence, "connection refused; is the server running?")) << sentence;
}

TEST(ConnectTrouble, is_a_name_that_nobody_has) {
  const auto sentence = sentence_of("no-such-host.invalid:2181", {.connection_timeout = 3s});
  // A resolver may take longer than that to say so.
  EXPECT_TRUE(says(sentence, ": no-such-host.invalid: ") || says(sentence, "names are still being looked up"))
      << sentence;
}

TEST(ConnectTrouble, is_said_for_each_of_several_servers) {
  FaultProxy silent(free_port());
  silent.black_hole();
  const auto refusing = local(free_port());
  const auto quiet = silent.address();
  const auto sentence = sentence_of(refusing + "," + quiet, {.connection_timeout = 3s});
  EXPECT_TRUE(says(sentence, refusing + ": connection refused")) << sentence;
  EXPECT_TRUE(says(sentence, quiet + ": it does not answer") || says(sentence, quiet + ": no answer so far"))
      << sentence;
}

// There is nothing to wait for.
TEST(ConnectTrouble, that_every_server_is_of_another_kind_is_said_long_before_the_time_is_over) {
  RedisServer redis;
  const WebServer web;
  const auto of_redis = local(redis.port());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(sentence_of(of_redis, {.connection_timeout = 60s}),
            fmt::format("no session with ZooKeeper at {}: a Redis listens there", of_redis));
  EXPECT_EQ(sentence_of(web.address(), {.connection_timeout = 60s}),
            fmt::format("no session with ZooKeeper at {}: a web server listens there", web.address()));
  const auto both = sentence_of(of_redis + "," + web.address(), {.connection_timeout = 60s});
  EXPECT_TRUE(says(both, of_redis + ": a Redis listens there")) << both;
  EXPECT_TRUE(says(both, web.address() + ": a web server listens there")) << both;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 40s);
}

TEST(ConnectTrouble, of_another_kind_at_one_of_two_servers_is_none) {
  RedisServer redis;
  ZooKeeperServer server;
  FaultProxy proxy(server.port());
  proxy.refuse(true);
  auto connecting = std::async(std::launch::async, [&] {
    return Client::connect("zk://" + local(redis.port()) + "," + proxy.address(), {.connection_timeout = 60s});
  });
  // Longer than it takes to know the Redis.
  EXPECT_EQ(connecting.wait_for(3s), std::future_status::timeout);
  proxy.refuse(false);
  EXPECT_TRUE(connecting.get().mutex("a").try_acquire_for(30s));
}

// With more time than one attempt takes, what listens there may change.
TEST(ConnectTrouble, of_another_kind_is_waited_out_by_a_caller_that_wants_several_attempts) {
  ZooKeeperServer server;
  server.stop();
  std::optional<WebServer> web(std::in_place, server.port());
  auto connecting = std::async(std::launch::async, [&] {
    return Client::connect_until("zk://" + server.address(), Clock::now() + 60s,
                                 {.connection_timeout = 2s, .retry = RetryPolicy::forever(10ms)});
  });
  EXPECT_EQ(connecting.wait_for(3s), std::future_status::timeout);
  web.reset();
  server.restart();
  EXPECT_TRUE(connecting.get().mutex("a").try_acquire_for(30s));
}

TEST(ConnectTrouble, is_one_connection_too_many_from_this_address) {
  ZooKeeperServer server({.config_lines = {"maxClientCnxns=1"}});
  const PlainClient first(server.address());
  const auto sentence = sentence_of(server.address());
  EXPECT_TRUE(says(sentence, "too many connections from this address (maxClientCnxns)")) << sentence;
}

TEST(ConnectTrouble, is_told_to_a_call_that_finds_no_connection) {
  ZooKeeperServer server;
  FaultProxy proxy(server.port());
  auto client = Client::connect("zk://" + proxy.address(),
                                {.session_timeout = 4s, .retry = RetryPolicy::until_elapsed(1s, 50ms)});
  proxy.refuse(true);
  proxy.cut_all();
  const auto result = client.mutex("a").try_acquire_for(30s);
  EXPECT_EQ(result.error(), Errc::not_connected);
  EXPECT_TRUE(says(result.message(), "connection refused; is the server running?") ||
              says(result.message(), "closed the connection without a word"))
      << result.message();
}

// It begins sessions, and says no more.
TEST(ConnectTrouble, of_a_login_that_one_server_never_answers_is_none) {
  ZooKeeperServer server;
  FaultProxy deaf(server.port());
  FaultProxy good(server.port());
  const auto unanswered = deaf.hold_reply({.op = Op::auth, .times = RequestMatch::kAlways});
  // They are tried in any order.
  for (int i = 0; i < 20 && !unanswered.fired(); ++i) {
    auto client = Client::connect(
        "zk://" + deaf.address() + "," + good.address(),
        {.session_timeout = 30s, .connection_timeout = 20s, .zookeeper = {.auth = {{"digest", "ann:secret"}}}});
    EXPECT_TRUE(client.mutex("a").try_acquire_for(30s));
  }
  EXPECT_TRUE(unanswered.fired());
}

// A service may start before ZooKeeper does.
TEST(ConnectTrouble, that_ends_in_time_is_none) {
  ZooKeeperServer server;
  FaultProxy proxy(server.port());
  proxy.refuse(true);
  auto connecting = std::async(std::launch::async, [&] {
    return Client::connect_until("zk://" + proxy.address(), Clock::now() + 60s,
                                 {.connection_timeout = 50ms, .retry = RetryPolicy::forever(10ms)});
  });
  // Several attempts long.
  EXPECT_EQ(connecting.wait_for(500ms), std::future_status::timeout);
  proxy.refuse(false);
  auto client = connecting.get();
  EXPECT_TRUE(client.mutex("a").try_acquire_for(30s));
}

// What the server granted, not what was asked for.
TEST(ConnectTrouble, or_a_session_timeout_that_the_server_changed_can_be_seen) {
  ZooKeeperServer server({.min_session_timeout = 1s, .max_session_timeout = 10s});
  EXPECT_EQ(Client::connect("zk://" + server.address(), {.session_timeout = 5s}).session_timeout(), 5s);
  EXPECT_EQ(Client::connect("zk://" + server.address(), {.session_timeout = 1min}).session_timeout(), 10s);
  EXPECT_EQ(Client::connect("zk://" + server.address(), {.session_timeout = 500ms}).session_timeout(), 1s);
}

}  // namespace
}  // namespace holdfast::testing
