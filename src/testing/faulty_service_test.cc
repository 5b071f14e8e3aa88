#include "holdfast/testing/faulty_service.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <stdexcept>

#include "holdfast/error.h"
#include "support/eventually.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
constexpr auto kSoon = 10s;

std::size_t tickets(FaultyService& service, const std::string& name) {
  return service.connect("witness").inspect(name).tickets.size();
}

TEST(FaultyService, does_nothing_unless_it_is_told) {
  FaultyService service;
  auto one = service.connect("one");
  auto other = service.connect("other");
  auto lease = one.mutex("a").acquire();
  EXPECT_FALSE(other.mutex("a").try_lock());
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
  EXPECT_TRUE(other.mutex("a").try_lock_for(kSoon));
}

TEST(FaultyService, has_lost_a_lease_when_expire_returns) {
  FaultyService service;
  std::vector<ConnectionState> heard;
  auto client = service.connect("one", {.listener = [&](ConnectionState state) { heard.push_back(state); }});
  auto other = service.connect("other");
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  service.expire("one");
  EXPECT_FALSE(lease.is_held());
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_TRUE(other.mutex("a").try_lock()) << "its ticket is there";
  EXPECT_EQ(lease.release(), Errc::session_lost);
  EXPECT_TRUE(mutex.try_lock_for(kSoon)) << "no new session";
  mutex.unlock();
  client.close();
  EXPECT_EQ(heard, (std::vector{ConnectionState::connected, ConnectionState::lost, ConnectionState::reconnected,
                                ConnectionState::closed}));
}

TEST(FaultyService, keeps_the_holds_of_a_client_that_is_cut_for_a_moment) {
  FaultyService service;
  auto client = service.connect("one");
  auto other = service.connect("other");
  auto mutex = client.mutex("a");
  auto lease = mutex.acquire();
  service.cut("one");
  service.cut("one");
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(client.state(), ConnectionState::jeopardy);
  EXPECT_FALSE(other.mutex("a").try_lock());
  service.mend("one");
  EXPECT_TRUE(eventually(kSoon, [&] { return client.state() == ConnectionState::reconnected; }));
  EXPECT_TRUE(lease.is_held());
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
}

TEST(FaultyService, a_client_that_is_cut_loses_its_holds_by_its_own_clock_and_its_tickets_only_by_expire) {
  FaultyService service;
  auto client = service.connect("one", {.session_timeout = 200ms});
  auto other = service.connect("other");
  auto lease = client.mutex("a").acquire();
  service.cut("one");
  ASSERT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  EXPECT_FALSE(other.mutex("a").try_lock());
  service.expire("one");
  EXPECT_TRUE(other.mutex("a").try_lock());
  service.mend("one");
  EXPECT_TRUE(eventually(kSoon, [&] { return client.state() == ConnectionState::reconnected; }));
}

TEST(FaultyService, tells_a_waiter_after_the_cut_what_it_has_missed) {
  FaultyService service;
  auto one = service.connect("one");
  auto other = service.connect("other");
  auto lease = one.mutex("a").acquire();
  auto waiting = std::async(std::launch::async, [&] { return other.mutex("a").acquire(); });
  ASSERT_TRUE(eventually(kSoon, [&] { return tickets(service, "a") == 2; }));
  service.cut("other");
  EXPECT_EQ(lease.release_for(kSoon), std::error_code());
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  service.mend("other");
  ASSERT_EQ(waiting.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(waiting.get().is_held());
}

TEST(FaultyService, answers_what_was_asked_while_it_was_paused_when_it_goes_on) {
  FaultyService service;
  auto client = service.connect("one");
  service.pause();
  auto asked = std::async(std::launch::async, [&] { return client.mutex("a").acquire(); });
  EXPECT_EQ(asked.wait_for(50ms), std::future_status::timeout);
  service.resume();
  ASSERT_EQ(asked.wait_for(kSoon), std::future_status::ready);
  EXPECT_TRUE(asked.get().is_held());
}

TEST(FaultyService, lets_a_lease_of_a_paused_service_end_and_closes_while_it_is_paused) {
  FaultyService service;
  auto client = service.connect("one", {.session_timeout = 200ms});
  auto lease = client.mutex("a").acquire();
  service.pause();
  EXPECT_TRUE(eventually(kSoon, [&] { return lease.lost().stop_requested(); }));
  client.close();
  EXPECT_THROW(service.connect("two", {.connection_timeout = 50ms}), Error);
}

// Every request that has a fate to be found out, with and without effect.
TEST(FaultyService, leaves_no_ticket_behind_whatever_reply_or_request_is_lost) {
  for (const bool reply_only : {true, false}) {
    for (const auto operation : {Operation::any, Operation::enqueue, Operation::dequeue, Operation::beat}) {
      FaultyService service;
      auto client = service.connect("one", {.session_timeout = 400ms});
      reply_only ? service.lose_next_reply("one", operation) : service.lose_next_request("one", operation);
      auto mutex = client.mutex("a");
      auto lease = mutex.try_acquire_for(kSoon);
      ASSERT_TRUE(lease) << lease.message();
      EXPECT_EQ(tickets(service, "a"), 1U) << static_cast<int>(operation) << reply_only;
      lease.lease().release();
      EXPECT_TRUE(eventually(kSoon, [&] { return tickets(service, "a") == 0; }))
          << static_cast<int>(operation) << reply_only;
    }
  }
}

TEST(FaultyService, can_be_cut_before_a_client_connects) {
  FaultyService service;
  service.cut("one");
  EXPECT_THROW(service.connect("one", {.connection_timeout = 50ms}), Error);
  auto connecting = std::async(std::launch::async, [&] { return service.connect("one"); });
  service.mend("one");
  EXPECT_EQ(connecting.get().state(), ConnectionState::connected);
}

TEST(FaultyService, says_that_it_knows_no_client_of_that_name) {
  FaultyService service;
  EXPECT_THROW(service.expire("one"), std::invalid_argument);
  EXPECT_THROW(service.lose_next_reply("one"), std::invalid_argument);
  auto client = service.connect("one");
  service.expire("one");
}

}  // namespace
}  // namespace holdfast::testing
