#include "lock/validity.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <utility>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

Terms standalone(Clock::duration timeout) { return Terms::of({.id = 1, .timeout = timeout}); }
// A follower replies to a ping of the leader in every half tick.
Terms ensemble(Clock::duration timeout, Clock::duration tick_time = 2s) {
  return Terms::of({.id = 1, .timeout = timeout, .report_lag = tick_time / 2});
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
  EXPECT_EQ(ensemble(6s, 3s).report_lag, 1'500ms);
}

TEST(Terms, beat_more_often_than_a_third_of_the_timeout) {
  for_every_timeout([](Clock::duration timeout) {
    ASSERT_LT(3 * standalone(timeout).beat, timeout) << timeout.count();
    ASSERT_LT(3 * ensemble(timeout).beat, timeout) << timeout.count();
    ASSERT_GT(standalone(timeout).beat, 0ms);
  });
}

TEST(Terms, beat_six_times_per_timeout_on_one_server_and_ten_times_on_an_ensemble) {
  EXPECT_EQ(standalone(6s).beat, 1s);
  EXPECT_EQ(ensemble(6s).beat, 600ms);
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

TEST(Proof, of_an_ensemble_needs_a_beat_a_lag_before_the_one_before_the_last) {
  const auto terms = ensemble(6s, 2s);  // a lag of 1 s
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(11s), at(11'010ms), true);
  proof.acknowledge(terms, at(11'600ms), at(11'610ms), true);
  proof.acknowledge(terms, at(12'100ms), at(12'110ms), true);
  EXPECT_EQ(proof.anchor(), at(10s)) << "11.6 s minus the lag: nothing was sent before that";
  proof.acknowledge(terms, at(12'600ms), at(12'610ms), true);
  EXPECT_EQ(proof.anchor(), at(11s)) << "12.1 s minus the lag";
}

// Sent is not heard: it may lie on the wire while the leader's ping passes.
TEST(Proof, of_an_ensemble_does_not_count_a_beat_that_may_have_reached_the_follower_after_the_ping) {
  const auto terms = ensemble(6s, 2s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(11s), at(13'500ms), true);  // sent 1.1 s before the next, heard with it
  proof.acknowledge(terms, at(12'100ms), at(13'500ms), true);
  proof.acknowledge(terms, at(13'600ms), at(13'610ms), true);
  EXPECT_EQ(proof.anchor(), at(10s)) << "the last ping may have passed at 12.1 s, before either had come";
}

TEST(Proof, of_an_ensemble_ignores_a_beat_that_was_answered_after_the_next_was_sent) {
  const auto terms = ensemble(6s, 2s);
  Proof proof;
  proof.begin(at(10s));
  proof.acknowledge(terms, at(11s), at(11'010ms), true);
  proof.acknowledge(terms, at(12'500ms), at(14s), true);
  proof.acknowledge(terms, at(13s), at(14s), true);  // sent before the answer above had come
  EXPECT_EQ(proof.anchor(), at(10s));
  proof.acknowledge(terms, at(14'500ms), at(14'510ms), true);
  EXPECT_EQ(proof.anchor(), at(11s)) << "13.0 s minus the lag";
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
  const auto terms = ensemble(6s, 2s);
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

// A leader, a follower and a client, with three streams between them whose bytes keep their order and come when they like.
// The leader gives up a session `timeout` after the last report of it; nobody but this world knows when that was.
class World {
 public:
  World(unsigned seed, Clock::duration longest_delay) : random_(seed), longest_delay_(longest_delay) {
    proof_.begin(now_);
    heard_by_leader_ = now_;
    later(between(0ms, terms_.report_lag), [this] { ping(); });
    later(terms_.beat, [this] { beat(); });
  }

  const Terms& terms() const { return terms_; }

  // Calls `check(now, anchor, when the leader last heard of us)` whenever the client learns something.
  template <class Check>
  void run(Clock::duration length, const Check& check) {
    learned_ = [&] { check(now_, proof_.anchor(), heard_by_leader_); };
    const auto end = now_ + length;
    while (!events_.empty() && events_.begin()->first.first < end && !::testing::Test::HasFatalFailure()) {
      auto event = events_.extract(events_.begin());
      now_ = event.key().first;
      event.mapped()();
    }
  }

 private:
  using Function = std::function<void()>;

  Clock::duration between(Clock::duration low, Clock::duration high) {
    return Clock::duration(std::uniform_int_distribution<Clock::rep>(low.count(), high.count())(random_));
  }
  void later(Clock::duration delay, Function f) { events_.emplace(std::pair(now_ + delay, ++count_), std::move(f)); }
  // One direction of a TCP connection.
  void send(Clock::time_point& last_arrival, Function f) {
    // Mostly quick, sometimes as slow as can be.
    const auto delay = between(0ms, between(0, 4) == 0 ? longest_delay_ : longest_delay_ / 20);
    last_arrival = std::max(last_arrival, now_ + delay);
    events_.emplace(std::pair(last_arrival, ++count_), std::move(f));
  }
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void beat() {
    const auto sent = now_;
    const bool read = between(0, 2) == 0;  // besides, something that the follower answers by itself
    send(to_follower_, [this, sent, read] {
      heard_by_follower_ = true;
      if (read) send(to_client_, [this, sent] { learn(sent, false); });
      send(to_leader_, [this, sent] {
        send(from_leader_, [this, sent] { send(to_client_, [this, sent] { learn(sent, true); }); });
      });
    });
    later(terms_.beat, [this] { beat(); });
  }
  void ping() {
    send(from_leader_, [this] {
      send(to_leader_, [this, heard = std::exchange(heard_by_follower_, false)] {
        if (heard) heard_by_leader_ = now_;
      });
    });
    later(between(terms_.report_lag / 4, terms_.report_lag), [this] { ping(); });
  }
  void learn(Clock::time_point sent, bool by_keeper) {
    proof_.acknowledge(terms_, sent, now_, by_keeper);
    learned_();
  }

  std::mt19937 random_;
  const Clock::duration longest_delay_;
  const Terms terms_ = ensemble(6s, 2s);
  Clock::time_point now_ = at(1'000s);
  std::map<std::pair<Clock::time_point, int>, Function> events_;
  int count_ = 0;
  Clock::time_point to_follower_, to_leader_, from_leader_, to_client_;  // the last arrival of each stream
  bool heard_by_follower_ = false;
  Clock::time_point heard_by_leader_;
  Proof proof_;
  Function learned_ = [] {};
};

TEST(Proof, of_an_ensemble_never_claims_that_the_leader_heard_later_than_it_did) {
  for (const Clock::duration longest_delay : {1ms, 500ms, 2'000ms, 8'000ms}) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", delays up to " << longest_delay.count() << " ns");
      World world(seed, longest_delay);
      world.run(60s, [](Clock::time_point, Clock::time_point anchor, Clock::time_point heard) {
        ASSERT_GE(heard.time_since_epoch().count(), anchor.time_since_epoch().count());
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Proof, of_an_ensemble_is_no_older_than_the_terms_say_when_all_goes_well) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    World world(seed, 1ms);
    const auto began = at(1'000s);
    int learned = 0;
    world.run(60s, [&](Clock::time_point now, Clock::time_point anchor, Clock::time_point) {
      if (now - began < world.terms().anchor_age() + world.terms().beat) return;
      ++learned;
      // Four ways of up to 1 ms. The beat that is still to come until the next answer is in anchor_age() already.
      ASSERT_LE(now - anchor, world.terms().anchor_age() + 4ms) << seed;
    });
    ASSERT_GT(learned, 50);
  }
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
