#include "holdfast/fence.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <limits>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

constexpr int kThreads = 4;

TEST(Fence, admits_larger_tokens) {
  Fence fence;
  EXPECT_TRUE(fence.admit(1));
  EXPECT_TRUE(fence.admit(2));
  EXPECT_TRUE(fence.admit(1'000));
  EXPECT_EQ(fence.seen(), 1'000u);
}

TEST(Fence, admits_the_same_token_again_and_again) {
  Fence fence;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(fence.admit(7));
  EXPECT_EQ(fence.seen(), 7u);
}

TEST(Fence, refuses_a_smaller_token_and_forgets_nothing_by_it) {
  Fence fence;
  ASSERT_TRUE(fence.admit(7));
  EXPECT_FALSE(fence.admit(6));
  EXPECT_FALSE(fence.admit(1));
  EXPECT_EQ(fence.seen(), 7u);
  EXPECT_TRUE(fence.admit(7));
}

TEST(Fence, refuses_zero_which_is_no_token) {
  Fence fence;
  EXPECT_FALSE(fence.admit(0));
  EXPECT_EQ(fence.seen(), 0u);
  ASSERT_TRUE(fence.admit(1));
  EXPECT_FALSE(fence.admit(0));
}

TEST(Fence, starts_from_what_was_seen_before) {
  Fence fence(41);
  EXPECT_FALSE(fence.admit(40));
  EXPECT_TRUE(fence.admit(41));
  EXPECT_TRUE(fence.admit(42));
}

TEST(Fence, admits_the_largest_token_there_is) {
  Fence fence;
  EXPECT_TRUE(fence.admit(std::numeric_limits<Token>::max()));
  EXPECT_FALSE(fence.admit(std::numeric_limits<Token>::max() - 1));
}

TEST(Fence, answers_concurrent_writers_consistently) {
  Fence fence;
  std::barrier start(kThreads);
  std::atomic<Token> largest = 0;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      std::uint32_t random = static_cast<std::uint32_t>(t) + 1;
      start.arrive_and_wait();
      for (Token i = 1; i <= 20'000; ++i) {
        random = random * 1'664'525 + 1'013'904'223;
        const Token token = i + (random >> 24);  // all around the same place, which moves on
        const Token before = fence.seen();
        const bool admitted = fence.admit(token);
        const Token after = fence.seen();
        if (after < before) ++wrong;                                 // it never goes back
        if (admitted && (before > token || after < token)) ++wrong;  // a holder that is late does not get in
        if (!admitted && after <= token) ++wrong;                    // none is refused without a larger token
        if (!admitted) continue;
        Token seen = largest.load();
        while (token > seen && !largest.compare_exchange_weak(seen, token)) {
        }
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(fence.seen(), largest);
}

TEST(Fence, admits_each_token_in_turn_when_many_race_for_it) {
  Fence fence;
  std::atomic<int> refused = 0;
  std::barrier round(kThreads);
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&] {
      for (Token token = 1; token <= 1'000; ++token) {
        round.arrive_and_wait();
        if (!fence.admit(token)) ++refused;  // all have the same token: none is late
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(fence.seen(), 1'000u);
}

}  // namespace
}  // namespace holdfast
