#include "server/snapshot_due.h"

#include <gtest/gtest.h>

namespace holdfast::server {
namespace {

constexpr SnapshotDue::Bounds kBounds{.changes = 100, .bytes = 1'000};

TEST(SnapshotDue, is_due_after_so_many_changes_or_so_many_bytes_of_log) {
  SnapshotDue due(kBounds, {}, 0);
  EXPECT_FALSE(due.is_due({99, 999}));
  EXPECT_TRUE(due.is_due({100, 0}));
  EXPECT_TRUE(due.is_due({1, 1'000}));
  due.begin({1, 1'000});
  due.finish(10);
  EXPECT_FALSE(due.is_due({100, 1'999}));
  EXPECT_TRUE(due.is_due({101, 1'000}));
  EXPECT_TRUE(due.is_due({2, 2'000}));
}

TEST(SnapshotDue, counts_what_earlier_lives_left_in_the_log) {
  SnapshotDue due(kBounds, {.changes = 90, .bytes = 900}, 0);
  EXPECT_FALSE(due.is_due({9, 99}));
  EXPECT_TRUE(due.is_due({10, 0}));
  EXPECT_TRUE(due.is_due({0, 100}));
  due.begin({10, 0});
  EXPECT_FALSE(due.is_due({109, 999}));
}

TEST(SnapshotDue, waits_for_as_much_log_as_a_large_state_costs_to_write) {
  SnapshotDue due(kBounds, {}, 5'000);
  EXPECT_FALSE(due.is_due({1, 4'999}));
  EXPECT_TRUE(due.is_due({1, 5'000}));
  due.begin({1, 5'000});
  due.finish(100);  // nodes were removed
  EXPECT_TRUE(due.is_due({1, 6'000}));
}

}  // namespace
}  // namespace holdfast::server
