// The checkers can fail: for every rule a story that breaks it, and a good one beside it.
#include <gtest/gtest.h>

#include "directory_ledger.h"
#include "passing_sessions.h"

namespace holdfast::testing::crash {
namespace {

using asking::Directory;
using Complaints = std::vector<std::string>;

// As a server shows a directory in which so many nodes were ever created.
Directory shown(std::map<std::string, asking::Node> nodes, std::int32_t creations) {
  const auto children = static_cast<std::int32_t>(nodes.size());
  return {.self = {.cversion = 2 * creations - children, .children = children}, .nodes = std::move(nodes)};
}

asking::Node node(const std::string& data, std::int64_t czxid, std::int64_t mzxid, std::int32_t version = 0,
                  std::int64_t owner = 0) {
  return {.data = data, .czxid = czxid, .mzxid = mzxid, .version = version, .owner = owner};
}

// Two nodes are acknowledged, the first changed; a pair is under way, and one more.
struct Story {
  DirectoryLedger ledger;

  Story() {
    ledger.sent({Create{"/d/a", "1"}});
    ledger.sent({Create{"/d/e", "mine", 77}});
    ledger.sent({Set{"/d/a", "2"}});
    ledger.acknowledged(10);
    ledger.acknowledged(12);
    ledger.acknowledged(13);
    ledger.sent({Create{"/d/p", "left"}, Create{"/d/q", "right"}, Set{"/d/a", "3"}});
    ledger.sent({Create{"/d/z", "last"}});
  }

  static std::map<std::string, asking::Node> safe() {
    return {{"/d/a", node("2", 10, 13, 1)}, {"/d/e", node("mine", 12, 12, 0, 77)}};
  }
  static std::map<std::string, asking::Node> with_pair() {
    return {{"/d/a", node("3", 10, 20, 2)},
            {"/d/e", node("mine", 12, 12, 0, 77)},
            {"/d/p", node("left", 20, 20)},
            {"/d/q", node("right", 20, 20)}};
  }
};

TEST(DirectoryLedger, accepts_what_was_acknowledged_and_any_beginning_of_the_rest) {
  EXPECT_EQ(Story().ledger.check(shown(Story::safe(), 2)), Complaints{});
  EXPECT_EQ(Story().ledger.check(shown(Story::with_pair(), 4)), Complaints{});
  auto all = Story::with_pair();
  all["/d/z"] = node("last", 21, 21);
  EXPECT_EQ(Story().ledger.check(shown(all, 5)), Complaints{});
}

TEST(DirectoryLedger, finds_a_lost_write) {
  auto nodes = Story::safe();
  nodes.erase("/d/e");
  const auto complaints = Story().ledger.check(shown(nodes, 2));
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0], "/d/e (zxid 0xc) is missing");
}

TEST(DirectoryLedger, finds_a_change_that_was_lost) {
  auto nodes = Story::safe();
  nodes["/d/a"] = node("1", 10, 10, 0);
  EXPECT_EQ(Story().ledger.check(shown(nodes, 2)).size(), 1U);
}

TEST(DirectoryLedger, finds_half_a_multi) {
  auto nodes = Story::with_pair();
  nodes.erase("/d/q");
  EXPECT_FALSE(Story().ledger.check(shown(nodes, 3)).empty());
}

TEST(DirectoryLedger, finds_a_write_without_the_one_before_it) {
  auto nodes = Story::safe();
  nodes["/d/z"] = node("last", 21, 21);
  EXPECT_FALSE(Story().ledger.check(shown(nodes, 3)).empty());
}

TEST(DirectoryLedger, finds_a_write_that_was_refused) {
  DirectoryLedger ledger;
  ledger.sent({Create{"/d/a", "1"}});
  ledger.sent({Create{"/d/b", "2"}});
  ledger.refused();
  ledger.acknowledged(11);
  EXPECT_EQ(ledger.ahead().creations, 1);
  EXPECT_EQ(ledger.check(shown({{"/d/a", node("1", 10, 10)}, {"/d/b", node("2", 11, 11)}}, 2)).size(), 2U);
}

TEST(DirectoryLedger, finds_an_ephemeral_of_an_ended_session) {
  DirectoryLedger ledger;
  ledger.sent({Create{"/d/e", "mine", 77}});
  ledger.sent({EndSession{77}});
  ledger.acknowledged(10);
  ledger.acknowledged(11);
  const auto complaints = ledger.check(shown({{"/d/e", node("mine", 10, 10, 0, 77)}}, 1));
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0], "/d/e (czxid 0xa, owner 0x4d) should not be there");
}

TEST(DirectoryLedger, finds_a_node_that_came_back) {
  DirectoryLedger ledger;
  ledger.sent({Create{"/d/a", "1"}});
  ledger.sent({Remove{"/d/a"}});
  ledger.acknowledged(10);
  ledger.acknowledged(11);
  EXPECT_EQ(ledger.check(shown({{"/d/a", node("1", 10, 10)}}, 1)).size(), 1U);
}

TEST(DirectoryLedger, finds_a_zxid_that_went_back) {
  DirectoryLedger ledger;
  ledger.sent({Create{"/d/a", "1"}});
  ledger.sent({Set{"/d/a", "2"}});
  ledger.acknowledged(10);
  ledger.acknowledged(10);
  const auto complaints = ledger.check(shown({{"/d/a", node("2", 10, 10, 1)}}, 1));
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0], "zxid 0xa came after 0xa");
}

TEST(DirectoryLedger, finds_a_zxid_below_those_of_others_before_a_restart) {
  DirectoryLedger ledger;
  ledger.restarted(100);
  ledger.sent({Create{"/d/a", "1"}});
  ledger.acknowledged(99);
  EXPECT_EQ(ledger.check(shown({{"/d/a", node("1", 99, 99)}}, 1)).size(), 1U);
}

TEST(DirectoryLedger, finds_a_node_with_another_zxid_than_was_answered) {
  auto nodes = Story::safe();
  nodes["/d/e"].czxid = 14;
  EXPECT_EQ(Story().ledger.check(shown(nodes, 2)).size(), 1U);
}

TEST(DirectoryLedger, finds_a_directory_that_would_give_a_number_twice) {
  EXPECT_EQ(Story().ledger.check(shown(Story::safe(), 1)).size(), 1U);
}

TEST(PassingSessions, accepts_all_nodes_of_a_session_or_none) {
  PassingSessions sessions;
  sessions.acknowledged(1, "/x/a");
  sessions.acknowledged(1, "/x/b");
  sessions.sent(1, "/x/c");
  EXPECT_EQ(sessions.check({"/x/a", "/x/b"}), Complaints{});
  EXPECT_EQ(sessions.open(), 1U);
  EXPECT_EQ(sessions.check({}), Complaints{});
  EXPECT_EQ(sessions.ended(), 1U);
}

TEST(PassingSessions, finds_a_node_of_a_session_that_was_closed) {
  PassingSessions sessions;
  sessions.acknowledged(1, "/x/a");
  sessions.closed(1);
  EXPECT_EQ(sessions.check({"/x/a"}), Complaints{"/x/a is there, but its session 0x1 has ended"});
}

TEST(PassingSessions, finds_a_node_that_came_back_after_its_session_expired) {
  PassingSessions sessions;
  sessions.acknowledged(1, "/x/a");
  EXPECT_EQ(sessions.check({}), Complaints{});
  EXPECT_EQ(sessions.check({"/x/a"}), Complaints{"/x/a is there, but its session 0x1 has ended"});
}

TEST(PassingSessions, finds_a_session_of_which_only_a_part_is_gone) {
  PassingSessions sessions;
  sessions.acknowledged(1, "/x/a");
  sessions.acknowledged(1, "/x/b");
  EXPECT_EQ(sessions.check({"/x/b"}), Complaints{"/x/a is missing, but others of its session 0x1 are there"});
}

TEST(PassingSessions, finds_a_create_that_was_executed_after_it_had_been_lost) {
  PassingSessions sessions;
  sessions.sent(1, "/x/a");
  EXPECT_EQ(sessions.check({}), Complaints{});
  EXPECT_EQ(sessions.check({"/x/a"}), Complaints{"/x/a was never asked for"});
}

}  // namespace
}  // namespace holdfast::testing::crash
