// Locks of one key each on a real Redis, and what can happen to that key and to the requests about it. Both modes: cell, and redisson.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/redis_server.h"
#include "support/tcp_relay.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::RedisServer;

constexpr auto kSoon = 20s;
// The time to live of a key. Long enough for a starved machine to renew it in time, short enough to wait for.
constexpr auto kTime = 3s;

class CellTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::string url(std::uint16_t port) const {
    return fmt::format("redis://127.0.0.1:{}?mode={}&key=lock:%s", port, GetParam());
  }
  std::string url() const { return url(server_.port()); }
  bool is_redisson() const { return GetParam() == std::string_view("redisson"); }
  static ClientOptions options(std::chrono::milliseconds time = kTime) {
    return {.session_timeout = time, .retry = RetryPolicy::forever(20ms), .purpose = "a test"};
  }
  Client connect(std::chrono::milliseconds time = kTime) { return Client::connect(url(), options(time)); }

  // The last line of an answer: its value.
  std::string ask(const std::string& command) const {
    auto answer = server_.ask(command);
    answer.resize(answer.size() - 2);
    return answer.substr(answer.rfind('\n') + 1);
  }
  bool is_there(const std::string& name) const { return ask("EXISTS lock:" + name) == ":1"; }
  // A holder that is not ours, as another client of the same mode would write it.
  void hold_as_a_stranger(const std::string& name, int milliseconds) const {
    if (is_redisson()) {
      ask(fmt::format("HSET lock:{} 8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:1 1", name));
      if (milliseconds > 0) ask(fmt::format("PEXPIRE lock:{} {}", name, milliseconds));
    } else {
      ask(milliseconds > 0 ? fmt::format("SET lock:{} stranger PX {}", name, milliseconds)
                           : fmt::format("SET lock:{} stranger", name));
    }
  }
  bool stranger_holds(const std::string& name) const {
    return is_redisson() ? ask(fmt::format("HEXISTS lock:{} 8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:1", name)) == ":1"
                         : ask("GET lock:" + name) == "stranger";
  }

  RedisServer server_;
};

INSTANTIATE_TEST_SUITE_P(Redis, CellTest, ::testing::Values("cell", "redisson"),
                         [](const auto& each) { return std::string(each.param); });

std::error_code code_of(const std::function<void()>& f, std::string* sentence = nullptr) {
  try {
    f();
  } catch (const Error& error) {
    if (sentence != nullptr) *sentence = error.what();
    return error.code();
  }
  return {};
}

// ------------------------------------------------------------------------------------------------------------- what it is

TEST_P(CellTest, is_one_key_with_an_owner_and_a_time_to_live_that_is_renewed_and_goes_with_the_release) {
  auto client = connect();
  auto mutex = client.mutex("a/b");
  {
    const auto lease = mutex.acquire();
    EXPECT_EQ(ask("TYPE lock:a/b"), is_redisson() ? "+hash" : "+string");
    const auto left = std::stol(ask("PTTL lock:a/b").substr(1));
    EXPECT_GT(left, 0);
    EXPECT_LE(left, std::chrono::milliseconds(kTime).count());
    if (is_redisson()) {
      EXPECT_EQ(ask("HLEN lock:a/b"), ":1");
      EXPECT_NE(server_.ask("HVALS lock:a/b").find("\r\n1\r\n"), std::string::npos);
      EXPECT_NE(ask("HKEYS lock:a/b").find(':'), std::string::npos) << "<uuid>:<number>";
    } else {
      EXPECT_NE(ask("GET lock:a/b").find("purpose=a%20test"), std::string::npos) << ask("GET lock:a/b");
    }
    ask("PEXPIRE lock:a/b 1200");
    EXPECT_TRUE(eventually(kSoon, [&] { return std::stol(ask("PTTL lock:a/b").substr(1)) > 1500; })) << "not renewed";
    EXPECT_TRUE(lease.is_held());
    EXPECT_TRUE(mutex.acquire().is_held()) << "re-entered";
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return !is_there("a/b"); }));
}

TEST_P(CellTest, lets_one_in_at_a_time_among_threads_and_clients) {
  constexpr int kRounds = 60;
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<Token> last = 0;
  std::atomic<int> tokens_that_fell = 0;
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(connect(30s));
  std::vector<std::jthread> threads;
  for (auto& client : clients) {
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        auto mutex = client.non_reentrant_mutex("m");
        for (int i = 0; i < kRounds; ++i) {
          const auto lease = mutex.acquire();
          if (++inside != 1) ++overlaps;
          if (lease.token() < last.exchange(lease.token())) ++tokens_that_fell;
          --inside;
        }
      });
    }
  }
  threads.clear();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(tokens_that_fell, 0);
  EXPECT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
}

TEST_P(CellTest, passes_to_a_waiter_soon_after_the_release_although_the_key_would_live_long) {
  auto holder = connect(60s);
  auto other = connect(60s);
  auto lease = holder.mutex("m").acquire();
  std::promise<void> waits;
  auto waiting = std::async(std::launch::async, [&] {
    waits.set_value();
    return other.mutex("m").acquire().token();
  });
  waits.get_future().wait();
  EXPECT_EQ(waiting.wait_for(300ms), std::future_status::timeout);
  const auto token = lease.token();
  lease.release();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_GT(waiting.get(), token);
}

TEST_P(CellTest, is_waited_for_no_longer_than_the_key_of_a_dead_holder_lives) {
  hold_as_a_stranger("m", 900);
  auto client = connect(60s);
  const auto begun = Clock::now();
  const auto lease = client.mutex("m").acquire();
  EXPECT_LT(Clock::now() - begun, 10s);
}

TEST_P(CellTest, waits_for_a_key_without_an_end_until_it_is_removed) {
  hold_as_a_stranger("m", 0);
  auto client = connect();
  const auto none = client.mutex("m").try_acquire_for(300ms);
  EXPECT_EQ(none.error(), Errc::timed_out);
  EXPECT_NE(none.message().find(is_redisson() ? "8f1c3d5a" : "stranger"), std::string::npos) << none.message();
  auto waiting =
      std::async(std::launch::async, [&] { return static_cast<bool>(client.mutex("m").try_acquire_for(kSoon)); });
  EXPECT_EQ(waiting.wait_for(200ms), std::future_status::timeout);
  ask("DEL lock:m");
  EXPECT_TRUE(waiting.get());
}

TEST_P(CellTest, of_a_waiter_that_gives_up_or_is_closed_leaves_nothing) {
  auto holder = connect();
  auto lease = holder.mutex("m").acquire();
  {
    auto other = connect();
    EXPECT_EQ(other.mutex("m").try_acquire_for(150ms).error(), Errc::timed_out);
    EXPECT_EQ(other.mutex("m").try_acquire().error(), Errc::timed_out);
    std::stop_source stop;
    auto stopped = std::async(std::launch::async,
                              [&] { return code_of([&] { (void)other.mutex("m").acquire(stop.get_token()); }); });
    auto closed = std::async(std::launch::async, [&] { return code_of([&] { (void)other.mutex("m").acquire(); }); });
    EXPECT_EQ(closed.wait_for(100ms), std::future_status::timeout);
    stop.request_stop();
    EXPECT_EQ(stopped.get(), Errc::cancelled);
    other.close();
    EXPECT_EQ(closed.get(), Errc::cancelled);
  }
  lease.release();
  EXPECT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
  // Nothing takes it later.
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(is_there("m"));
}

TEST_P(CellTest, says_what_it_does_not_have_and_leaves_nothing) {
  auto client = connect();
  std::string sentence;
  const auto unsupported = [&](const std::function<void()>& f) {
    sentence.clear();
    EXPECT_EQ(code_of(f, &sentence), Errc::unsupported) << sentence;
    EXPECT_NE(sentence.find(fmt::format("mode={} has mutexes only", GetParam())), std::string::npos) << sentence;
  };
  unsupported([&] { (void)client.shared_mutex("a").acquire(); });
  unsupported([&] { (void)client.shared_mutex("a").acquire_shared(); });
  unsupported([&] { (void)client.semaphore("a", 2).acquire(); });
  unsupported([&] { (void)client.multi_lock({{"a"}, {"b"}}).acquire(); });
  unsupported([&] { (void)client.shared_count("a", 1); });
  unsupported([&] { (void)client.mutex("a", {.lock_delay = 1s}).acquire(); });
  unsupported([&] { (void)client.inspect_all(); });
  {
    auto other = connect();
    const auto lease = other.mutex("a").acquire();
    unsupported([&] { (void)client.revoke("a", 1s); });
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return ask("KEYS lock:*") == "*0"; })) << server_.ask("KEYS *");
}

// ---------------------------------------------------------------------------------------------------- what happens to the key

TEST_P(CellTest, that_is_deleted_by_another_is_lost_within_a_beat) {
  auto client = connect();
  const auto lease = client.mutex("m").acquire();
  ask("DEL lock:m");
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_FALSE(lease.is_held());
}

TEST_P(CellTest, that_another_has_now_is_lost_and_its_release_does_not_touch_the_other) {
  auto client = connect();
  auto mutex = client.mutex("m");
  auto lease = mutex.acquire();
  ask("DEL lock:m");
  hold_as_a_stranger("m", 0);
  lease.release();  // before it knows
  EXPECT_TRUE(client.mutex("other").try_acquire()) << "it was sent after the release";
  EXPECT_TRUE(stranger_holds("m"));

  auto second = client.mutex("n").acquire();
  ask("DEL lock:n");
  hold_as_a_stranger("n", 0);
  EXPECT_TRUE(eventually(kSoon, [&] { return second.lost().stop_requested(); }));
  second.release();
  client.close();
  EXPECT_TRUE(stranger_holds("m"));
  EXPECT_TRUE(stranger_holds("n"));
}

TEST_P(CellTest, is_lost_by_flushall_and_by_a_restart_without_data_and_tokens_go_on_growing) {
  auto client = connect();
  auto mutex = client.mutex("m");
  Token last = 0;
  for (const bool restart : {false, true}) {
    const auto lease = mutex.acquire();
    EXPECT_GT(lease.token(), last);
    last = lease.token();
    restart ? server_.restart() : (void)server_.ask("FLUSHALL");
    EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  }
  EXPECT_GT(mutex.acquire().token(), last);
}

// The limit that docs/backends/redis.md names, and mode=queue does not have.
TEST_P(CellTest, is_lost_early_when_the_servers_clock_is_set_forwards) {
  RedisServer server({.settable_clock = true});
  auto client = Client::connect(url(server.port()), options(6s));
  auto rival = Client::connect(url(server.port()), options(6s));
  const auto lease = client.mutex("m").acquire();
  server.set_clock(1h);
  auto next = rival.mutex("m").try_acquire_for(kSoon);
  ASSERT_TRUE(next) << next.message();
  EXPECT_GT(next.lease().token(), lease.token()) << "which a fence sees";
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); })) << "with the next beat";
}

TEST_P(CellTest, of_the_name_of_the_counter_of_tokens_is_refused) {
  const auto names = fmt::format("redis://127.0.0.1:{}?mode={}", server_.port(), GetParam());
  auto client = Client::connect(names, options());
  const auto token = client.mutex("m").acquire().token();
  const auto none = client.mutex("{holdfast}:token").try_acquire_for(kSoon);
  EXPECT_EQ(none.error(), Errc::refused);
  EXPECT_NE(none.message().find("{holdfast}:token is Holdfast's counter of tokens"), std::string::npos)
      << none.message();
  EXPECT_GT(client.mutex("m").acquire().token(), token);
}

TEST_P(CellTest, is_kept_when_the_scripts_are_flushed) {
  auto client = connect();
  auto mutex = client.mutex("m");
  const auto lease = mutex.acquire();
  for (int i = 0; i < 5; ++i) {
    ask("SCRIPT FLUSH");
    const auto another = client.mutex(fmt::format("n{}", i)).try_acquire_for(kSoon);
    ASSERT_TRUE(another) << another.message();
  }
  EXPECT_TRUE(lease.is_held());
  EXPECT_TRUE(is_there("m"));
}

TEST_P(CellTest, over_foreign_data_is_refused_in_one_sentence_and_the_data_stays) {
  auto client = connect();
  ask("RPUSH lock:list a b");
  ask("SADD lock:set a");
  ask("HSET lock:hash field value");
  for (const auto* name : {"list", "set", "hash"}) {
    const auto result = client.mutex(name).try_acquire_for(kSoon);
    EXPECT_EQ(result.error(), Errc::refused) << name << result.message();
    EXPECT_NE(result.message().find(fmt::format("lock:{} there is a {}", name, name)), std::string::npos)
        << result.message();
  }
  EXPECT_EQ(ask("LLEN lock:list"), ":2");
  EXPECT_EQ(ask("SCARD lock:set"), ":1");
  EXPECT_EQ(ask("HGET lock:hash field"), "value");
  ask("RPUSH {holdfast}:token 1");
  const auto result = client.mutex("m").try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_NE(result.message().find("{holdfast}:token there is a list"), std::string::npos) << result.message();
  EXPECT_FALSE(is_there("m"));
}

TEST_P(CellTest, on_a_full_server_lives_on_and_can_be_released_and_a_new_one_waits_for_room) {
  auto client = connect();
  auto lease = client.mutex("m").acquire();
  ask("CONFIG SET maxmemory 1");
  const auto none = client.mutex("n").try_acquire_for(1500ms);
  EXPECT_FALSE(none);
  EXPECT_TRUE(lease.is_held());
  lease.release();
  EXPECT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
  ask("CONFIG SET maxmemory 0");
  EXPECT_TRUE(client.mutex("n").try_acquire_for(kSoon));
}

TEST_P(CellTest, that_a_stranger_has_can_be_broken_by_an_operator_but_not_asked_back) {
  auto client = connect();
  hold_as_a_stranger("m", 60'000);
  EXPECT_EQ(code_of([&] { (void)client.revoke("m", 1ms); }), Errc::unsupported);
  EXPECT_TRUE(stranger_holds("m"));
  const auto done = client.revoke("m", 1ms, Client::Force::yes);
  EXPECT_EQ(done.asked, 1U);
  EXPECT_EQ(done.broken, 1U);
  EXPECT_FALSE(is_there("m"));
}

TEST_P(CellTest, needs_no_rights_but_those_that_the_documentation_lists) {
  ask(
      fmt::format("ACL SETUSER locks on >pw ~lock:* ~{{holdfast}}:token +@read +@write +@scripting +info +hello +ping "
                  "+select +time{}",
                  is_redisson() ? " &redisson_lock__channel:* +@pubsub" : ""));
  auto with_login = options();
  with_login.redis = {.user = "locks", .password = "pw"};
  auto client = Client::connect(url(), with_login);
  {
    const auto lease = client.mutex("m").acquire();
    auto other = Client::connect(url(), with_login);
    auto waiting = std::async(std::launch::async, [&] { return other.mutex("m").acquire().token(); });
    EXPECT_EQ(waiting.wait_for(300ms), std::future_status::timeout);
    EXPECT_EQ(client.inspect("m").tickets.size(), 1U);
    ask("PEXPIRE lock:m 1200");
    EXPECT_TRUE(eventually(kSoon, [&] { return std::stol(ask("PTTL lock:m").substr(1)) > 1500; })) << "not renewed";
    ask("DEL lock:m");
    EXPECT_GT(waiting.get(), lease.token());
  }
  ask("ACL SETUSER locks -set -hset");
  std::string sentence;
  EXPECT_EQ(code_of([&] { (void)client.mutex("n").acquire(); }, &sentence), Errc::refused);
  EXPECT_NE(sentence.find("docs/backends/redis.md for the rights"), std::string::npos) << sentence;
}

TEST_P(CellTest, is_refused_where_keys_may_be_thrown_away) {
  for (const auto* policy : {"allkeys-lru", "volatile-ttl"}) {
    RedisServer server({.config_lines = {"maxmemory 100mb", fmt::format("maxmemory-policy {}", policy)}});
    std::string sentence;
    EXPECT_EQ(code_of([&] { (void)Client::connect(url(server.port()), options()); }, &sentence), Errc::refused);
    EXPECT_NE(sentence.find("set it to noeviction"), std::string::npos) << sentence;
  }
}

// ------------------------------------------------------------------------------------------- what happens to the requests

TEST_P(CellTest, whose_answer_is_lost_is_held_once_and_goes_with_its_release) {
  testing::TcpRelay relay(server_.port());
  auto client = Client::connect(url(relay.port()), options(30s));
  relay.stall_answers();
  auto acquiring = std::async(std::launch::async, [&] { return client.mutex("m").acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return is_there("m"); })) << "the server has done it";
  relay.cut_all();
  relay.heal();
  ASSERT_EQ(acquiring.wait_for(kSoon), std::future_status::ready);
  auto lease = acquiring.get();
  EXPECT_TRUE(lease.is_held());
  EXPECT_GT(lease.token(), 0U);

  relay.stall_answers();
  lease.release();
  ASSERT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
  relay.cut_all();
  relay.heal();
  EXPECT_TRUE(client.mutex("m").try_acquire_for(kSoon));
}

TEST_P(CellTest, of_which_a_request_is_lost_is_acquired_and_released_all_the_same) {
  testing::TcpRelay relay(server_.port());
  auto client = Client::connect(url(relay.port()), options(30s));
  auto mutex = client.mutex("m");
  relay.stall();
  auto acquiring = std::async(std::launch::async, [&] { return mutex.acquire(); });
  EXPECT_EQ(acquiring.wait_for(200ms), std::future_status::timeout);
  EXPECT_FALSE(is_there("m"));
  relay.cut_all();
  relay.heal();
  ASSERT_EQ(acquiring.wait_for(kSoon), std::future_status::ready);
  auto lease = acquiring.get();
  relay.stall();
  lease.release();
  relay.cut_all();
  relay.heal();
  EXPECT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
}

TEST_P(CellTest, lives_through_an_answer_to_a_beat_that_is_lost) {
  testing::TcpRelay relay(server_.port());
  auto client = Client::connect(url(relay.port()), options(6s));
  const auto lease = client.mutex("m").acquire();
  const auto is_extended = [&] {
    ask("PEXPIRE lock:m 5000");
    return eventually(kSoon, [&] { return std::stol(ask("PTTL lock:m").substr(1)) > 5000; });
  };
  for (int i = 0; i < 3; ++i) {
    relay.stall_answers();
    ASSERT_TRUE(is_extended());
    relay.cut_all();
    relay.heal();
    ASSERT_TRUE(is_extended()) << "over the next connection";
  }
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.valid_until() > Clock::now() + 4s; }));
  EXPECT_TRUE(lease.is_held());
}

// A request that a dead connection still carries is executed after its caller has given up: beats find what it left.
TEST_P(CellTest, that_is_taken_by_a_straggling_request_is_given_back_long_before_it_expires) {
  constexpr auto kLong = 12s;
  testing::TcpRelay relay(server_.port());
  const auto both =
      fmt::format("redis://127.0.0.1:{},127.0.0.1:{}?mode={}&key=lock:%s", relay.port(), server_.port(), GetParam());
  auto client = Client::connect(both, {.session_timeout = kLong, .retry = RetryPolicy::forever(20ms)});
  relay.stall();
  // It asks again over the other connection, when the first has been silent for too long, and gives it back.
  EXPECT_TRUE(client.mutex("m").try_acquire_for(kLong));
  ASSERT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
  relay.heal();
  ASSERT_TRUE(eventually(kSoon, [&] { return is_there("m"); })) << "the straggler has not come";
  const auto came = Clock::now();
  EXPECT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
  EXPECT_LT(Clock::now() - came, kLong / 2);
}

TEST_P(CellTest, is_lost_by_the_holders_own_clock_when_the_server_stops_answering) {
  auto client = connect();
  const auto lease = client.mutex("m").acquire();
  server_.pause();
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_FALSE(lease.is_held());
  server_.resume();
  EXPECT_TRUE(client.mutex("m").try_acquire_for(kSoon)) << "and then it goes on";
}

TEST_P(CellTest, is_lost_before_the_key_can_expire) {
  testing::TcpRelay relay(server_.port());
  for (int i = 0; i < 3; ++i) {
    auto client = Client::connect(url(relay.port()), options(1500ms));
    const auto lease = client.mutex("m").acquire();
    relay.stall();
    ASSERT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
    // 1 if the key were gone: then a rival might have been granted it before the holder knew.
    EXPECT_TRUE(is_there("m")) << "round " << i;
    relay.cut_all();
    relay.heal();
    client.close();
    ASSERT_TRUE(eventually(kSoon, [&] { return !is_there("m"); }));
  }
}

// --------------------------------------------------------------------------------------------------------------- to be seen

TEST_P(CellTest, shows_who_holds_it_whichever_library_that_is) {
  auto client = connect();
  auto other = connect();
  const auto lease = other.mutex("ours").acquire();
  auto seen = client.inspect("ours");
  ASSERT_EQ(seen.tickets.size(), 1U);
  EXPECT_TRUE(seen.tickets[0].holds);
  EXPECT_EQ(seen.path, "lock:ours");
  if (!is_redisson()) {
    EXPECT_EQ(seen.tickets[0].recipe, "Holdfast");
    EXPECT_EQ(seen.tickets[0].card.purpose, "a test");
  }
  EXPECT_EQ(other.inspect("ours").tickets.at(0).token, lease.token());
  EXPECT_EQ(other.inspect("ours").tickets.at(0).card.purpose, "a test");

  ask("SET lock:py 3f2504e04f8911d39a0c0305e82c3301 PX 60000");
  EXPECT_EQ(client.inspect("py").tickets.at(0).recipe, "redis-py");
  ask("SET lock:forever token");
  EXPECT_EQ(client.inspect("forever").tickets.at(0).recipe, "SET NX");
  EXPECT_EQ(client.inspect("forever").tickets.at(0).session, 0) << "it stays until it is removed";
  ask("HSET lock:java 8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:42 2");
  EXPECT_EQ(client.inspect("java").tickets.at(0).recipe, "Redisson");
  EXPECT_EQ(client.inspect("java").tickets.at(0).card.address, "8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:42");
  ask("HSET lock:rw mode read 8f1c3d5a-5a51-4a0c-9a5e-0d0c7e0e6a11:42 1");
  EXPECT_EQ(client.inspect("rw").tickets.at(0).recipe, "Redisson, read/write");
  ask("ZADD lock:php 1790000000 token");
  EXPECT_EQ(client.inspect("php").tickets.at(0).recipe, "Symfony");
  EXPECT_TRUE(client.inspect("none").tickets.empty());
}

}  // namespace
}  // namespace holdfast
