// The argument of validity.h against its model. CI looks at as many answers as take a second;
// HOLDFAST_PROOF_ANSWERS=100000000 holdfast_unit_tests --gtest_filter='Proof.*' at more.
#include "lock/ensemble_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;

constexpr Clock::duration kLag = 2s;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

template <class T, std::size_t N>
T one_of(Dice& dice, const std::array<T, N>& choices) {
  return choices[dice.next() % N];
}

Terms terms_of(Clock::duration timeout) { return Terms::of({.id = 1, .timeout = timeout, .report_lag = kLag}); }

// Any network, any session, and any of the three stopped as long and as often as the argument allows.
EnsembleHabits any_habits(std::uint64_t seed) {
  Dice dice(~seed);
  constexpr std::array<Clock::duration, 4> kTimeouts{4s, 6s, 15s, 40s};
  constexpr std::array<Clock::duration, 5> kDelays{1ms, 20ms, 300ms, 2s, 8s};
  constexpr std::array<Clock::duration, 6> kStops{0s, 500ms, 2s, 5s, 10s, 20s};
  return {.terms = terms_of(one_of(dice, kTimeouts)),
          .longest_delay = one_of(dice, kDelays),
          .longest_ping_pause = kLag / 2,
          .longest_ping_delay = kLag / 4 - 1ns,
          .leader_stops = one_of(dice, kStops),
          .follower_stops = dice.one_in(2) ? one_of(dice, kStops) : 0s,
          .client_stops = dice.one_in(2) ? one_of(dice, kStops) : 0s,
          .shortest_run = kLag / 4};
}

// A leader that is never stopped, but whose pings may be a whole lag apart.
EnsembleHabits rare_pings(std::uint64_t seed) {
  auto habits = any_habits(seed);
  habits.longest_ping_pause = kLag;
  habits.longest_ping_delay = habits.leader_stops = 0s;
  return habits;
}

struct Finding {
  std::uint64_t answers = 0;
  std::uint64_t wrong = 0;  // the anchor was later than the leader had heard of us
  Clock::duration worst{};
  std::uint64_t seed = 0;  // of the first that was wrong
};

// At this many answers, or until one is wrong.
template <class P>
Finding look(std::uint64_t answers, std::uint64_t seed, EnsembleHabits (*habits)(std::uint64_t)) {
  constexpr int kAnswersOfOneWorld = 2'000;
  Finding finding;
  for (; finding.answers < answers && finding.wrong == 0; ++seed) {
    EnsembleModel<P> model(seed, habits(seed));
    for (int i = 0; i < kAnswersOfOneWorld; ++i, ++finding.answers) {
      model.run();
      const auto too_late = model.anchor() - model.heard_by_leader();
      if (too_late <= 0s) continue;
      if (finding.wrong++ == 0) finding.seed = seed;
      finding.worst = std::max(finding.worst, too_late);
    }
  }
  return finding;
}

void expect_nothing_wrong(EnsembleHabits (*habits)(std::uint64_t)) {
  const auto seed = from_environment("HOLDFAST_PROOF_SEED", std::random_device{}());
  std::printf("HOLDFAST_PROOF_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto finding = look<Proof>(from_environment("HOLDFAST_PROOF_ANSWERS", 100'000), seed, habits);
  EXPECT_EQ(finding.wrong, 0U) << "first with HOLDFAST_PROOF_SEED=" << finding.seed << ", of " << finding.answers
                               << " answers, by up to " << std::chrono::duration<double>(finding.worst).count() << " s";
}

TEST(Proof, of_an_ensemble_never_claims_that_the_leader_heard_later_than_it_did) { expect_nothing_wrong(any_habits); }

TEST(Proof, of_an_ensemble_holds_with_pings_as_rare_as_once_in_a_lag) { expect_nothing_wrong(rare_pings); }

// The rule of before: two beats after a, and "the leader pings in every lag".
class TwoBeats {
 public:
  Clock::time_point anchor() const { return anchor_; }
  void begin(Clock::time_point asked) { anchor_ = asked; }
  void acknowledge(const Terms& terms, Clock::time_point sent, Clock::time_point now, bool by_keeper) {
    if (!by_keeper) return;
    const auto answered_by = [this](Clock::time_point limit) {
      const auto found = std::find_if(beats_.rbegin(), beats_.rend(), [&](const auto& b) { return b.second <= limit; });
      return found == beats_.rend() ? nullptr : &*found;
    };
    const auto* p = answered_by(sent);
    const auto* a = p != nullptr ? answered_by(p->first - terms.report_lag) : nullptr;
    if (a != nullptr) anchor_ = std::max(anchor_, a->first);
    beats_.emplace_back(sent, now);
    while (beats_.front().first < anchor_) beats_.pop_front();
  }

 private:
  Clock::time_point anchor_;
  std::deque<std::pair<Clock::time_point, Clock::time_point>> beats_;
};

// So that the model is known to find something.
TEST(Proof, of_two_beats_fails_in_the_model_when_the_leader_is_stopped) {
  const auto finding = look<TwoBeats>(2'000'000, 1, any_habits);
  std::printf("%llu of %llu answers, by up to %.2f s\n", static_cast<unsigned long long>(finding.wrong),
              static_cast<unsigned long long>(finding.answers), std::chrono::duration<double>(finding.worst).count());
  EXPECT_GT(finding.wrong, 0U);
  EXPECT_EQ(look<TwoBeats>(50'000, 1, rare_pings).wrong, 0U) << "it was right about leaders that are never stopped";
}

TEST(Proof, of_an_ensemble_is_no_older_than_the_terms_say_when_all_goes_well) {
  for (const Clock::duration timeout : {4s, 6s, 15s}) {
    const auto terms = terms_of(timeout);
    EnsembleModel<Proof> model(
        1, {.terms = terms, .longest_delay = 1ms, .longest_ping_pause = kLag / 2, .longest_ping_delay = 1ms});
    const auto began = model.now();
    int learned = 0;
    while (learned < 1'000) {
      model.run();
      if (model.now() - began < terms.anchor_age() + terms.beat) continue;
      ++learned;
      // Each of the four beats may take four ways of up to 1 ms, and so be older than the next by that much more than a beat. The
      // beat that is still to come until the next answer is in anchor_age() already.
      ASSERT_LE(model.now() - model.anchor(), terms.anchor_age() + 16ms) << timeout.count();
    }
  }
}

}  // namespace
}  // namespace holdfast::lock
