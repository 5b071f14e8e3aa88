#include "server/session_expiry.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/manual_loop.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

class SessionExpiryTest : public ::testing::Test {
 protected:
  void open(wire::SessionId session, std::chrono::milliseconds timeout) {
    sessions_.open(session, "", timeout, loop_.now());
  }

  testing::ManualLoop loop_;
  engine::Sessions sessions_;
  int looks_ = 0;
  std::vector<wire::SessionId> silent_;
  SessionExpiry expiry_{
      loop_, sessions_, 50ms, {[this] { ++looks_; }, [this](auto session) { silent_.push_back(session); }}};
};

TEST_F(SessionExpiryTest, finds_a_session_silent_when_its_timeout_is_over_and_not_before) {
  expiry_.start();
  open(1, 1s);
  loop_.run_for(999ms);
  EXPECT_TRUE(silent_.empty());
  loop_.run_for(52ms);
  EXPECT_EQ(silent_, std::vector<wire::SessionId>{1});
  loop_.run_for(10s);
  EXPECT_EQ(silent_.size(), 1U) << "it is named once";
}

TEST_F(SessionExpiryTest, waits_for_a_session_that_was_heard_of) {
  expiry_.start();
  open(1, 1s);
  loop_.run_for(900ms);
  sessions_.heard_of(1, loop_.now());
  loop_.run_for(900ms);
  EXPECT_TRUE(silent_.empty());
  loop_.run_for(200ms);
  EXPECT_EQ(silent_.size(), 1U);
}

TEST_F(SessionExpiryTest, listens_first_after_it_was_stopped_itself) {
  expiry_.start();
  open(1, 1s);
  loop_.run_for(10ms);
  loop_.sleep_for(5s);  // the process stood still
  loop_.run_for(150ms);
  EXPECT_TRUE(silent_.empty()) << "what the client sent meanwhile may not have been read";
  sessions_.heard_of(1, loop_.now());
  loop_.run_for(500ms);
  EXPECT_TRUE(silent_.empty());
}

TEST_F(SessionExpiryTest, does_not_listen_for_ever) {
  expiry_.start();
  open(1, 1s);
  loop_.run_for(10ms);
  loop_.sleep_for(5s);
  loop_.run_for(201ms);
  EXPECT_EQ(silent_.size(), 1U);
}

TEST_F(SessionExpiryTest, ends_with_stop) {
  expiry_.start();
  open(1, 1s);
  expiry_.stop();
  loop_.run_for(1h);
  EXPECT_TRUE(silent_.empty());
  EXPECT_EQ(looks_, 1);
}

}  // namespace
}  // namespace holdfast::server
