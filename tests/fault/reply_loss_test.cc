// docs/semantics.md, "Unknown is a state": a request or its reply lost at every single step.
#include <fmt/format.h>

#include <future>

#include "network.h"

namespace holdfast::testing {
namespace {

class ReplyLoss : public Network {
 protected:
  enum class Loss { request, reply };

  Rule lose(Loss loss, RequestMatch match) {
    return loss == Loss::request ? proxy_.cut_before(std::move(match)) : proxy_.cut_after(std::move(match));
  }

  // Acquires and releases `name` with the nth request (or its reply) lost. False if there was no such request.
  bool survives_losing(Loss loss, int nth, bool contended) {
    const auto name = fmt::format("loss/{}-{}-{}", loss == Loss::request ? "request" : "reply", nth, contended);
    auto client = connect({.session_timeout = 5s});
    auto rival = connect_directly();
    auto mutex = client.mutex(name);
    auto rivals = rival.mutex(name);
    Lease theirs;
    if (contended) theirs = rivals.acquire();

    const auto rule = lose(loss, {.nth = nth});
    auto acquiring = std::async(std::launch::async, [&] { return mutex.try_acquire_for(20s); });
    if (contended) {
      // Once it listens, or has lost something on the way there.
      EXPECT_TRUE(eventually(kSoon, [&] { return !server_.watches().empty() || rule.fired(); })) << name;
      theirs.release();
    }
    auto result = acquiring.get();
    EXPECT_TRUE(result) << name << ": " << result.message();
    EXPECT_EQ(tickets(name).size(), 1U) << name;
    EXPECT_EQ("/" + name + "/" + tickets(name).front(), result.lease().ticket());
    const auto released = result.lease().release_for(20s);
    EXPECT_FALSE(released) << name << ": " << released.message();
    EXPECT_TRUE(tickets(name).empty()) << name;
    const bool struck = rule.fired();
    rule.cancel();
    return struck;
  }

  void survives_losing_each(Loss loss, bool contended) {
    int nth = 1;
    while (nth < 30 && survives_losing(loss, nth, contended)) ++nth;
    // create, list, and delete at least; 4 more when there is nothing yet: parents, then all again.
    EXPECT_GT(nth, 4) << "hardly a request was lost: the test did nothing";
    EXPECT_LT(nth, 30);
  }
};

TEST_F(ReplyLoss, a_request_lost_at_any_step_does_no_harm) { survives_losing_each(Loss::request, false); }
TEST_F(ReplyLoss, a_reply_lost_at_any_step_does_no_harm) { survives_losing_each(Loss::reply, false); }
TEST_F(ReplyLoss, a_waiters_request_lost_at_any_step_does_no_harm) { survives_losing_each(Loss::request, true); }
TEST_F(ReplyLoss, a_waiters_reply_lost_at_any_step_does_no_harm) { survives_losing_each(Loss::reply, true); }

// H1: the first create never arrives, the second one does, and its reply is lost.
TEST_F(ReplyLoss, two_losses_in_one_acquire_leave_no_ghost) {
  auto client = connect({.session_timeout = 5s});
  auto mutex = client.mutex("ghost");
  mutex.lock();
  mutex.unlock();
  ASSERT_TRUE(empties("ghost"));
  const auto first = proxy_.cut_before({.op = Op::create2});
  const auto second = proxy_.cut_after({.op = Op::create2});
  auto result = mutex.try_acquire_for(20s);
  ASSERT_TRUE(result) << result.message();
  EXPECT_TRUE(first.fired());
  EXPECT_TRUE(second.fired());
  ASSERT_EQ(tickets("ghost").size(), 1U);
  EXPECT_EQ("/ghost/" + tickets("ghost").front(), result.lease().ticket());
  result.lease().release();
  EXPECT_TRUE(empties("ghost"));
}

TEST_F(ReplyLoss, many_losses_in_one_acquire_leave_no_ghost) {
  auto client = connect({.session_timeout = 5s, .retry = RetryPolicy::forever(10ms)});
  auto mutex = client.mutex("ghost");
  int left = 6;
  proxy_.on_request([&](const Request& request) -> Verdict {
    if (request.op != Op::create2 && request.op != Op::get_children && request.op != Op::sync) return {};
    if (left-- <= 0) return {};
    return {.action = left % 2 == 0 ? Action::cut_before : Action::cut_after};
  });
  auto result = mutex.try_acquire_for(30s);
  proxy_.on_request({});
  ASSERT_TRUE(result) << result.message();
  EXPECT_LE(left, 0);
  EXPECT_EQ(tickets("ghost").size(), 1U);
  result.lease().release();
  EXPECT_TRUE(empties("ghost"));
}

// CURATOR-45: the node was made, the reply was lost, and there are no retries left.
TEST_F(ReplyLoss, giving_up_after_a_lost_reply_leaves_no_ghost) {
  for (const std::string name_space : {"", "inner"}) {
    auto client = connect({.session_timeout = 5s, .name_space = name_space, .retry = RetryPolicy::n_times(0, 1ms)});
    auto mutex = client.mutex("ghost");
    const auto path = mutex.path().substr(1);
    mutex.lock();
    mutex.unlock();
    ASSERT_TRUE(empties(path));
    const auto rule = proxy_.cut_after({.op = Op::create2});
    const auto result = mutex.try_acquire_for(20s);
    EXPECT_EQ(result.error(), Errc::not_connected) << result.message();
    EXPECT_TRUE(rule.fired());
    EXPECT_TRUE(empties(path)) << "a ghost is left in " << path;
    EXPECT_TRUE(mutex.try_lock_for(kSoon));
    mutex.unlock();
  }
}

// CURATOR-79: the caller leaves between the create and its reply.
TEST_F(ReplyLoss, who_leaves_while_the_create_is_under_way_leaves_no_ghost) {
  auto client = connect({.session_timeout = 5s});
  auto mutex = client.mutex("ghost");
  const auto held_back = proxy_.hold_reply({.op = Op::create2, .path = "/ghost/"});
  std::stop_source stop;
  auto acquiring = std::async(std::launch::async, [&] { return mutex.try_acquire_for(1h, stop.get_token()); });
  ASSERT_TRUE(eventually(kSoon, [&] { return held_back.fired(); }));
  stop.request_stop();
  EXPECT_EQ(acquiring.get().error(), Errc::cancelled);
  held_back.release();
  EXPECT_TRUE(empties("ghost"));
  auto rival = connect_directly();
  EXPECT_TRUE(rival.mutex("ghost").try_lock_for(kSoon));
}

// Netflix #24, CURATOR-486, -678: a release that fails is finished in the background, and the owner knows.
TEST_F(ReplyLoss, a_release_in_an_outage_is_made_up_for) {
  auto client = connect({.session_timeout = 10s});
  auto mutex = client.mutex("late");
  auto lease = mutex.acquire();
  const auto ticket = lease.ticket();
  proxy_.refuse(true);
  proxy_.cut_all();
  EXPECT_EQ(lease.release_for(200ms), Errc::timed_out);
  EXPECT_FALSE(mutex.is_held_by_this_thread());
  EXPECT_EQ(tickets("late").size(), 1U);
  proxy_.refuse(false);
  EXPECT_TRUE(empties("late"));
  auto again = mutex.acquire();
  EXPECT_NE(again.ticket(), ticket);
}

// Netflix #118: the node was removed by somebody else before the release.
TEST_F(ReplyLoss, releasing_a_ticket_that_is_gone_is_no_error) {
  auto client = connect({.session_timeout = 30s});  // no heartbeat before the release
  auto mutex = client.mutex("gone");
  auto lease = mutex.acquire();
  ASSERT_EQ(observer_.remove(lease.ticket()), ZOK);
  EXPECT_FALSE(lease.release_for(kSoon));
}

}  // namespace
}  // namespace holdfast::testing
