// What went wrong in Curator and kazoo when the network did, where no test of ours had it yet. docs/bugs.md has the table.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "network.h"

namespace holdfast::testing {
namespace {

// How long a test looks on before it believes that something does not happen.
constexpr auto kLookOn = 600ms;

class CuratorFaults : public Network {
 protected:
  void refuse_everything() {
    proxy_.refuse(true);
    proxy_.cut_all();
  }

  // So that the queue is there, and nobody in it.
  void make_queue(Mutex& mutex) {
    auto result = mutex.try_acquire_for(kSoon);
    ASSERT_TRUE(result) << result.message();
    ASSERT_FALSE(result.lease().release_for(kSoon));
  }

  std::size_t requests(Op op, const std::string& path) {
    return proxy_.count([&](const Seen& seen) { return seen.is_request() && seen.op == op && seen.path == path; });
  }

  // A ticket as Curator makes it, by somebody who does not use this library. The number is the service's.
  std::string add_rival(const std::string& queue, int flags = ZOO_EPHEMERAL | ZOO_SEQUENCE) {
    char made[256]{};
    const auto path = "/" + queue + "/_c_11111111-2222-4333-8444-555555555555-lock-";
    EXPECT_EQ(zoo_create(observer_.handle(), path.c_str(), "10.0.0.1", 8, &ZOO_OPEN_ACL_UNSAFE, flags, made,
                         static_cast<int>(sizeof made)),
              ZOK);
    return made;
  }

  Stat stat_of(const std::string& path) {
    Stat stat{};
    EXPECT_EQ(zoo_exists(observer_.handle(), path.c_str(), 0, &stat), ZOK) << path;
    return stat;
  }
};

// ------------------------------------------------------------------------------------------------------------- acquire

// Netflix a4ee4b58 (TestLockInternals.testNodeDeletedCleanlyWithFaults): the ticket is made, the list fails, and there
// are no retries left.
TEST_F(CuratorFaults, giving_up_after_a_lost_list_leaves_no_ghost) {
  for (const std::string name_space : {"", "inner"}) {
    for (const bool reply : {false, true}) {
      auto client = connect({.session_timeout = 5s, .name_space = name_space, .retry = RetryPolicy::n_times(0, 1ms)});
      auto mutex = client.mutex("ghost");
      make_queue(mutex);
      const RequestMatch list{.op = Op::get_children, .path = mutex.path()};
      const auto lost = reply ? proxy_.cut_after(list) : proxy_.cut_before(list);
      const auto result = mutex.try_acquire_for(20s);
      EXPECT_EQ(result.error(), Errc::not_connected) << result.message();
      EXPECT_TRUE(lost.fired());
      EXPECT_TRUE(empties(mutex.path().substr(1))) << "a ghost is left in " << mutex.path();
      EXPECT_TRUE(mutex.try_lock_for(kSoon));
      mutex.unlock();
    }
  }
}

// CURATOR-190: the protected name was prefixed once more for every attempt.
TEST_F(CuratorFaults, a_ticket_that_had_to_be_made_again_has_one_name_and_is_one_node) {
  constexpr int kLosses = 3;
  auto client = connect({.session_timeout = 10s, .retry = RetryPolicy::forever(10ms)});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  proxy_.clear();
  const auto lost = proxy_.cut_before({.op = Op::create2, .times = kLosses});
  auto result = mutex.try_acquire_for(30s);
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(lost.times_fired(), kLosses);
  std::set<std::string> names;
  for (const auto& seen : proxy_.trace()) {
    if (seen.is_request() && seen.op == Op::create2) names.insert(seen.path);
  }
  ASSERT_EQ(names.size(), 1U) << "not the same name each time";
  const auto& name = *names.begin();
  EXPECT_EQ(name.find("_c_"), name.rfind("_c_")) << name;
  EXPECT_EQ(name.size(), std::string("/a/_c_").size() + 36 + std::string("-lock-").size()) << name;
  ASSERT_EQ(tickets("a").size(), 1U);
  EXPECT_EQ(result.lease().ticket(), "/a/" + tickets("a").front());
  EXPECT_TRUE(result.lease().ticket().starts_with(name));
}

// CURATOR-498 (testProtectionWithKilledSession): the reply is lost, and the session dies before the ticket is found again.
TEST_F(CuratorFaults, a_ticket_whose_session_died_before_it_was_found_again_is_not_used) {
  auto client = connect({.session_timeout = 2s, .retry = RetryPolicy::forever(50ms)});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  proxy_.refuse(true);  // from the next connection on
  const auto lost = proxy_.cut_after({.op = Op::create2, .path = "/a/"});
  auto acquiring = std::async(std::launch::async, [&] { return mutex.try_acquire_for(30s); });
  ASSERT_TRUE(lost.wait_fired(kSoon));
  ASSERT_EQ(tickets("a").size(), 1U);
  const auto old_ticket = "/a/" + tickets("a").front();
  const auto old_owner = stat_of(old_ticket).ephemeralOwner;
  ASSERT_TRUE(empties("a"));  // the server has ended that session
  proxy_.refuse(false);
  auto result = acquiring.get();
  ASSERT_TRUE(result) << result.message();
  EXPECT_NE(result.lease().ticket(), old_ticket);
  ASSERT_EQ(tickets("a").size(), 1U);
  const auto now = stat_of(result.lease().ticket());
  EXPECT_NE(now.ephemeralOwner, 0);
  EXPECT_NE(now.ephemeralOwner, old_owner);
  EXPECT_EQ(static_cast<Token>(now.czxid), result.lease().token());
  EXPECT_TRUE(result.lease().is_held());
}

// CURATOR-41 (testAttemptLockFailedException): the error of the clean-up hid the one that mattered.
TEST_F(CuratorFaults, the_first_error_is_reported_when_the_clean_up_fails_too) {
  char world[] = "world";
  char anyone[] = "anyone";
  ACL create_only{ZOO_PERM_CREATE, {world, anyone}};
  const ACL_vector acl{1, &create_only};
  ASSERT_EQ(zoo_create(observer_.handle(), "/both", "", 0, &acl, 0, nullptr, 0), ZOK);
  auto client = connect({.session_timeout = 10s});
  const auto result = client.mutex("both").try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_NE(result.message().find("list /both"), std::string::npos) << result.message();
  const auto refused_deletes = [&] {
    return proxy_.count(
        [](const Seen& seen) { return seen.is_reply() && seen.op == Op::delete_node && seen.err != 0; });
  };
  EXPECT_TRUE(eventually(kSoon, [&] { return refused_deletes() == 1; })) << "there was no clean-up that could fail";
  client.close();
  EXPECT_TRUE(eventually(kSoon, [&] { return stat_of("/both").numChildren == 0; }));
}

TEST_F(CuratorFaults, the_first_error_is_reported_when_the_connection_fails_the_clean_up_too) {
  auto client = connect({.session_timeout = 10s, .retry = RetryPolicy::n_times(0, 1ms)});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  const auto list = proxy_.cut_after({.op = Op::get_children, .path = "/a"});
  const auto clean_up = proxy_.cut_before({.op = Op::delete_node, .path = "/a/", .times = 2});
  const auto result = mutex.try_acquire_for(20s);
  EXPECT_EQ(result.error(), Errc::not_connected);
  EXPECT_NE(result.message().find("1 attempt"), std::string::npos) << result.message();
  EXPECT_NE(result.message().find("list /a"), std::string::npos) << result.message();
  EXPECT_TRUE(empties("a"));
  EXPECT_EQ(clean_up.times_fired(), 2);
}

// kazoo #732: one that would not wait made a ticket, was not the first, and could not take it back.
TEST_F(CuratorFaults, a_try_that_came_second_leaves_no_ghost_when_its_clean_up_is_lost) {
  auto client = connect({.session_timeout = 10s});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  std::string rival;
  proxy_.on_request([&](const Request& request) -> Verdict {
    if (request.op == Op::create2 && rival.empty()) rival = add_rival("a");
    return {};
  });
  const auto lost = proxy_.cut_before({.op = Op::delete_node, .path = "/a/"});
  EXPECT_FALSE(mutex.try_lock());
  proxy_.on_request({});
  ASSERT_FALSE(rival.empty()) << "it did not find the queue empty";
  ASSERT_TRUE(lost.wait_fired(kSoon));
  EXPECT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 1; })) << "a ghost";
  EXPECT_EQ("/a/" + tickets("a").front(), rival);
}

// CURATOR-180: the container goes between its creation and that of the ticket, 1,000 times and up to a dozen in a row.
TEST_F(CuratorFaults, a_queue_that_vanishes_before_the_ticket_is_made_is_made_again) {
  constexpr int kVanish = 1'000;
  auto client = connect({.session_timeout = 20s, .retry = RetryPolicy::forever(1ms)});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  const auto next_ticket = [&] { return proxy_.delay({.op = Op::create2, .path = "/a/"}, 1min); };
  int vanished = 0;
  for (int acquires = 1; vanished < kVanish; ++acquires) {
    proxy_.clear();
    std::size_t made = 0;
    auto under_way = next_ticket();
    auto acquiring = std::async(std::launch::async, [&] { return mutex.try_acquire_for(kSoon); });
    const int times = acquires % 10 == 0 ? 12 : 3;
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(under_way.wait_fired(kSoon));
      // Not if this attempt is the first of a new round, for which no container was made yet.
      if (i == 0 || proxy_.count_requests(Op::create_container) > made) {
        // Its creation has been passed on, but may still be on its way.
        ASSERT_TRUE(eventually(kSoon, [&] { return observer_.remove("/a") == ZOK; }));
        ++vanished;
      }
      made = proxy_.count_requests(Op::create_container);
      const auto this_one = under_way;
      if (i + 1 < times) under_way = next_ticket();
      this_one.release();
    }
    auto result = acquiring.get();
    ASSERT_TRUE(result) << result.message();
    ASSERT_EQ(tickets("a").size(), 1U);
    ASSERT_TRUE(result.lease().ticket().ends_with("-lock-0000000000")) << "it is not a new queue";
    ASSERT_FALSE(result.lease().release_for(kSoon));
  }
}

// CURATOR-217 (testContainerCleanup), and the same race with the real reaper, which never sleeps here.
TEST(CuratorReaper, a_queue_that_nobody_uses_any_more_is_removed_by_the_server_and_until_then_disturbs_nobody) {
  ZooKeeperServer server(
      {.container_check_interval = 1ms, .java_options = {"-Dznode.container.maxPerMinute=10000000"}});
  FaultProxy proxy(server.port());
  PlainClient observer(server.address());
  {
    auto client = Client::connect("zk://" + proxy.address(), {.hand_over = {.count = 0}});
    std::atomic<int> inside = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 10; ++i) {
      threads.emplace_back([&] {
        auto mutex = client.mutex("deep/down/a");
        for (int round = 0; round < 50; ++round) {
          const std::scoped_lock hold(mutex);
          EXPECT_EQ(inside.fetch_add(1), 0);
          inside.fetch_sub(1);
        }
      });
    }
    threads.clear();
    // One at a time, so that the queue is empty in between.
    auto mutex = client.mutex("deep/down/b");
    for (int round = 0; round < 500; ++round) {
      auto result = mutex.try_acquire_for(kSoon);
      ASSERT_TRUE(result) << result.message();
      ASSERT_FALSE(result.lease().release_for(kSoon));
    }
    EXPECT_TRUE(eventually(kSoon, [&] { return observer.exists("/deep") == ZNONODE; }));
  }
  const auto reaped =
      proxy.count([](const Seen& seen) { return seen.is_reply() && seen.op == Op::create2 && seen.err == ZNONODE; });
  std::printf("%zu times the queue was gone when the ticket was to be made\n", reaped);
  EXPECT_GT(reaped, 10U) << "the reaper hardly came by: this shows nothing";
}

// ------------------------------------------------------------------------------------------------------------- waiting

// CURATOR-527, -641; ZOOKEEPER-3162, whose cure gives up its place then. Every time, and not by chance.
TEST_F(CuratorFaults, a_predecessor_that_goes_between_the_list_and_the_watch_costs_neither_the_place_nor_a_watch) {
  constexpr int kRounds = 1'000;
  auto client = connect({.session_timeout = 20s});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  int gone = 0;
  std::mutex access;
  std::string rival;
  proxy_.on_request([&](const Request& request) -> Verdict {
    const std::lock_guard lock(access);
    // With a beat the client watches its own ticket, too, and that stays.
    if (request.op == Op::get_data && request.watch && request.path == rival && observer_.remove(rival) == ZOK) ++gone;
    return {};
  });
  for (int round = 1; round <= kRounds; ++round) {
    {
      const std::lock_guard lock(access);
      rival = add_rival("a");
    }
    proxy_.clear();
    auto result = mutex.try_acquire_for(kSoon);
    ASSERT_TRUE(result) << "not woken in round " << round << ": " << result.message();
    {
      const std::lock_guard lock(access);
      ASSERT_EQ(gone, round);
    }
    ASSERT_EQ(proxy_.count_requests(Op::create2), 1U) << "it gave up its place";
    ASSERT_FALSE(result.lease().release_for(kSoon));
  }
  proxy_.on_request({});
  EXPECT_TRUE(server_.watches().empty());
}

// GH-1290: a wake-up is a reason to look, not a grant. Any event on the predecessor used its watch up.
TEST_F(CuratorFaults, a_change_of_the_predecessors_data_lets_nobody_in_and_is_not_the_last_that_is_heard) {
  auto client = connect({.session_timeout = 20s});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  const auto rival = add_rival("a");
  proxy_.clear();
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  const auto listened = [&](std::size_t times) {
    return eventually(kSoon,
                      [&] { return requests(Op::get_data, rival) == times && server_.watches().contains(rival); });
  };
  ASSERT_TRUE(listened(1));
  for (int change = 1; change <= 10; ++change) {
    const auto data = fmt::format("change {}", change);
    ASSERT_EQ(zoo_set(observer_.handle(), rival.c_str(), data.data(), static_cast<int>(data.size()), -1), ZOK);
    ASSERT_TRUE(listened(static_cast<std::size_t>(change) + 1));
    ASSERT_EQ(waiting.wait_for(0s), std::future_status::timeout) << "let in by a change";
  }
  ASSERT_EQ(observer_.remove(rival), ZOK);
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

// kazoo #492, testPersistentLock: whoever wants to outlive its session has a ticket that does.
TEST_F(CuratorFaults, a_ticket_that_belongs_to_no_session_is_waited_for_like_any_other) {
  auto client = connect_directly();
  auto mutex = client.mutex("a");
  make_queue(mutex);
  const auto rival = add_rival("a", ZOO_SEQUENCE);
  const auto result = mutex.try_acquire_for(100ms);
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_EQ(result.ahead(), 1U);
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return server_.watches().contains(rival); }));
  ASSERT_EQ(observer_.remove(rival), ZOK);
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

// CURATOR-43: a child that is no ticket, and sorts before all that are, blocked everybody for ever.
TEST_F(CuratorFaults, children_that_are_no_tickets_block_nobody) {
  auto client = connect_directly();
  auto rival = connect_directly();
  auto mutex = client.mutex("a");
  auto theirs = rival.mutex("a");
  make_queue(mutex);
  for (const auto* child : {"/a/0", "/a/!x", "/a/-1", "/a/lock", "/a/zz"}) ASSERT_EQ(observer_.create(child), ZOK);
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(theirs.try_lock());
  auto waiting = std::async(std::launch::async, [&] { return theirs.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return server_.watches().size() == 1; }));
  mutex.unlock();
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

// testKilledSession: two mutexes of one client, and the session is killed.
TEST_F(CuratorFaults, the_second_mutex_of_a_client_acquires_after_their_session_was_killed) {
  auto client = connect({.session_timeout = 2s, .retry = RetryPolicy::forever(50ms)});
  auto first = client.mutex("a");
  auto second = client.mutex("a");
  auto lease = first.acquire();
  auto waiting = std::async(std::launch::async, [&] { return second.acquire(); });
  refuse_everything();
  ASSERT_TRUE(empties("a"));  // the server has ended the session
  EXPECT_TRUE(lease.lost().stop_requested());
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout) << "granted without a session";
  proxy_.refuse(false);
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  auto next = waiting.get();
  EXPECT_TRUE(next.is_held());
  EXPECT_GT(next.token(), lease.token());
  EXPECT_EQ(tickets("a").size(), 1U);
  EXPECT_EQ(lease.release(), Errc::session_lost);
  EXPECT_TRUE(next.is_held());
}

// testBackgroundLatencyUnSleep: who sleeps between two attempts is woken by the connection.
TEST_F(CuratorFaults, a_connection_that_is_back_ends_the_pause_between_two_attempts) {
  auto client = connect({.session_timeout = 10s, .connection_timeout = 1h, .retry = RetryPolicy::forever(1h)});
  auto mutex = client.mutex("a");
  make_queue(mutex);
  const auto lost = proxy_.cut_before({.op = Op::create2, .path = "/a/"});
  auto result = mutex.try_acquire_for(kSoon);
  EXPECT_TRUE(result) << result.message();
  EXPECT_TRUE(lost.fired());
}

// ------------------------------------------------------------------------------------------------------------- release

// Netflix f2e9a51b, TestFailedDeleteManager: the delete that was made up for forgot the name space.
TEST_F(CuratorFaults, a_release_in_an_outage_is_made_up_for_below_a_chroot_and_a_name_space) {
  for (const std::string chroot : {"", "/root"}) {
    auto client = Client::connect("zk://" + proxy_.address() + chroot, {.session_timeout = 10s, .name_space = "inner"});
    auto mutex = client.mutex("late");
    ASSERT_EQ(mutex.path(), chroot + "/inner/late");
    const auto name = mutex.path().substr(1);
    auto lease = mutex.acquire();
    const auto ticket = lease.ticket();
    refuse_everything();
    EXPECT_EQ(lease.release_for(100ms), Errc::timed_out);
    EXPECT_FALSE(mutex.is_held_by_this_thread());
    EXPECT_EQ(tickets(name).size(), 1U);
    proxy_.refuse(false);
    EXPECT_TRUE(empties(name)) << name;
    auto again = mutex.acquire();
    EXPECT_NE(again.ticket(), ticket);
  }
}

// CURATOR-42: the delete of a node that was gone was tried for ever.
TEST_F(CuratorFaults, the_release_of_a_ticket_that_is_gone_is_not_tried_again) {
  auto client = connect({.session_timeout = 30s});  // no heartbeat before the release
  auto mutex = client.mutex("a");
  auto removed_by_others = mutex.acquire();
  ASSERT_EQ(observer_.remove(removed_by_others.ticket()), ZOK);
  EXPECT_FALSE(removed_by_others.release_for(kSoon));
  // And by ourselves, but we did not hear of it.
  auto reply_lost = mutex.acquire();
  const auto lost = proxy_.cut_after({.op = Op::delete_node, .path = reply_lost.ticket()});
  EXPECT_FALSE(reply_lost.release_for(kSoon));
  EXPECT_TRUE(lost.fired());
  EXPECT_FALSE(eventually(kLookOn, [&] { return proxy_.count_requests(Op::delete_node) > 3; }));
  EXPECT_EQ(requests(Op::delete_node, removed_by_others.ticket()), 1U);
  EXPECT_EQ(requests(Op::delete_node, reply_lost.ticket()), 2U);
}

// CURATOR-337: a mutex was released though it was never acquired.
TEST_F(CuratorFaults, a_release_after_a_failed_acquire_deletes_nothing) {
  auto rival = connect_directly();
  auto theirs = rival.mutex("a");
  auto lease = theirs.acquire();
  auto client = connect();
  auto mutex = client.mutex("a");
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  EXPECT_EQ(proxy_.count_requests(Op::delete_node), 0U);
  EXPECT_FALSE(mutex.try_lock_for(50ms));  // takes its own ticket back
  EXPECT_EQ(mutex.release(), Errc::not_owner);
  EXPECT_FALSE(eventually(kLookOn, [&] { return proxy_.count_requests(Op::delete_node) > 1; }));
  EXPECT_EQ(requests(Op::delete_node, lease.ticket()), 0U);
  EXPECT_EQ(tickets("a").size(), 1U);
  EXPECT_TRUE(lease.is_held());
}

// TestFailedDeleteManager.testLostSession: there is nothing left to delete, and whoever waits for it is told.
TEST_F(CuratorFaults, a_release_whose_session_dies_is_over) {
  auto client = connect({.session_timeout = 2s});
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  refuse_everything();
  auto releasing = std::async(std::launch::async, [&] { return lease.release_for(1h); });
  ASSERT_TRUE(empties("a"));
  proxy_.refuse(false);
  ASSERT_EQ(releasing.wait_for(kSoon), std::future_status::ready);
  EXPECT_FALSE(releasing.get());
  EXPECT_TRUE(mutex.try_lock_for(kSoon));
  mutex.unlock();
}

// --------------------------------------------------------------------------------------------------------- the session

// CURATOR-491: callbacks that came after the close sent requests again.
TEST_F(CuratorFaults, nothing_is_sent_after_the_session_was_closed) {
  auto rival = connect_directly();
  auto lease = rival.mutex("wait").acquire();
  auto client = connect({.session_timeout = 2s});  // a heartbeat every 333 ms
  auto held = client.mutex("held").acquire();
  auto waiting = std::async(std::launch::async, [&] { return client.mutex("wait").try_acquire_for(1h).error(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return !server_.watches().empty(); }));
  const auto under_way = proxy_.hold_reply({.op = Op::create2, .path = "/flight/"});
  auto acquiring = std::async(std::launch::async, [&] { return client.mutex("flight").try_acquire_for(1h).error(); });
  ASSERT_TRUE(under_way.wait_fired(kSoon));

  auto closing = std::async(std::launch::async, [&] { client.close(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return proxy_.count_requests(Op::close_session) == 1; }));
  under_way.release();
  ASSERT_EQ(closing.wait_for(kSoon), std::future_status::ready);
  EXPECT_EQ(waiting.get(), Errc::cancelled);
  EXPECT_EQ(acquiring.get(), Errc::cancelled);
  const auto last_request = [&] {
    const auto trace = proxy_.trace();
    return std::find_if(trace.rbegin(), trace.rend(), [](const Seen& seen) { return seen.is_request(); })->op;
  };
  EXPECT_FALSE(eventually(kLookOn, [&] { return last_request() != Op::close_session || proxy_.accepted() != 1; }));
  EXPECT_TRUE(tickets("flight").empty());
  EXPECT_TRUE(tickets("held").empty());
  EXPECT_EQ(tickets("wait").size(), 1U);
  EXPECT_TRUE(lease.is_held());
}

// CURATOR-720: the retries went on after the close.
TEST_F(CuratorFaults, closing_in_an_outage_ends_every_attempt) {
  auto client = connect({.session_timeout = 10s, .retry = RetryPolicy::forever(10ms)});
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  refuse_everything();
  auto waiting = std::async(std::launch::async, [&] { return client.mutex("b").try_acquire_for(1h).error(); });
  EXPECT_FALSE(lease.release());  // a release that is to be made up for, too
  ASSERT_TRUE(eventually(kSoon, [&] { return client.state() == ConnectionState::jeopardy; }));
  const auto begin = Clock::now();
  client.close();
  EXPECT_LE(Clock::now() - begin, 1s);
  EXPECT_EQ(waiting.get(), Errc::cancelled);
  const auto accepted = proxy_.accepted();
  proxy_.refuse(false);
  EXPECT_FALSE(eventually(2s, [&] { return proxy_.accepted() != accepted; })) << "it still tries to connect";
}

// CURATOR-599: calls that hung for ever. What acquires is in Outage; here is the rest.
TEST_F(CuratorFaults, connecting_releasing_and_closing_end_in_time_in_a_silent_partition) {
  auto client = connect({.session_timeout = 30s});
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  proxy_.black_hole();

  auto begin = Clock::now();
  EXPECT_EQ(lease.release_for(300ms), Errc::timed_out);
  EXPECT_GE(Clock::now() - begin, 300ms);
  EXPECT_LE(Clock::now() - begin, 400ms);

  begin = Clock::now();
  EXPECT_THROW(connect({.connection_timeout = 300ms}), Error);
  EXPECT_GE(Clock::now() - begin, 300ms);
  EXPECT_LE(Clock::now() - begin, 500ms);

  begin = Clock::now();
  client.close();
  EXPECT_LE(Clock::now() - begin, 5s);
}

// GH-1248, with a server that really grants it.
TEST(CuratorSession, of_twelve_days_is_granted_and_kept) {
  constexpr std::chrono::milliseconds kLong{std::numeric_limits<std::int32_t>::max() / 2};
  ZooKeeperServer server({.max_session_timeout = kLong});
  std::atomic<int> notices = 0;
  auto client = Client::connect("zk://" + server.address(),
                                {.session_timeout = kLong, .listener = [&](ConnectionState) { ++notices; }});
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  EXPECT_GT(lease.valid_until(), Clock::now() + 24h * 11);
  EXPECT_LT(lease.valid_until(), Clock::now() + kLong);
  ASSERT_TRUE(eventually(kSoon, [&] { return notices == 1; })) << "told on a thread of its own";
  EXPECT_FALSE(eventually(kLookOn, [&] { return notices != 1; })) << "connected, and then?";
  EXPECT_TRUE(lease.is_held());
  EXPECT_FALSE(lease.release_for(kSoon));
}

}  // namespace
}  // namespace holdfast::testing
