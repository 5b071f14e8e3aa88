#include "server/session_registry.h"

#include <gtest/gtest.h>

#include <memory>

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

class SessionRegistryTest : public ::testing::Test {
 protected:
  static ClientConnection connection(ConnectionId id, std::shared_ptr<Address> source = nullptr) {
    ClientConnection made;
    made.id = id;
    made.origin.source = std::move(source);
    return made;
  }
  static EngineOptions options() {
    EngineOptions options;
    options.tick_time = 2s;
    options.limits.sessions = 4;
    return options;
  }
  void open(const ClientConnection& connection, wire::SessionId session) {
    sessions_.open(session, "", 1s, 0s);
    registry_.opened(connection, session);
  }

  engine::Sessions sessions_;
  SessionRegistry registry_{options(), sessions_};
};

TEST_F(SessionRegistryTest, grants_timeouts_between_two_and_twenty_ticks_unless_told) {
  EXPECT_EQ(registry_.grant(0), 4s);
  EXPECT_EQ(registry_.grant(10'000), 10s);
  EXPECT_EQ(registry_.grant(1'000'000), 40s);
  auto told = options();
  told.min_session_timeout = 100ms;
  told.max_session_timeout = 1s;
  const SessionRegistry bounded(told, sessions_);
  EXPECT_EQ(bounded.grant(0), 100ms);
  EXPECT_EQ(bounded.least_timeout(), 100ms);
  EXPECT_EQ(bounded.grant(10'000), 1s);
}

TEST_F(SessionRegistryTest, knows_the_connection_that_speaks_for_a_session_until_it_leaves) {
  auto first = connection(1);
  registry_.adopt(first, 7, 5s);
  EXPECT_EQ(registry_.connection_of(7), 1U);
  EXPECT_EQ(first.session, 7);
  EXPECT_EQ(first.timeout, 5s);
  EXPECT_FALSE(registry_.has_moved(first));
  EXPECT_FALSE(registry_.left(first));
  EXPECT_EQ(registry_.connection_of(7), 0U);
}

TEST_F(SessionRegistryTest, lets_another_connection_take_a_session_over_which_the_first_one_cannot_leave_any_more) {
  auto first = connection(1);
  auto second = connection(2);
  registry_.adopt(first, 7, 5s);
  registry_.adopt(second, 7, 5s);
  EXPECT_TRUE(registry_.has_moved(first));
  EXPECT_FALSE(registry_.has_moved(second));
  registry_.left(first);
  EXPECT_EQ(registry_.connection_of(7), 2U);
  registry_.left(second);
  first.replaced = true;
  EXPECT_TRUE(registry_.has_moved(first)) << "also when the second has gone";
}

TEST_F(SessionRegistryTest, lets_a_session_end_with_its_connection_if_its_client_has_never_logged_in) {
  auto stranger = connection(1);
  stranger.authorized = false;
  registry_.opened(stranger, 7);
  registry_.adopt(stranger, 7, 5s);
  EXPECT_TRUE(registry_.left(stranger));
  EXPECT_FALSE(registry_.left(stranger)) << "once";
  auto known = connection(2);
  known.authorized = false;
  registry_.opened(known, 8);
  registry_.adopt(known, 8, 5s);
  registry_.logged_in(8);
  EXPECT_FALSE(registry_.left(known));
}

TEST_F(SessionRegistryTest, leaves_as_many_sessions_free_as_an_address_has) {
  const auto source = std::make_shared<Address>();
  const auto greedy = connection(1, source);
  EXPECT_TRUE(registry_.may_open(greedy));
  open(greedy, 1);
  EXPECT_TRUE(registry_.may_open(greedy));
  open(greedy, 2);
  EXPECT_FALSE(registry_.may_open(greedy)) << "it has two, and two are left";
  EXPECT_TRUE(registry_.may_open(connection(2, std::make_shared<Address>())));
  registry_.ended(1);
  sessions_.close(1);
  EXPECT_EQ(source->sessions, 1U);
  EXPECT_TRUE(registry_.may_open(greedy));
}

TEST_F(SessionRegistryTest, refuses_one_more_session_than_there_may_be_to_every_client) {
  const auto inside = connection(1);
  for (int session = 1; session <= 4; ++session) open(inside, session);
  EXPECT_FALSE(registry_.may_open(inside));
}

}  // namespace
}  // namespace holdfast::server
