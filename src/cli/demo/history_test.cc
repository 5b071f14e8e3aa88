// The referee of the demonstration: it must be able to say no.
#include "cli/demo/history.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::cli::demo {
namespace {

using std::chrono::milliseconds;

Clock::time_point at(int ms) { return Clock::time_point(milliseconds(1'000'000 + ms)); }

// A holds and releases; B is killed; C is paused, loses its lock, is late; D follows.
struct Good {
  Event& find(Deed deed, Token token) {
    return *std::find_if(history.events.begin(), history.events.end(),
                         [&](const Event& event) { return event.deed == deed && event.token == token; });
  }
  void drop(Deed deed, Token token) {
    history.events.erase(history.events.begin() + (&find(deed, token) - &history.events[0]));
  }

  History history{
      .events = {{Deed::granted, "A", 11, at(0), at(2'000)},
                 {Deed::holding, "A", 11, at(100), at(2'100)},
                 {Deed::wrote, "A", 11, at(200)},
                 {Deed::released, "A", 11, at(200)},
                 {Deed::granted, "B", 12, at(201), at(2'200)},
                 {Deed::killed, "B", 12, at(400)},
                 {Deed::holding, "B", 12, at(300), at(2'300)},  // was in the pipe when B died
                 {Deed::granted, "C", 13, at(2'400), at(4'400)},
                 {Deed::paused, "C", 13, at(2'500)},
                 {Deed::granted, "D", 14, at(4'600), at(6'600)},
                 {Deed::wrote, "D", 14, at(4'700)},
                 {Deed::resumed, "C", 13, at(4'750)},
                 {Deed::refused, "C", 13, at(4'760)},
                 {Deed::lost, "C", 13, at(4'770), at(4'500)},
                 {Deed::released, "D", 14, at(4'800)}},
      .sightings = {{11, 12, 13}, {12, 13, 14}, {13, 14}, {14, 15}},
  };
};

TEST(DemoHistory, finds_nothing_wrong_with_a_lock_that_held) {
  const auto verdict = check(Good().history);
  EXPECT_TRUE(verdict.held());
  EXPECT_EQ(verdict.holds, 4u);
  EXPECT_EQ(verdict.sightings, 4u);
  EXPECT_EQ(verdict.writes, 2u);
  EXPECT_EQ(verdict.late_writes, 1u);
}

TEST(DemoHistory, sees_two_holders_at_once) {
  Good good;
  good.find(Deed::granted, 12).at = at(199);
  const auto verdict = check(good.history);
  ASSERT_EQ(verdict.exclusion.size(), 1u);
  EXPECT_EQ(verdict.exclusion[0], "B was granted token 12 while A held token 11, 0.001 s early");
  EXPECT_FALSE(verdict.held());
}

TEST(DemoHistory, sees_a_hold_inside_a_longer_one) {
  Good good;
  good.find(Deed::holding, 11).valid_until = at(5'000);
  good.find(Deed::released, 11).at = at(4'650);
  EXPECT_EQ(check(good.history).exclusion.size(), 3u);
}

TEST(DemoHistory, a_killed_holder_keeps_the_lock_for_as_long_as_it_was_valid) {
  Good good;
  good.find(Deed::granted, 13).at = at(2'299);
  EXPECT_EQ(check(good.history).exclusion.size(), 1u);
}

TEST(DemoHistory, a_paused_holder_has_the_lock_until_its_validity_ends_and_no_longer) {
  Good good;
  good.find(Deed::granted, 14).at = at(4'499);
  EXPECT_EQ(check(good.history).exclusion.size(), 1u);
  good.find(Deed::granted, 14).at = at(4'500);
  EXPECT_TRUE(check(good.history).held());
}

TEST(DemoHistory, a_hold_without_an_end_excludes_all_others) {
  Good good;
  good.drop(Deed::released, 11);
  const auto verdict = check(good.history);
  ASSERT_FALSE(verdict.exclusion.empty());
  EXPECT_EQ(verdict.exclusion[0], "B was granted token 12 while A held token 11, which never gave it back");
}

TEST(DemoHistory, sees_that_somebody_was_overtaken) {
  Good good;
  good.history.sightings.push_back({12, 11});
  const auto verdict = check(good.history);
  ASSERT_EQ(verdict.order.size(), 1u);
  EXPECT_EQ(verdict.order[0], "A (token 11) was granted before B (token 12), which was ahead of it");
  EXPECT_FALSE(verdict.held());
}

TEST(DemoHistory, sees_a_token_that_goes_back) {
  Good good;
  for (auto& event : good.history.events) {
    if (event.worker == "D") event.token = 10;
  }
  good.history.sightings.clear();
  const auto verdict = check(good.history);
  EXPECT_EQ(std::count(verdict.tokens.begin(), verdict.tokens.end(), "D was granted token 10 after C had token 13"), 1);
  EXPECT_EQ(
      std::count(verdict.tokens.begin(), verdict.tokens.end(), "a late write of D was admitted: token 10 after 11"), 1);
}

TEST(DemoHistory, sees_a_token_that_was_given_twice) {
  Good good;
  for (auto& event : good.history.events) {
    if (event.worker == "B") event.token = 11;
  }
  const auto verdict = check(good.history);
  ASSERT_EQ(verdict.tokens.size(), 1u);
  EXPECT_EQ(verdict.tokens[0], "B was granted token 11 after A had it");
}

TEST(DemoHistory, sees_a_late_write_that_was_admitted) {
  Good good;
  good.find(Deed::refused, 13).deed = Deed::wrote;
  const auto verdict = check(good.history);
  ASSERT_EQ(verdict.tokens.size(), 2u);
  EXPECT_EQ(verdict.tokens[0], "a late write of C was admitted: token 13 after 14");
  EXPECT_EQ(verdict.tokens[1], "C wrote with token 13 after D with token 14");
  EXPECT_EQ(verdict.not_shown.size(), 1u);
}

TEST(DemoHistory, sees_a_write_in_time_that_was_refused) {
  Good good;
  good.find(Deed::wrote, 14).deed = Deed::refused;
  EXPECT_FALSE(check(good.history).tokens.empty());
}

TEST(DemoHistory, is_not_content_when_a_fault_was_not_shown) {
  Good nobody_killed;
  nobody_killed.find(Deed::killed, 12).deed = Deed::holding;
  nobody_killed.find(Deed::holding, 12).deed = Deed::released;
  EXPECT_EQ(check(nobody_killed.history).not_shown, std::vector<std::string>{"no holder was killed"});

  Good not_told;
  not_told.find(Deed::lost, 13).deed = Deed::released;
  EXPECT_FALSE(check(not_told.history).held());

  Good not_paused;
  not_paused.drop(Deed::paused, 13);
  EXPECT_EQ(check(not_paused.history).not_shown, std::vector<std::string>{"no holder was paused"});

  EXPECT_FALSE(check({}).held());
}

}  // namespace
}  // namespace holdfast::cli::demo
