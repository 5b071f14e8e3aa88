#include "engine/sessions.h"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::engine {
namespace {

using namespace std::chrono_literals;

using Ids = std::vector<wire::SessionId>;

TEST(Sessions, end_when_nothing_was_heard_for_the_timeout_and_never_earlier) {
  Sessions sessions;
  sessions.open(1, "word", 10s, 5s);
  EXPECT_EQ(sessions.expired(15s - 1ns), Ids{});
  EXPECT_EQ(sessions.expired(15s), Ids{1});
}

TEST(Sessions, stay_until_closed_and_are_not_named_again) {
  Sessions sessions;
  sessions.open(1, "word", 10s, 0s);
  EXPECT_EQ(sessions.expired(10s), Ids{1});
  EXPECT_NE(sessions.find(1), nullptr);
  EXPECT_EQ(sessions.expired(100s), Ids{});
  sessions.close(1);
  EXPECT_EQ(sessions.find(1), nullptr);
  EXPECT_EQ(sessions.size(), 0u);
}

TEST(Sessions, are_put_off_by_every_sign_of_life) {
  Sessions sessions;
  sessions.open(1, "word", 10s, 0s);
  for (auto now = 9s; now < 1000s; now += 9s) {
    EXPECT_EQ(sessions.expired(now), Ids{});
    sessions.heard_of(1, now);
  }
  const auto heard = sessions.find(1)->heard;
  EXPECT_EQ(sessions.expired(heard + 10s - 1ns), Ids{});
  EXPECT_EQ(sessions.expired(heard + 10s), Ids{1});
}

TEST(Sessions, end_in_the_order_of_their_ends) {
  Sessions sessions;
  sessions.open(1, "", 30s, 0s);
  sessions.open(2, "", 10s, 0s);
  sessions.open(3, "", 20s, 0s);
  EXPECT_EQ(sessions.expired(1000s), (Ids{2, 3, 1}));
}

TEST(Sessions, that_were_closed_do_not_end_again) {
  Sessions sessions;
  sessions.open(1, "", 10s, 0s);
  sessions.close(1);
  EXPECT_EQ(sessions.expired(100s), Ids{});
}

TEST(Sessions, that_are_resumed_with_a_longer_timeout_last_longer) {
  Sessions sessions;
  sessions.open(1, "", 10s, 0s);
  sessions.set_timeout(1, 40s);
  EXPECT_EQ(sessions.expired(40s - 1ns), Ids{});
  EXPECT_EQ(sessions.expired(40s), Ids{1});
}

TEST(Sessions, that_are_resumed_with_a_shorter_timeout_end_sooner) {
  Sessions sessions;
  sessions.open(1, "", 40s, 0s);
  sessions.set_timeout(1, 10s);
  EXPECT_EQ(sessions.expired(10s - 1ns), Ids{});
  EXPECT_EQ(sessions.expired(10s), Ids{1});
}

TEST(Sessions, that_were_shortened_are_named_once) {
  Sessions sessions;
  sessions.open(1, "", 40s, 0s);
  sessions.set_timeout(1, 10s);
  EXPECT_EQ(sessions.expired(100s), Ids{1});
  EXPECT_EQ(sessions.expired(200s), Ids{});
}

// A client that comes back again and again, with another timeout every time, must not cost more every time.
TEST(Sessions, that_are_resumed_again_and_again_are_looked_at_no_more_often) {
  Sessions sessions;
  sessions.open(1, "", 40s, 0s);
  for (int i = 0; i < 100; ++i) {
    sessions.set_timeout(1, 10s);
    sessions.set_timeout(1, 40s);
  }
  sessions.heard_of(1, 9s);
  EXPECT_EQ(sessions.expired(48s), Ids{});
  EXPECT_LE(sessions.looks_due(), 2u);
  EXPECT_EQ(sessions.expired(49s), Ids{1});
}

TEST(Sessions, that_are_looked_at_again_are_named_again_once) {
  Sessions sessions;
  sessions.open(1, "word", 10s, 0s);
  EXPECT_EQ(sessions.expired(10s), Ids{1});
  sessions.look_again(1);
  sessions.look_again(1);
  sessions.look_again(2);
  EXPECT_EQ(sessions.expired(11s), Ids{1});
  EXPECT_EQ(sessions.expired(12s), Ids{});
}

// Of an expiry that could not be logged.
TEST(Sessions, whose_end_was_taken_back_are_named_again_once) {
  Sessions sessions;
  sessions.open(1, "word", 10s, 0s);
  EXPECT_EQ(sessions.expired(10s), Ids{1});
  const SessionState was = *sessions.find(1);
  sessions.close(1);
  sessions.open(1, was.password, was.timeout, was.heard);
  EXPECT_EQ(sessions.expired(11s), Ids{1});
  EXPECT_EQ(sessions.expired(12s), Ids{});
}

TEST(Sessions, that_were_closed_and_taken_back_before_their_end_are_named_once) {
  Sessions sessions;
  sessions.open(1, "word", 10s, 0s);
  const SessionState was = *sessions.find(1);
  sessions.close(1);
  sessions.open(1, was.password, was.timeout, was.heard);
  EXPECT_EQ(sessions.expired(11s), Ids{1});
}

TEST(Sessions, all_live_on_after_a_restart) {
  Sessions sessions;
  sessions.open(1, "", 10s, 0s);
  sessions.open(2, "", 20s, 0s);
  sessions.all_heard_of(100s);
  EXPECT_EQ(sessions.expired(110s - 1ns), Ids{});
  EXPECT_EQ(sessions.expired(110s), Ids{1});
  EXPECT_EQ(sessions.expired(120s), Ids{2});
}

TEST(Sessions, that_nobody_knows_are_ignored) {
  Sessions sessions;
  sessions.heard_of(1, 1s);
  sessions.set_timeout(1, 1s);
  sessions.close(1);
  EXPECT_EQ(sessions.size(), 0u);
  EXPECT_EQ(sessions.expired(100s), Ids{});
}

// No client can do that; but a log can say anything, and looks are made where no memory may be taken.
TEST(Sessions, that_are_opened_again_and_again_are_looked_at_once) {
  Sessions sessions;
  for (int i = 0; i < 1'000; ++i) sessions.open(1, "password", std::chrono::milliseconds(100), Moment(0));
  EXPECT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions.expired(Moment(std::chrono::milliseconds(100))), std::vector<wire::SessionId>{1});
}

}  // namespace
}  // namespace holdfast::engine
