// docs/semantics.md, "Death": what is left of a process that was killed or stopped.
#include <future>

#include "network.h"
#include "support/peer.h"

namespace holdfast::testing {
namespace {

class Killed : public Network {
 protected:
  Peer worker(const std::string& name, std::chrono::milliseconds session, const std::string& address) {
    return Peer({HOLDFAST_LOCK_WORKER, address, "/" + name, std::to_string(session.count())}, "worker");
  }
  Peer worker(const std::string& name, std::chrono::milliseconds session) {
    return worker(name, session, server_.address());
  }
};

TEST_F(Killed, the_next_waiter_holds_within_the_session_timeout_and_a_second) {
  constexpr auto kSession = 2s;
  auto holder = worker("a", kSession);
  holder.acquire();
  auto client = connect_directly({.session_timeout = 5s});
  auto mutex = client.mutex("a");
  auto waiting = std::async(std::launch::async, [&] { return mutex.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));
  holder.kill9();
  const auto killed = Clock::now();
  auto lease = waiting.get();
  const auto took = Clock::now() - killed;
  std::printf("granted %.0f ms after kill -9, session 2000 ms\n",
              std::chrono::duration<double, std::milli>(took).count());
  EXPECT_LE(took, kSession + 1s);
}

TEST_F(Killed, the_one_behind_a_dead_waiter_listens_to_the_one_before_and_nobody_wakes_in_vain) {
  auto front = connect_directly({.session_timeout = 20s});
  auto first = front.mutex("a");
  auto lease = first.acquire();

  auto second = worker("a", 2s);
  second.send("acquire");
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));

  auto behind = connect({.session_timeout = 20s});  // through the proxy, so that its requests can be counted
  auto third = behind.mutex("a");
  auto waiting = std::async(std::launch::async, [&] { return third.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 3 && server_.watches().size() == 2; }));

  FaultProxy last_line(server_.port());
  auto last = Client::connect("zk://" + last_line.address(), {.session_timeout = 20s});
  auto fourth = last.mutex("a");
  auto waiting_last = std::async(std::launch::async, [&] { return fourth.acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 4 && server_.watches().size() == 3; }));

  const auto before = tickets("a");
  proxy_.clear();
  last_line.clear();
  second.kill9();
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 3; }));
  // Not only their number: while the dead one's ticket goes there are two as well, the one on it and the last.
  ASSERT_TRUE(eventually(kSoon, [&] {
    const auto watches = server_.watches();
    return watches.size() == 2 && watches.contains("/a/" + before[0]) && watches.contains("/a/" + before[2]);
  }));

  // A dead waiter concerns exactly the one behind it: it looks, and listens to the holder.
  std::vector<std::pair<Op, std::string>> requests;
  for (const auto& seen : proxy_.trace()) {
    if (seen.is_work() && !is_heartbeat(seen)) requests.emplace_back(seen.op, seen.path);
  }
  const std::vector<std::pair<Op, std::string>> expected{{Op::get_children, "/a"}, {Op::get_data, "/a/" + before[0]}};
  EXPECT_EQ(requests, expected);
  const auto vain =
      last_line.count([](const Seen& seen) { return seen.is_event() || (seen.is_work() && !is_heartbeat(seen)); });
  EXPECT_EQ(vain, 0U) << "the last one was woken in vain";
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);

  lease.release();
  EXPECT_TRUE(waiting.get().ticket().ends_with(before[2]));
  EXPECT_TRUE(waiting_last.get().ticket().ends_with(before[3]));
}

// The long pause of MISSION row 11: the holder wakes up after its session, and everybody is safe.
TEST_F(Killed, a_holder_that_was_stopped_past_its_session_is_told_and_its_late_write_is_refused) {
  auto holder = worker("a", 2s);
  const Token late = std::stoull(holder.acquire());
  auto client = connect_directly();
  auto mutex = client.mutex("a");
  holder.pause();
  auto lease = mutex.acquire();
  Fence fence;
  EXPECT_TRUE(fence.admit(lease.token()));
  holder.resume();
  EXPECT_TRUE(holder.wait_lost(kSoon));
  EXPECT_FALSE(fence.admit(late));
  holder.send("release");
  EXPECT_TRUE(holder.expect("error", kSoon).starts_with("error"));
  EXPECT_TRUE(lease.is_held());
  lease.release();
  holder.acquire();  // it goes on with a new session
  holder.release();
}

TEST_F(Killed, a_waiter_that_was_stopped_past_its_session_waits_again) {
  auto client = connect_directly();
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  auto waiter = worker("a", 2s);
  waiter.send("acquire");
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));
  const auto old_ticket = tickets("a").back();
  waiter.pause();
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 1; }));
  waiter.resume();
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets("a").size() == 2; }));
  EXPECT_NE(tickets("a").back(), old_ticket);
  lease.release();
  waiter.expect("acquired", kSoon);
}

}  // namespace
}  // namespace holdfast::testing
