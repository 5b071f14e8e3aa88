#include "lock/validity.h"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

Terms standalone(Clock::duration timeout) { return Terms::of({.id = 1, .timeout = timeout}); }
// A follower replies to a ping of the leader in every half tick; half a tick more is allowed for pings that are late.
Terms ensemble(Clock::duration timeout, Clock::duration tick_time = 2s) {
  return Terms::of({.id = 1, .timeout = timeout, .report_lag = tick_time});
}

// Every session timeout that makes sense, from the shortest that options allow.
template <class F>
void for_every_timeout(F&& f) {
  for (Clock::duration timeout = 200ms; timeout <= 24h; timeout += timeout / 10) f(timeout);
}

Clock::time_point at(Clock::duration since_boot) { return Clock::time_point(since_boot); }

TEST(Terms, keep_the_timeout_that_the_service_granted) {
  EXPECT_EQ(standalone(6s).timeout, 6s);
  EXPECT_EQ(ensemble(6s).timeout, 6s);
}

TEST(Terms, know_an_ensemble_by_its_lag) {
  EXPECT_FALSE(standalone(6s).ensemble());
  EXPECT_TRUE(ensemble(6s).ensemble());
  EXPECT_EQ(ensemble(6s, 3s).report_lag, 3s);
}

TEST(Terms, beat_more_often_than_a_third_of_the_timeout) {
  for_every_timeout([](Clock::duration timeout) {
    ASSERT_LT(3 * standalone(timeout).beat, timeout) << timeout.count();
    ASSERT_LT(3 * ensemble(timeout).beat, timeout) << timeout.count();
    ASSERT_GT(standalone(timeout).beat, 0ms);
  });
}

TEST(Terms, beat_six_times_per_timeout_on_one_server_and_fifteen_times_on_an_ensemble) {
  EXPECT_EQ(standalone(6s).beat, 1s);
  EXPECT_EQ(ensemble(6s).beat, 400ms);
}

TEST(Terms, beat_no_more_rarely_than_every_five_seconds_and_no_more_often_than_every_20_ms) {
  EXPECT_EQ(standalone(10min).beat, 5s);
  EXPECT_EQ(ensemble(10min).beat, 5s);
  EXPECT_EQ(standalone(60ms).beat, 20ms);
}

TEST(Terms, leave_a_twentieth_of_the_timeout_for_clocks_that_drift) {
  EXPECT_EQ(standalone(6s).margin, 300ms);
  EXPECT_EQ(ensemble(6s).margin, 300ms);
}

// DESIGN 5.1: what is held back on an ensemble is never less than a beat and half a tick.
TEST(Terms, of_an_ensemble_count_from_an_anchor_that_is_at_least_a_beat_and_half_a_tick_old) {
  for_every_timeout([](Clock::duration timeout) {
    for (const Clock::duration tick_time : {100ms, 2'000ms, 10'000ms}) {
      const auto terms = ensemble(timeout, tick_time);
      ASSERT_GE(terms.anchor_age(), terms.beat + tick_time / 2) << timeout.count();
    }
  });
}

TEST(Terms, are_usable_on_one_server_for_every_timeout_that_options_allow) {
  for_every_timeout([](Clock::duration timeout) { ASSERT_TRUE(standalone(timeout).usable()) << timeout.count(); });
}

// Two ticks are the shortest session a ZooKeeper server grants by default.
TEST(Terms, are_usable_on_an_ensemble_with_the_shortest_session_it_grants) {
  EXPECT_TRUE(ensemble(4s, 2s).usable());
  EXPECT_TRUE(ensemble(15s, 2s).usable());
}

TEST(Terms, are_not_usable_when_nothing_is_left_of_the_lease) {
  EXPECT_FALSE(ensemble(1'500ms, 2s).usable());
  EXPECT_FALSE(ensemble(200ms, 2s).usable());
  EXPECT_FALSE(standalone(40ms).usable());
  EXPECT_FALSE(standalone(0ms).usable());
  EXPECT_FALSE(standalone(-1s).usable());
}

TEST(Proof, begins_when_the_session_was_asked_for) {
  Proof proof;
  proof.begin(at(10s));
  EXPECT_EQ(proof.anchor(), at(10s));
  EXPECT_EQ(proof.newest(), at(10s));
}

TEST(Proof, of_one_server_is_the_latest_request_that_it_answered_counted_from_when_it_was_sent) {
  const auto terms = standalone(6s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(12s), at(13s), true);
  EXPECT_EQ(proof.anchor(), at(12s));
  proof.acknowledge(terms, at(11s), at(14s), true);  // overtaken on its way
  EXPECT_EQ(proof.anchor(), at(12s));
}

TEST(Proof, of_an_ensemble_is_not_moved_by_what_a_follower_answers_by_itself) {
  const auto terms = ensemble(6s);
  Proof proof;
  proof.begin(at(10s));
  for (int i = 0; i < 50; ++i) proof.acknowledge(terms, at(11s + i * 100ms), at(11s + i * 100ms + 1ms), false);
  EXPECT_EQ(proof.anchor(), at(10s));
  EXPECT_EQ(proof.newest(), at(15'900ms));
}

TEST(Proof, of_an_ensemble_needs_a_beat_three_quarters_of_a_lag_before_one_a_quarter_before_the_one_before_the_last) {
  const auto terms = ensemble(6s, 1s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(11s), at(11'010ms), true);       // a
  proof.acknowledge(terms, at(11'700ms), at(11'710ms), true);  // 0.69 s after a
  proof.acknowledge(terms, at(11'800ms), at(11'810ms), true);  // B: 0.79 s after a
  proof.acknowledge(terms, at(12'050ms), at(12'060ms), true);  // 0.24 s after B
  proof.acknowledge(terms, at(12'070ms), at(12'080ms), true);  // P: 0.26 s after B
  EXPECT_EQ(proof.anchor(), at(10s)) << "nothing was answered after P yet";
  proof.acknowledge(terms, at(12'600ms), at(12'610ms), true);  // K
  EXPECT_EQ(proof.anchor(), at(11s));
}

// Sent is not heard: it may lie on the wire while the leader's ping passes.
TEST(Proof, of_an_ensemble_does_not_count_a_beat_that_may_have_reached_the_follower_after_the_ping) {
  const auto terms = ensemble(6s, 1s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(11s), at(13'500ms), true);  // sent 1.1 s before the next, heard with it
  proof.acknowledge(terms, at(12'100ms), at(13'500ms), true);
  proof.acknowledge(terms, at(13'900ms), at(13'910ms), true);
  proof.acknowledge(terms, at(14'000ms), at(14'010ms), true);
  EXPECT_EQ(proof.anchor(), at(10s)) << "the last ping may have passed at 12.1 s, before either had come";
}

TEST(Proof, of_an_ensemble_ignores_a_beat_that_was_answered_after_the_next_was_sent) {
  const auto terms = ensemble(6s, 1s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(11s), at(11'010ms), true);
  proof.acknowledge(terms, at(12s), at(12'010ms), true);
  proof.acknowledge(terms, at(12'500ms), at(14s), true);
  proof.acknowledge(terms, at(13s), at(14s), true);  // sent before the answer above had come
  EXPECT_EQ(proof.anchor(), at(10s));
  proof.acknowledge(terms, at(14'500ms), at(14'510ms), true);
  EXPECT_EQ(proof.anchor(), at(11s));
}

// The leader was stopped, and on waking answered what had waited before it pinged: 10 s old is what it last heard.
TEST(Proof, of_an_ensemble_does_not_take_two_answers_after_a_stop_of_the_leader_for_a_report) {
  const auto terms = ensemble(40s, 2s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(11s), at(11'010ms), true);  // heard by the follower just after the last ping
  proof.acknowledge(terms, at(14s), at(20s), true);       // waited for the leader
  proof.acknowledge(terms, at(20'010ms), at(20'020ms), true);
  proof.acknowledge(terms, at(20'100ms), at(20'110ms), true);
  EXPECT_EQ(proof.anchor(), at(10s));
  proof.acknowledge(terms, at(20'600ms), at(20'610ms), true);
  EXPECT_EQ(proof.anchor(), at(10s)) << "half a second after the leader went on it may not have pinged";
  proof.acknowledge(terms, at(20'700ms), at(20'710ms), true);
  EXPECT_EQ(proof.anchor(), at(11s)) << "now it has";
}

TEST(Proof, takes_a_handshake_for_an_answer_to_all_that_was_answered_before) {
  const auto terms = ensemble(6s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(12s), at(12'010ms), false);
  proof.reconnect();
  EXPECT_EQ(proof.anchor(), at(12s));
}

TEST(Proof, forgets_the_beats_of_another_connection) {
  const auto terms = ensemble(6s, 1s);
  Proof proof;
  proof.begin(at(10s));
  for (int i = 0; i < 4; ++i) proof.acknowledge(terms, at(11s + i * 1s), at(11s + i * 1s + 1ms), true);
  proof.reconnect();
  const auto anchor = proof.anchor();
  proof.acknowledge(terms, at(15'500ms), at(15'501ms), true);
  EXPECT_EQ(proof.anchor(), anchor) << "the beat before went through another follower";
}

TEST(Proof, is_not_moved_by_an_answer_that_is_older_than_it) {
  const auto terms = ensemble(6s, 2s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(12s), at(12'001ms), false);
  proof.reconnect();
  proof.acknowledge(terms, at(11s), at(12'002ms), true);  // of the connection before, and late
  EXPECT_EQ(proof.anchor(), at(12s));
  EXPECT_EQ(proof.newest(), at(12s));
}

TEST(Proof, forgets_everything_of_the_session_before) {
  const auto terms = ensemble(6s, 2s);
  Proof proof;
  proof.begin(at(10s));
  for (int i = 0; i < 9; ++i) proof.acknowledge(terms, at(11s + i * 1s), at(11s + i * 1s + 1ms), true);
  proof.begin(at(15s));
  EXPECT_EQ(proof.anchor(), at(15s));
  EXPECT_EQ(proof.newest(), at(15s));
}

TEST(Validity, has_ended_before_it_was_ever_set) { EXPECT_EQ(Validity().until(), Clock::time_point()); }

TEST(Validity, is_what_was_set_last) {
  Validity validity;
  const auto now = Clock::now();
  validity.set(now);
  EXPECT_EQ(validity.until(), now);
  validity.set({});
  EXPECT_EQ(validity.until(), Clock::time_point());
}

}  // namespace
}  // namespace holdfast::lock
