// docs/semantics.md, "Deadlines": they hold whatever the network does. And what close() does in an outage.
#include <fmt/format.h>

#include <future>
#include <mutex>

#include "network.h"

namespace holdfast::testing {
namespace {

class Outage : public Network {
 protected:
  // The two ways in which a server is not there.
  void refuse_everything() {
    proxy_.refuse(true);
    proxy_.cut_all();
  }

  // H4: within 100 ms of what was asked for. (Curator took 38 s for 500 ms.)
  void ends_on_time(Mutex& mutex, std::chrono::milliseconds timeout) {
    const auto begin = Clock::now();
    const auto result = mutex.try_acquire_for(timeout);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    EXPECT_EQ(result.error(), Errc::timed_out) << result.message();
    EXPECT_GE(took, timeout);
    EXPECT_LE(took, timeout + 100ms);
  }

  ClientOptions patient() { return {.session_timeout = 6s, .retry = RetryPolicy::forever(50ms)}; }
};

TEST_F(Outage, a_deadline_holds_while_connections_are_refused) {
  auto client = connect(patient());
  auto mutex = client.mutex("a");
  refuse_everything();
  for (const auto timeout : {50ms, 500ms, 1500ms}) ends_on_time(mutex, timeout);
}

TEST_F(Outage, a_deadline_holds_in_a_silent_partition) {
  auto client = connect(patient());
  auto mutex = client.mutex("a");
  proxy_.black_hole();
  for (const auto timeout : {50ms, 500ms, 1500ms}) ends_on_time(mutex, timeout);
}

TEST_F(Outage, a_waiters_deadline_holds_when_the_partition_comes_while_it_waits) {
  auto client = connect(patient());
  auto rival = connect_directly();
  auto mutex = client.mutex("a");
  auto lease = rival.mutex("a").acquire();
  auto waiting = std::async(std::launch::async, [&] { ends_on_time(mutex, 1000ms); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));
  proxy_.black_hole();
  waiting.get();
  proxy_.heal();
  EXPECT_TRUE(eventually(15s, [&] { return tickets("a").size() == 1; }));  // the ghost is swept up
}

// Which one is tried first is left to chance, so often enough.
TEST_F(Outage, connecting_does_not_depend_on_one_silent_server) {
  proxy_.black_hole();
  for (int round = 0; round < 6; ++round) {
    EXPECT_NO_THROW(Client::connect("zk://" + proxy_.address() + "," + server_.address())) << round;
  }
  EXPECT_GT(proxy_.accepted(), 0u) << "it was never tried";
}

TEST_F(Outage, trying_does_not_take_longer_than_the_connection_timeout) {
  auto client = connect({.session_timeout = 10s, .connection_timeout = 300ms});
  auto mutex = client.mutex("a");
  proxy_.black_hole();
  const auto begin = Clock::now();
  EXPECT_FALSE(mutex.try_acquire());
  EXPECT_LE(Clock::now() - begin, 400ms);
}

TEST_F(Outage, trying_without_a_connection_fails_at_once) {
  auto client = connect({.session_timeout = 10s});
  auto mutex = client.mutex("a");
  refuse_everything();
  ASSERT_TRUE(eventually(kSoon, [&] { return client.state() == ConnectionState::jeopardy; }));
  const auto begin = Clock::now();
  EXPECT_EQ(mutex.try_acquire().error(), Errc::not_connected);
  EXPECT_LE(Clock::now() - begin, 100ms);
}

// The list comes when the caller, and the Mutex, are gone.
TEST_F(Outage, a_try_that_gave_up_makes_no_ticket_when_the_answer_comes_after_all) {
  auto client = connect({.session_timeout = 10s, .connection_timeout = 200ms});
  const auto held_back = proxy_.hold_reply({.op = Op::get_children});
  EXPECT_FALSE(client.mutex("a").try_lock());
  ASSERT_TRUE(eventually(kSoon, [&] { return held_back.fired(); }));
  held_back.release();
  auto mutex = client.mutex("b");  // behind the late answer
  EXPECT_TRUE(mutex.try_lock_for(kSoon));
  EXPECT_TRUE(tickets("a").empty());
  EXPECT_EQ(proxy_.count([](const Seen& seen) {
    return seen.is_request() && seen.op == Op::create2 && seen.path.starts_with("/a/");
  }),
            0U);
  mutex.unlock();
}

TEST_F(Outage, an_acquire_ends_when_the_retry_policy_does) {
  auto client = connect({.session_timeout = 10s, .connection_timeout = 50ms, .retry = RetryPolicy::n_times(3, 20ms)});
  auto mutex = client.mutex("a");
  refuse_everything();
  try {
    (void)mutex.acquire();
    FAIL() << "acquired in an outage";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_connected);
    EXPECT_NE(std::string(error.what()).find("4 attempts"), std::string::npos) << error.what();
  }
}

TEST_F(Outage, a_waiter_with_no_deadline_ends_when_the_retry_policy_does) {
  auto client = connect({.session_timeout = 10s, .connection_timeout = 50ms, .retry = RetryPolicy::n_times(3, 20ms)});
  auto rival = connect_directly();
  auto lease = rival.mutex("a").acquire();
  auto mutex = client.mutex("a");
  auto waiting = std::async(std::launch::async, [&] { return mutex.try_acquire_for(1h); });
  ASSERT_TRUE(eventually(kSoon, [&] { return !server_.watches().empty(); }));
  refuse_everything();
  EXPECT_EQ(waiting.get().error(), Errc::not_connected);
  proxy_.refuse(false);
  EXPECT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 1; }));
}

TEST_F(Outage, a_waiter_keeps_its_place_through_a_short_one) {
  auto client = connect(patient());
  auto rival = connect_directly();
  auto theirs = rival.mutex("a");
  auto lease = theirs.acquire();
  auto mutex = client.mutex("a");
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return !server_.watches().empty(); }));
  const auto before = tickets("a");
  for (int i = 0; i < 3; ++i) {
    const auto accepted = proxy_.accepted();
    proxy_.cut_all();
    ASSERT_TRUE(eventually(kSoon, [&] { return proxy_.accepted() > accepted && !server_.watches().empty(); }));
  }
  EXPECT_EQ(tickets("a"), before);
  lease.release();
  EXPECT_TRUE(waiting.get().ticket().ends_with(before.back()));
}

TEST_F(Outage, a_predecessor_that_goes_during_the_outage_is_noticed_after_it) {
  auto client = connect(patient());
  auto rival = connect_directly();
  auto theirs = rival.mutex("a");
  auto lease = theirs.acquire();
  auto mutex = client.mutex("a");
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return !server_.watches().empty(); }));
  refuse_everything();
  ASSERT_FALSE(lease.release_for(kSoon));
  proxy_.refuse(false);
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

// H6, CURATOR-720.
TEST_F(Outage, closing_in_an_outage_wakes_the_waiters_and_returns_soon) {
  auto client = connect(patient());
  auto mutex = client.mutex("a");
  refuse_everything();
  auto waiting = std::async(std::launch::async, [&] { return mutex.try_acquire_for(1h); });
  ASSERT_TRUE(eventually(kSoon, [&] { return client.state() == ConnectionState::jeopardy; }));
  const auto begin = Clock::now();
  client.close();
  EXPECT_LE(Clock::now() - begin, 1s);
  ASSERT_EQ(waiting.wait_for(1s), std::future_status::ready);
  EXPECT_EQ(waiting.get().error(), Errc::cancelled);
}

TEST_F(Outage, a_server_restart_is_survived_by_holder_and_waiter) {
  auto a = connect_directly({.session_timeout = 20s});
  auto b = connect_directly({.session_timeout = 20s});
  auto first = a.mutex("m");
  auto second = b.mutex("m");
  auto lease = first.acquire();
  auto waiting = std::async(std::launch::async, [&] { return second.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("m").size() == 2; }));
  server_.restart();
  EXPECT_FALSE(lease.lost().stop_requested());
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
  EXPECT_FALSE(lease.release_for(20s));
  ASSERT_EQ(waiting.wait_for(20s), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

TEST_F(Outage, a_server_may_be_named) {
  auto client = Client::connect(fmt::format("zk://localhost:{}/deep/down", proxy_.port()), {.session_timeout = 10s});
  auto mutex = client.mutex("a");
  EXPECT_EQ(mutex.path(), "/deep/down/a");
  auto lease = mutex.acquire();
  EXPECT_EQ(tickets("deep/down/a").size(), 1U);
  proxy_.cut_all();
  EXPECT_FALSE(lease.release_for(kSoon));
}

TEST_F(Outage, the_listener_hears_jeopardy_and_reconnected) {
  std::mutex guard;
  std::vector<ConnectionState> heard;
  auto client = connect({.session_timeout = 10s, .listener = [&](ConnectionState state) {
                           const std::lock_guard lock(guard);
                           heard.push_back(state);
                         }});
  const auto has = [&](std::size_t n) {
    return eventually(kSoon, [&] {
      const std::lock_guard lock(guard);
      return heard.size() == n;
    });
  };
  refuse_everything();
  ASSERT_TRUE(has(2));
  proxy_.refuse(false);
  ASSERT_TRUE(has(3));
  const std::lock_guard lock(guard);
  EXPECT_EQ(heard, (std::vector{ConnectionState::connected, ConnectionState::jeopardy, ConnectionState::reconnected}));
}

}  // namespace
}  // namespace holdfast::testing
