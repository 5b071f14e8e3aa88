#include "lock/deadlock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace holdfast::lock {
namespace {

using Waits = std::vector<WaitsFor<int>>;
using Has = std::vector<Holds<int>>;

TEST(Circle, is_not_there_when_the_holder_does_not_wait) {
  EXPECT_TRUE(find_circle(1, Waits{{1, "a"}}, Has{{2, "a"}}).empty());
}

TEST(Circle, is_one_who_waits_for_what_it_holds_itself) {
  EXPECT_EQ(find_circle(1, Waits{{1, "a"}}, Has{{1, "a"}}).size(), 1u);
}

TEST(Circle, is_found_through_several) {
  const Waits waits{{1, "b"}, {2, "c"}, {3, "a"}};
  const auto circle = find_circle(1, waits, Has{{1, "a"}, {2, "b"}, {3, "c"}});
  ASSERT_EQ(circle.size(), 3u);
  EXPECT_EQ(circle[0].queue, "b");
  EXPECT_EQ(circle[1].queue, "c");
  EXPECT_EQ(circle[2].queue, "a");
}

TEST(Circle, is_found_when_only_one_of_several_who_share_waits_for_us) {
  EXPECT_EQ(find_circle(1, Waits{{1, "b"}, {3, "a"}}, Has{{1, "a"}, {2, "b"}, {3, "b"}}).size(), 2u);
}

TEST(Circle, of_others_is_not_ours) {
  EXPECT_TRUE(find_circle(1, Waits{{1, "a"}, {2, "b"}, {3, "a"}}, Has{{2, "a"}, {3, "b"}}).empty());
}

// The definition, by brute force: can I come back to myself?
TEST(Circle, agrees_with_the_definition_in_random_worlds) {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 2'000; ++round) {
    Waits waits;
    Has holds;
    for (int who = 0; who < 5; ++who) {
      if (random() % 3 != 0) waits.push_back({who, std::string(1, static_cast<char>('a' + random() % 5))});
      for (char queue = 'a'; queue < 'f'; ++queue) {
        if (random() % 4 == 0) holds.push_back({who, std::string(1, queue)});
      }
    }
    std::set<int> reached;
    std::vector<int> border{0};
    while (!border.empty()) {
      const int at = border.back();
      border.pop_back();
      for (const auto& wait : waits) {
        if (wait.who != at) continue;
        for (const auto& hold : holds) {
          if (hold.queue == wait.queue && reached.insert(hold.who).second) border.push_back(hold.who);
        }
      }
    }
    const auto circle = find_circle(0, waits, holds);
    ASSERT_EQ(!circle.empty(), reached.contains(0)) << "round " << round;
    found += circle.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace holdfast::lock
