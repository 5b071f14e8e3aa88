#include "engine/tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::engine {
namespace {

using What = NodeUndo::What;

const wire::AclList kAnyone{{wire::permission::kAll, {"world", "anyone"}}};

void make(Tree& tree, const std::string& path, Kind kind = Kind::persistent, std::int64_t owner = 0) {
  tree.forget(tree.apply(NodeCreated{.path = path, .data = "d", .acl = kAnyone, .kind = kind, .owner = owner}, 1, 1));
}

std::vector<std::string> rest_of_walk(Tree& tree) {
  std::vector<std::string> paths;
  while (const Node* node = tree.next()) paths.push_back(node->path());
  return paths;
}

TEST(Tree, is_born_with_the_nodes_of_zookeeper) {
  Tree tree;
  for (const auto* path : {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}) {
    ASSERT_NE(tree.find(path), nullptr) << path;
    EXPECT_EQ(tree.find(path)->path(), path);
  }
  EXPECT_EQ(tree.size(), 4u);
  EXPECT_EQ(tree.find("/")->stat().cversion, -1);
  EXPECT_EQ(tree.find("/zookeeper")->stat().cversion, -2);
}

TEST(Tree, finds_nothing_by_what_is_no_path) {
  Tree tree;
  make(tree, "/a");
  make(tree, "/a/b");
  EXPECT_NE(tree.find("/a/b"), nullptr);
  EXPECT_EQ(tree.find(""), tree.find("/"));
  for (const auto* path : {"a", "//", "/a/", "/a//b", "//a", "/a/b/", "/b", "/a/b/c", "a/b"}) {
    EXPECT_EQ(tree.find(path), nullptr) << path;
  }
  EXPECT_EQ(tree.find(std::string_view("/a\0", 3)), nullptr);
}

TEST(Tree, counts_paths_and_data) {
  Tree tree;
  const auto before = tree.data_size();
  make(tree, "/ab");
  EXPECT_EQ(tree.data_size(), before + 4);
  make(tree, "/ab/c");
  EXPECT_EQ(tree.data_size(), before + 4 + 6);
  tree.forget(tree.apply(DataSet{"/ab", "12345", 1}, 2, 2));
  EXPECT_EQ(tree.data_size(), before + 8 + 6);
  tree.forget(tree.apply(NodeRemoved{"/ab/c"}, 3, 3));
  tree.forget(tree.apply(NodeRemoved{"/ab"}, 3, 3));
  EXPECT_EQ(tree.data_size(), before);
}

TEST(Tree, knows_the_ephemerals_of_a_session) {
  Tree tree;
  make(tree, "/a", Kind::ephemeral, 7);
  make(tree, "/b", Kind::ephemeral, 7);
  make(tree, "/c", Kind::ephemeral, 8);
  make(tree, "/d", Kind::container);
  make(tree, "/e", Kind::ttl, 7);
  EXPECT_EQ(tree.ephemeral_count(), 3u);
  ASSERT_NE(tree.ephemerals(7), nullptr);
  EXPECT_EQ(*tree.ephemerals(7), (Tree::Nodes{tree.find("/a"), tree.find("/b")}));
  ASSERT_EQ(tree.mortals().size(), 2u);
  EXPECT_EQ(tree.mortals()[0].node, tree.find("/d"));
  EXPECT_EQ(tree.mortals()[1].node, tree.find("/e"));
  EXPECT_EQ(tree.find("/e")->stat().ephemeral_owner, 0);
  tree.forget(tree.apply(NodeRemoved{"/c"}, 2, 2));
  EXPECT_EQ(tree.ephemerals(8), nullptr);
  EXPECT_EQ(tree.ephemerals(9), nullptr);
}

TEST(Tree, walks_over_all_nodes_the_oldest_first) {
  Tree tree;
  make(tree, "/b");
  make(tree, "/a");
  make(tree, "/b/c");
  tree.begin_walk();
  EXPECT_EQ(rest_of_walk(tree),
            (std::vector<std::string>{"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config", "/b", "/a", "/b/c"}));
  EXPECT_EQ(tree.next(), nullptr);
}

TEST(Tree, goes_on_with_its_walk_when_the_next_node_is_removed) {
  Tree tree;
  make(tree, "/a");
  make(tree, "/b");
  make(tree, "/c");
  tree.begin_walk();
  for (int i = 0; i < 4; ++i) (void)tree.next();
  tree.forget(tree.apply(NodeRemoved{"/a"}, 2, 2));
  tree.forget(tree.apply(NodeRemoved{"/b"}, 2, 2));
  make(tree, "/d");
  EXPECT_EQ(rest_of_walk(tree), (std::vector<std::string>{"/c", "/d"}));
}

TEST(Tree, visits_the_node_it_was_about_to_visit_when_its_removal_is_taken_back) {
  Tree tree;
  make(tree, "/a");
  make(tree, "/b");
  tree.begin_walk();
  for (int i = 0; i < 4; ++i) (void)tree.next();
  auto first = tree.apply(NodeRemoved{"/a"}, 2, 2);
  auto last = tree.apply(NodeRemoved{"/b"}, 2, 2);
  auto created = tree.apply(NodeCreated{.path = "/c"}, 3, 3);
  tree.take_back(std::move(created));
  tree.take_back(std::move(last));
  tree.take_back(std::move(first));
  EXPECT_EQ(rest_of_walk(tree), (std::vector<std::string>{"/a", "/b"}));
}

TEST(Tree, a_change_without_its_place_is_passed_over) {
  Tree tree;
  EXPECT_EQ(tree.apply(NodeCreated{.path = "/a/b"}, 1, 1).what, What::nothing);
  EXPECT_EQ(tree.apply(NodeRemoved{"/a"}, 1, 1).what, What::nothing);
  EXPECT_EQ(tree.apply(NodeRemoved{"/a/b"}, 1, 1).what, What::nothing);
  EXPECT_EQ(tree.apply(DataSet{"/a", "x", 1}, 1, 1).what, What::nothing);
  EXPECT_EQ(tree.apply(AclSet{"/a", kAnyone, 1}, 1, 1).what, What::nothing);
  EXPECT_EQ(tree.size(), 4u);
}

// No client could find them, nor see that they are there when they come again.
TEST(Tree, makes_no_nodes_of_what_is_no_path) {
  Tree tree;
  make(tree, "/a");
  for (const auto* path : {"b", "/a/", "//", "//b", "/", "", "/a//b", "a"}) {
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_EQ(tree.apply(NodeCreated{.path = path}, 1, 1).what, What::nothing) << path;
      EXPECT_EQ(tree.size(), 5u) << path;
    }
  }
}

// No client can ask for it; but a log can say anything. A tree that is made from a snapshot has these nodes, too.
TEST(Tree, does_not_remove_its_root_nor_what_is_reserved) {
  Tree tree;
  for (const auto* path : {"/", "", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}) {
    EXPECT_EQ(tree.apply(NodeRemoved{path}, 1, 1).what, What::nothing);
    EXPECT_EQ(tree.size(), 4u);
  }
}

// As a log does that catches up with a snapshot.
TEST(Tree, removes_what_is_below_with_a_node) {
  Tree tree;
  for (const auto* path : {"/a", "/a/b", "/a/c", "/a/b/d"}) make(tree, path);
  make(tree, "/a/b/e", Kind::ephemeral, 5);
  tree.begin_walk();
  for (int i = 0; i < 6; ++i) (void)tree.next();
  tree.forget(tree.apply(NodeRemoved{"/a"}, 2, 2));
  EXPECT_EQ(tree.size(), 4u);
  EXPECT_EQ(tree.ephemeral_count(), 0u);
  EXPECT_EQ(tree.acl_count(), 1u);  // that of /zookeeper/config
  EXPECT_EQ(tree.next(), nullptr);
}

TEST(Tree, keeps_a_list_that_may_come_back) {
  Tree tree;
  make(tree, "/a");
  auto set = tree.apply(AclSet{"/a", {{wire::permission::kRead, {"world", "anyone"}}}, 1}, 2, 2);
  auto removed = tree.apply(NodeRemoved{"/a"}, 3, 3);
  EXPECT_EQ(tree.acl_count(), 2u);
  tree.take_back(std::move(removed));
  tree.take_back(std::move(set));
  EXPECT_EQ(*tree.find("/a")->acl_list(), kAnyone);
  EXPECT_EQ(tree.find("/a")->aversion, 0);
}

TEST(Tree, a_deep_path_is_put_together_again) {
  Tree tree;
  std::string path;
  for (int i = 0; i < 1'000; ++i) {
    path += "/n" + std::to_string(i);
    make(tree, path);
  }
  ASSERT_NE(tree.find(path), nullptr);
  EXPECT_EQ(tree.find(path)->path(), path);
}

}  // namespace
}  // namespace holdfast::engine
