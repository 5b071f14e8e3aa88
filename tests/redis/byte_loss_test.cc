// A connection to Redis that is cut at a byte: of a request, of its answer, of what is published. Whatever was under way, locks go on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/redis_server.h"
#include "support/tcp_relay.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Direction = TcpRelay::Direction;

constexpr auto kSoon = 60s;

ClientOptions options() {
  return {.session_timeout = 20s, .connection_timeout = 20s, .retry = RetryPolicy::forever(1ms)};
}

bool gives_back(AcquireResult result) {
  EXPECT_TRUE(result) << result.message();
  return result && !result.lease().release_for(kSoon);
}
template <class Lockable>
bool takes_and_gives_back(Lockable&& lockable) {
  return gives_back(lockable.try_acquire_for(kSoon));
}

class RedisByteLoss : public ::testing::Test {
 protected:
  // Takes something and gives it back; false, and a failure, if it cannot.
  using Round = std::function<bool()>;

  // Runs `round` with the connection of cut_ ended after each number of bytes that pass in it, in steps.
  void cut_at_each(Direction direction, std::size_t step, const Round& round) {
    ASSERT_TRUE(round()) << "not cut at all";
    settle();
    const auto before = relay_.passed(direction);
    ASSERT_TRUE(round());
    settle();
    const auto bytes = relay_.passed(direction) - before;
    ASSERT_GT(bytes, 20U) << "hardly anything passes: the test does nothing";
    std::size_t cuts = 0;
    for (std::size_t at = 0; at < bytes; at += step) {
      cut_ = connect();  // one that is cut again and again pauses longer and longer
      relay_.cut_after(direction, at);
      ASSERT_TRUE(round()) << "cut after " << at << " of " << bytes << " bytes";
      settle();
      ASSERT_EQ(count("q"), 0U) << "a ticket is left, cut after " << at << " of " << bytes << " bytes";
      cuts += relay_.cut() ? 1 : 0;
    }
    std::printf("%zu bytes, cut %zu times\n", bytes, cuts);
    EXPECT_GT(cuts, bytes / step / 2);
  }
  // Until nothing is left of a round. Releases are not waited for by whoever makes them.
  void settle() {
    EXPECT_TRUE(eventually(kSoon, [&] { return count("q") == 0 && count("w") == 0; }))
        << server_.ask("ZRANGE {holdfast}:q 0 -1") << server_.ask("ZRANGE {holdfast}:w 0 -1");
  }
  bool waits_and_is_woken() {
    auto theirs = other_.mutex("a").acquire();
    auto waiting = std::async(std::launch::async, [&] { return takes_and_gives_back(cut_.mutex("a")); });
    // Once it listens, or has lost something on the way there.
    EXPECT_TRUE(eventually(kSoon, [&] { return count("w") == 1 || relay_.cut(); }));
    theirs.release();
    return waiting.get();
  }
  std::size_t count(const std::string& key) const {
    return std::stoul(server_.ask("ZCARD {holdfast}:" + key).substr(1));
  }

  Client connect() { return Client::connect(fmt::format("redis://127.0.0.1:{}", relay_.port()), options()); }

  RedisServer server_;
  TcpRelay relay_{server_.port()};
  Client cut_ = connect();
  Client other_ = Client::connect("redis://" + server_.address(), options());
};

TEST_F(RedisByteLoss, of_an_answer_leaves_no_ghost_of_a_mutex) {
  cut_at_each(Direction::from_target, 1, [&] { return takes_and_gives_back(cut_.mutex("a")); });
}
TEST_F(RedisByteLoss, of_a_request_leaves_no_ghost_of_a_mutex) {
  cut_at_each(Direction::to_target, 16, [&] { return takes_and_gives_back(cut_.mutex("a")); });
}

// All the others, each by steps of its own requests: a reader, a writer that goes on reading, permits, many names, a delay after a loss.
class RedisByteLossOfEach : public RedisByteLoss {
 protected:
  std::vector<Round> rounds() {
    return {
        [this] { return gives_back(cut_.shared_mutex("s").try_acquire_shared_for(kSoon)); },
        [this] {
          auto mutex = cut_.shared_mutex("s");
          auto writer = mutex.try_acquire_for(kSoon);
          if (!writer) return false;
          auto reader = mutex.try_acquire_shared_for(kSoon);
          return reader && !writer.lease().release_for(kSoon) && gives_back(std::move(reader));
        },
        [this] { return takes_and_gives_back(cut_.semaphore("p", 2)); },
        [this] {
          return takes_and_gives_back(cut_.multi_lock({{"a"}, {"b"}, {"c"}}));
        },
        [this] { return takes_and_gives_back(cut_.mutex("d", {.lock_delay = std::chrono::milliseconds(1)})); },
    };
  }
};

TEST_F(RedisByteLossOfEach, answer_leaves_no_ghost) {
  for (const auto& round : rounds()) cut_at_each(Direction::from_target, 23, round);
}
TEST_F(RedisByteLossOfEach, request_leaves_no_ghost) {
  for (const auto& round : rounds()) cut_at_each(Direction::to_target, 151, round);
}

// The outcome may be unknown, and then a look tells: the steps of a commit are made all together, or none of them.
TEST_F(RedisByteLossOfEach, commit_is_made_whole_or_not_at_all) {
  const auto is_there = [&](const std::string& path) {
    return server_.ask("HEXISTS {holdfast}:d \"data\\x00" + path + "\"") == ":1\r\n";
  };
  int made = 0;
  int rounds = 0;
  for (const auto direction : {Direction::to_target, Direction::from_target}) {
    for (std::size_t at = 0; at < 900; at += 75, ++rounds) {
      cut_ = connect();
      auto lease = cut_.mutex("a").acquire();
      const auto name = fmt::format("{}", rounds);
      relay_.cut_after(direction, at);
      try {
        cut_.commit(lease, Transaction().create("/data/" + name, "1").create("/data/" + name + "x", "2"));
        EXPECT_TRUE(is_there(name)) << "cut after " << at;
      } catch (const Error& error) {
        EXPECT_NE(error.code(), Errc::refused) << error.what();
      }
      EXPECT_EQ(is_there(name), is_there(name + "x")) << "cut after " << at;
      made += is_there(name) ? 1 : 0;
      EXPECT_FALSE(lease.release_for(kSoon));
    }
  }
  EXPECT_GT(made, 0);
}

// What wakes a waiter, or the request that asks for it, is lost on the way.
TEST_F(RedisByteLoss, of_a_waiters_answers_loses_no_wake_up) {
  cut_at_each(Direction::from_target, 3, [&] { return waits_and_is_woken(); });
}
TEST_F(RedisByteLoss, of_a_waiters_requests_loses_no_wake_up) {
  cut_at_each(Direction::to_target, 32, [&] { return waits_and_is_woken(); });
}

}  // namespace
}  // namespace holdfast::testing
