#include "engine/watches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::engine {
namespace {

using enum wire::EventType;
using enum WatchMode;

using Connections = std::vector<ConnectionId>;

void remove_all(WatchTable& table, ConnectionId connection) {
  table.abandon(connection);
  while (table.sweep(1) > 0) {
  }
}

TEST(WatchTable, counts_the_bytes_of_each_path_once) {
  WatchTable table;
  table.add("/abc", 1, WatchMode::one_shot);
  table.add("/abc", 2, WatchMode::one_shot);
  table.add("/x", 1, WatchMode::persistent);
  EXPECT_EQ(table.bytes(), 6u);
  (void)table.fire("/abc", wire::EventType::node_data_changed);
  EXPECT_EQ(table.bytes(), 2u);
  remove_all(table, 1);
  EXPECT_EQ(table.bytes(), 0u);
}

TEST(WatchTable, a_one_shot_fires_once) {
  WatchTable table;
  table.add("/a", 1, one_shot);
  EXPECT_EQ(table.fire("/a", node_data_changed), Connections{1});
  EXPECT_EQ(table.fire("/a", node_data_changed), Connections{});
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.path_count(), 0u);
  EXPECT_EQ(table.connection_count(), 0u);
}

TEST(WatchTable, a_persistent_one_fires_always) {
  WatchTable table;
  table.add("/a", 1, persistent);
  for (const auto type : {node_created, node_data_changed, node_children_changed, node_deleted}) {
    EXPECT_EQ(table.fire("/a", type), Connections{1});
  }
  EXPECT_EQ(table.fire("/a/b", node_created), Connections{});
  EXPECT_EQ(table.fire("/", node_data_changed), Connections{});
}

TEST(WatchTable, a_recursive_one_is_told_of_all_below_but_never_that_children_changed) {
  WatchTable table;
  table.add("/a", 1, recursive);
  for (const auto* path : {"/a", "/a/b", "/a/b/c"}) {
    for (const auto type : {node_created, node_data_changed, node_deleted}) {
      EXPECT_EQ(table.fire(path, type), Connections{1}) << path;
    }
    EXPECT_EQ(table.fire(path, node_children_changed), Connections{}) << path;
  }
  EXPECT_EQ(table.fire("/ab", node_created), Connections{});
  EXPECT_EQ(table.fire("/", node_data_changed), Connections{});
}

TEST(WatchTable, a_recursive_one_of_the_root_is_told_of_everything) {
  WatchTable table;
  table.add("/", 1, recursive);
  for (const auto* path : {"/", "/a", "/a/b"}) EXPECT_EQ(table.fire(path, node_created), Connections{1}) << path;
}

TEST(WatchTable, a_one_shot_above_is_not_used_up_by_what_is_below) {
  WatchTable table;
  table.add("/a", 1, one_shot);
  table.add("/a", 2, recursive);
  EXPECT_EQ(table.fire("/a/b", node_created), Connections{2});
  EXPECT_EQ(table.fire("/a", node_data_changed), (Connections{1, 2}));
  EXPECT_EQ(table.fire("/a", node_data_changed), Connections{2});
}

TEST(WatchTable, tells_each_once_in_the_order_of_connections) {
  WatchTable table;
  table.add("/a/b", 3, one_shot);
  table.add("/a/b", 1, persistent);
  table.add("/a", 3, recursive);
  table.add("/", 3, recursive);
  table.add("/", 2, recursive);
  EXPECT_EQ(table.fire("/a/b", node_deleted), (Connections{1, 2, 3}));
}

TEST(WatchTable, the_last_mode_holds) {
  WatchTable table;
  table.add("/a", 1, recursive);
  table.add("/a", 1, one_shot);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.fire("/a/b", node_created), Connections{});
  EXPECT_EQ(table.fire("/a", node_created), Connections{1});
  EXPECT_EQ(table.fire("/a", node_created), Connections{});
  table.add("/a", 1, one_shot);
  table.add("/a", 1, recursive);
  EXPECT_EQ(table.fire("/a/b", node_created), Connections{1});
}

TEST(WatchTable, removing_one_leaves_the_others) {
  WatchTable table;
  table.add("/a", 1, one_shot);
  table.add("/a", 2, one_shot);
  table.add("/b", 1, one_shot);
  EXPECT_TRUE(table.remove("/a", 1));
  EXPECT_FALSE(table.remove("/a", 1));
  EXPECT_FALSE(table.remove("/c", 1));
  EXPECT_TRUE(table.contains("/a"));
  EXPECT_FALSE(table.contains("/c"));
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.fire("/a", node_deleted), Connections{2});
  EXPECT_EQ(table.fire("/b", node_deleted), Connections{1});
}

TEST(WatchTable, a_connection_takes_its_watches_with_it) {
  WatchTable table;
  for (int i = 0; i < 100; ++i) {
    table.add("/a" + std::to_string(i), 1, static_cast<WatchMode>(i % 3));
    table.add("/a" + std::to_string(i), 2, one_shot);
  }
  EXPECT_EQ(table.size(), 200u);
  remove_all(table, 1);
  EXPECT_EQ(table.size(), 100u);
  EXPECT_EQ(table.connection_count(), 1u);
  EXPECT_EQ(table.fire("/a1", node_created), Connections{2});
  remove_all(table, 2);
  remove_all(table, 2);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.path_count(), 0u);
  EXPECT_EQ(table.connection_count(), 0u);
}

TEST(WatchTable, forgets_that_there_was_a_recursive_one) {
  WatchTable table;
  table.add("/a", 1, recursive);
  table.add("/a", 1, persistent);
  table.add("/", 2, recursive);
  EXPECT_TRUE(table.remove("/", 2));
  EXPECT_EQ(table.fire("/a/b", node_created), Connections{});
  EXPECT_EQ(table.fire("/a", node_created), Connections{1});
}

// What a connection leaves is removed in pieces, and no client can tell.
TEST(WatchTable, tells_a_connection_that_is_gone_of_nothing_however_much_of_it_is_left) {
  WatchTable table;
  for (int i = 0; i < 100; ++i) table.add("/" + std::to_string(i), 1, i % 2 == 0 ? one_shot : recursive);
  table.add("/7", 2, one_shot);
  table.abandon(1);
  EXPECT_EQ(table.connection_count(), 1u);
  EXPECT_EQ(table.use(1).watches, 0u);
  EXPECT_FALSE(table.contains("/3"));
  EXPECT_TRUE(table.contains("/7"));
  EXPECT_EQ(table.sweep(30), 30u);
  EXPECT_EQ(table.size(), 71u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(table.fire("/" + std::to_string(i), node_created), i == 7 ? Connections{2} : Connections{}) << i;
  }
  while (table.sweep(7) > 0) {
  }
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.bytes(), 0u);
  EXPECT_EQ(table.path_count(), 0u);
}

TEST(WatchTable, knows_how_much_each_connection_has) {
  WatchTable table;
  table.add("/abc", 1, one_shot);
  table.add("/abc", 2, persistent);
  table.add("/x", 1, one_shot);
  EXPECT_EQ(table.use(1).watches, 2u);
  EXPECT_EQ(table.use(1).bytes, 6u);
  (void)table.fire("/abc", node_created);
  EXPECT_EQ(table.use(1).watches, 1u);
  EXPECT_EQ(table.use(1).bytes, 2u);
  EXPECT_EQ(table.use(2).watches, 1u);
}

TEST(WatchTable, knows_beforehand_how_many_will_be_told) {
  WatchTable table;
  EXPECT_EQ(table.watchers("/a/b"), 0u);
  table.add("/a/b", 1, one_shot);
  table.add("/a", 2, recursive);
  table.add("/", 3, recursive);
  EXPECT_EQ(table.watchers("/a/b"), 3u);
  EXPECT_EQ(table.fire("/a/b", node_created), (Connections{1, 2, 3}));
  EXPECT_EQ(table.watchers("/a/b"), 2u);
}

}  // namespace
}  // namespace holdfast::engine
