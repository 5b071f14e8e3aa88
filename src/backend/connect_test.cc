#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "holdfast/client.h"
#include "holdfast/error.h"
#include "support/free_port.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

struct Refused {
  std::error_code code;
  std::string sentence;
};

// How connecting fails; a failure of its own if it does not.
Refused refusal_of(const std::string& url, ClientOptions options = {}) {
  try {
    Client::connect(url, std::move(options));
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << url << " was connected to";
  return {};
}

bool says(const std::string& sentence, std::string_view part) { return sentence.find(part) != std::string::npos; }

TEST(Connect, refuses_unknown_schemes_and_says_which_there_are) {
  for (const auto* url :
       {"", "memory", "rediz://localhost", "zookeeper://localhost", "localhost", "ZK://a", " zk://a", "Memory:"}) {
    const auto refused = refusal_of(url);
    EXPECT_EQ(refused.code, Errc::invalid_argument) << url;
    const auto* known =
        "use zk://host:port,host:port[/chroot], zks:// for TLS, redis://host:port[/db], rediss:// for TLS, local:, "
        "embedded:, embedded:/directory or memory:";
    EXPECT_TRUE(says(refused.sentence, known)) << refused.sentence;
    EXPECT_TRUE(says(refused.sentence, "\"" + std::string(url) + "\"")) << refused.sentence;
  }
}

TEST(Connect, takes_a_list_of_hosts_with_their_ports_for_zookeeper) {
  const auto server = "127.0.0.1:" + std::to_string(testing::free_port());
  for (const auto& url : {server, server + "/app", server + ",[::1]:" + std::to_string(testing::free_port())}) {
    const auto refused = refusal_of(url, {.connection_timeout = 200ms});
    EXPECT_EQ(refused.code, Errc::not_connected) << refused.sentence;
    EXPECT_NE(refused.sentence.find("no session with ZooKeeper at " + server), std::string::npos) << refused.sentence;
  }
}

TEST(Connect, refuses_a_bad_zookeeper_address_before_it_tries_anything) {
  const auto refused = refusal_of("zk://localhost:0");
  EXPECT_EQ(refused.code, Errc::invalid_argument);
  EXPECT_TRUE(says(refused.sentence, "\"0\" is not a port between 1 and 65535")) << refused.sentence;
  EXPECT_EQ(refusal_of("zk:localhost").code, Errc::invalid_argument);
}

TEST(Connect, refuses_bad_options_before_it_tries_anything) {
  for (const auto* url : {"memory:", "zk://localhost:1"}) {
    const auto refused = refusal_of(url, {.session_timeout = -1ms});
    EXPECT_EQ(refused.code, Errc::invalid_argument) << url;
    EXPECT_TRUE(says(refused.sentence, "the session timeout is -1 ms")) << refused.sentence;
  }
}

TEST(ConnectToMemory, gives_a_mutex_that_is_locked_entered_again_and_released) {
  auto client = Client::connect("memory:");
  EXPECT_EQ(client.state(), ConnectionState::connected);
  auto mutex = client.mutex("orders/123");
  EXPECT_EQ(mutex.path(), "/orders/123");
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  mutex.lock();
  EXPECT_TRUE(mutex.try_lock());  // the same thread, the same object: at once
  EXPECT_TRUE(mutex.is_held_by_this_thread());
  mutex.unlock();
  EXPECT_TRUE(mutex.is_held_by_this_thread()) << "released as often as acquired, not before";
  EXPECT_FALSE(mutex.release());
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_EQ(mutex.release(), Errc::not_owner);
}

TEST(ConnectToMemory, gives_leases_whose_tokens_grow) {
  auto client = Client::connect("memory:");
  auto mutex = client.mutex("orders/123");
  auto first = mutex.acquire();
  EXPECT_TRUE(first.is_held());
  const auto token = first.token();
  EXPECT_GT(token, 0u);
  EXPECT_FALSE(first.release_for(5s));
  EXPECT_FALSE(first.is_held());
  EXPECT_GT(mutex.acquire().token(), token);
}

TEST(ConnectToMemory, shares_locks_between_clients_of_one_name_only) {
  auto one = Client::connect("memory:connect-test");
  auto same = Client::connect("memory:connect-test");
  auto another = Client::connect("memory:another-connect-test");
  auto mutex = one.mutex("a");
  const std::scoped_lock hold(mutex);
  EXPECT_FALSE(same.mutex("a").try_lock());
  EXPECT_TRUE(another.mutex("a").try_acquire());
}

TEST(ConnectToMemory, forgets_everything_with_the_last_client) {
  Token token = 0;
  {
    auto client = Client::connect("memory:forgetful");
    token = client.mutex("a").acquire().token();
  }
  auto client = Client::connect("memory:forgetful");
  EXPECT_EQ(client.mutex("a").acquire().token(), token) << "a new service counts from the start";
}

TEST(ConnectToMemory, puts_the_name_space_before_every_name) {
  auto client = Client::connect("memory:", {.name_space = "/billing"});
  EXPECT_EQ(client.mutex("/orders/1").path(), "/billing/orders/1");
}

TEST(ConnectToMemory, refuses_bad_names_with_the_reason) {
  auto client = Client::connect("memory:");
  try {
    static_cast<void>(client.mutex("a//b"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_TRUE(says(error.what(), "it has an empty part")) << error.what();
  }
}

TEST(ConnectToMemory, answers_cancelled_after_it_was_closed) {
  auto client = Client::connect("memory:");
  auto mutex = client.mutex("a");
  client.close();
  client.close();
  EXPECT_EQ(mutex.try_acquire_for(5s).error(), Errc::cancelled);
}

TEST(ConnectToZooKeeper, gives_up_within_its_connection_timeout_when_nobody_is_there_and_says_where) {
  const auto server = "127.0.0.1:" + std::to_string(testing::free_port());
  const auto began = Clock::now();
  const auto refused = refusal_of("zk://" + server, {.connection_timeout = 100ms});
  const auto took = Clock::now() - began;
  EXPECT_EQ(refused.code, Errc::not_connected);
  EXPECT_TRUE(says(refused.sentence, server)) << refused.sentence;
  EXPECT_TRUE(says(refused.sentence, "connection refused; is the server running?")) << refused.sentence;
  EXPECT_GE(took, 100ms) << "it did not try for as long as it may";
  EXPECT_LT(took, 1'100ms);
}

TEST(ConnectToZooKeeper, ends_at_its_deadline_however_long_an_attempt_may_take) {
  const auto began = Clock::now();
  try {
    Client::connect_until(fmt::format("zk://127.0.0.1:{}", testing::free_port()), began + 200ms,
                          {.connection_timeout = 60s, .retry = RetryPolicy::forever(1ms)});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_connected);
    EXPECT_TRUE(says(error.what(), "connection refused")) << error.what();
  }
  EXPECT_GE(Clock::now() - began, 200ms);
  EXPECT_LT(Clock::now() - began, 30s);
}

TEST(ConnectToZooKeeper, ends_when_its_retry_policy_does) {
  const auto url = fmt::format("zk://127.0.0.1:{}", testing::free_port());
  unsigned asked = 0;
  const auto thrice = [&asked](unsigned failures, auto) {
    asked = failures;
    return failures < 3 ? std::optional(1ms) : std::nullopt;
  };
  for (const auto& policy :
       {RetryPolicy(thrice), RetryPolicy::n_times(2, 1ms), RetryPolicy::until_elapsed(50ms, 1ms)}) {
    EXPECT_THROW(Client::connect_until(url, Clock::now() + 1h, {.connection_timeout = 20ms, .retry = policy}), Error);
  }
  EXPECT_EQ(asked, 3U);
  // Not even one attempt lasts longer than a policy that has a time.
  const auto began = Clock::now();
  EXPECT_THROW(Client::connect_until(url, Clock::now() + 1h,
                                     {.connection_timeout = 60s, .retry = RetryPolicy::until_elapsed(50ms, 1ms)}),
               Error);
  EXPECT_LT(Clock::now() - began, 30s);
}

TEST(ConnectToZooKeeper, is_a_try_if_the_deadline_has_passed) {
  const auto url = fmt::format("zk://127.0.0.1:{}", testing::free_port());
  EXPECT_THROW(Client::connect_until(url, Clock::time_point::min()), Error);
  EXPECT_THROW(Client::connect_until(url, Clock::time_point()), Error);
}

}  // namespace
}  // namespace holdfast
