#include "backend/zookeeper/dialect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/uuid.h"

namespace holdfast::zookeeper {
namespace {

constexpr auto kUuid = "0f0e8a3c-2b1d-4c5e-8f90-123456789abc";
constexpr auto kOtherUuid = "1f0e8a3c-2b1d-4c5e-8f90-123456789abc";
constexpr auto kExclusive = spi::Mode::exclusive;
constexpr auto kWrite = spi::Mode::write;
constexpr auto kShared = spi::Mode::shared;
constexpr auto kHex = "0f0e8a3c2b1d4c5e8f90123456789abc";

std::string curator(const std::string& sequence, const std::string& uuid = kUuid) {
  return "_c_" + uuid + "-lock-" + sequence;
}

void expect_ticket(const std::string& node, std::int64_t sequence, spi::Mode mode) {
  const auto ticket = parse_node(node);
  ASSERT_TRUE(ticket) << node;
  EXPECT_EQ(ticket->id, node);
  EXPECT_EQ(ticket->sequence, sequence) << node;
  EXPECT_EQ(ticket->mode, mode) << node;
}

std::vector<std::int64_t> sequences(const spi::Listing& tickets) {
  std::vector<std::int64_t> all;
  for (const auto& each : tickets) all.push_back(each.sequence);
  return all;
}

std::vector<std::string> ids(const spi::Listing& tickets) {
  std::vector<std::string> all;
  for (const auto& each : tickets) all.push_back(each.id);
  return all;
}

TEST(NodePrefix, is_exactly_curators) {
  EXPECT_EQ(node_prefix(kUuid, kExclusive), "_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-lock-");
  EXPECT_EQ(node_prefix(kUuid, kShared), "_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-__READ__");
  EXPECT_EQ(node_prefix(kUuid, kWrite), "_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-__WRIT__");
  EXPECT_EQ(node_prefix(kUuid, spi::Mode::permit), "_c_0f0e8a3c-2b1d-4c5e-8f90-123456789abc-lease-");
}

// Curator 5.5: the digits are the writer's, as they are.
TEST(NodeInPlaceOf, is_a_reader_with_the_digits_of_the_writer) {
  const auto writer = node_prefix(kOtherUuid, kWrite) + "0000000042";
  EXPECT_EQ(node_in_place_of(kUuid, writer), node_prefix(kUuid, kShared) + "0000000042");
  expect_ticket(node_in_place_of(kUuid, writer), 42, kShared);
  EXPECT_TRUE(has_uid(node_in_place_of(kUuid, writer), kUuid));
}

TEST(Recipe, is_that_of_whoever_names_nodes_so) {
  EXPECT_EQ(recipe_of(curator("0000000001"), "10.0.0.1"), "Curator");
  EXPECT_EQ(recipe_of(curator("0000000001"), "10.0.0.1 host=a pid=1"), "Holdfast");
  EXPECT_EQ(recipe_of("_c_" + std::string(kHex) + "-lock-0000000001", ""), "go-zookeeper");
  EXPECT_EQ(recipe_of(std::string(kHex) + "__lock__0000000001", ""), "kazoo");
  EXPECT_EQ(recipe_of("x-72057594037927936-0000000001", ""), "ZooKeeper recipe");
  EXPECT_EQ(recipe_of("leases", ""), "");
}

TEST(Recipe, of_kazoo_and_zookeeper_waits_for_its_own_nodes_alone) {
  EXPECT_TRUE(waits_apart(std::string(kHex) + "__lock__0000000001"));
  EXPECT_TRUE(waits_apart("x-72057594037927936-0000000001"));
  EXPECT_FALSE(waits_apart(curator("0000000001")));
  EXPECT_FALSE(waits_apart("leases"));
}

TEST(NodePrefix, with_a_sequence_is_a_ticket_of_the_same_kind) {
  expect_ticket(node_prefix(kUuid, kExclusive) + "0000000007", 7, kExclusive);
  expect_ticket(node_prefix(kUuid, kShared) + "0000000007", 7, kShared);
  expect_ticket(node_prefix(kUuid, kWrite) + "0000000007", 7, kWrite);
  expect_ticket(node_prefix(kUuid, spi::Mode::permit) + "0000000007", 7, spi::Mode::permit);
}

TEST(Node, of_curators_mutex_is_exclusive) { expect_ticket(curator("0000000042"), 42, kExclusive); }

TEST(Node, of_curators_read_write_lock_is_what_it_says) {
  expect_ticket("_c_" + std::string(kUuid) + "-__READ__0000000003", 3, kShared);
  expect_ticket("_c_" + std::string(kUuid) + "-__WRIT__0000000004", 4, kWrite);
}

TEST(Node, of_curator_without_protection_is_a_ticket_too) {
  expect_ticket("lock-0000000005", 5, kExclusive);
  expect_ticket("__READ__0000000005", 5, kShared);
  expect_ticket("__WRIT__0000000005", 5, kWrite);
}

TEST(Node, of_go_zookeeper_is_exclusive) {
  expect_ticket("_c_" + std::string(kHex) + "-lock-0000000006", 6, kExclusive);
}

TEST(Node, of_kazoo_is_what_it_says) {
  expect_ticket(std::string(kHex) + "__lock__0000000007", 7, kExclusive);
  expect_ticket(std::string(kHex) + "__rlock__0000000008", 8, kShared);
}

TEST(Node, of_zookeepers_recipe_is_exclusive_with_a_session_in_decimal_or_hex) {
  expect_ticket("x-72057594037927936-0000000009", 9, kExclusive);
  expect_ticket("x--72057594037927936-0000000009", 9, kExclusive);
  expect_ticket("x-0x100000000000000-0000000010", 10, kExclusive);
  expect_ticket("x-100012ab34cd0001-0000000011", 11, kExclusive);
}

TEST(Node, has_the_sequence_behind_its_last_marker_as_in_curator) {
  expect_ticket("_c_lock-1-lock-0000000002", 2, kExclusive);
  expect_ticket("_c___READ__9-lock-0000000002", 2, kExclusive);
  expect_ticket("_c_lock-7-__READ__0000000002", 2, kShared);
}

TEST(Node, may_have_a_negative_sequence) {
  expect_ticket(curator("-2147483648"), -2'147'483'648, kExclusive);
  expect_ticket(curator("-000000001"), -1, kExclusive);
  expect_ticket(std::string(kHex) + "__lock__-2147483647", -2'147'483'647, kExclusive);
}

TEST(Node, of_zookeepers_recipe_may_have_a_negative_sequence) {
  expect_ticket("x-72057594037927936--2147483647", -2'147'483'647, kExclusive);
}

TEST(Node, that_is_no_ticket_is_nothing) {
  for (const auto* stray : {"0",
                            "!x",
                            "locks",
                            "leases",
                            "",
                            "lock",
                            "lock-",
                            "x-",
                            "x-abc",
                            "_c_",
                            "-",
                            "lock-12x",
                            "lock-x12",
                            "lock- 12",
                            "lock-+12",
                            "lock-0x1",
                            "__READ__",
                            "__lock__",
                            "lock-99999999999999999999",
                            "lock-1",  // a name below another one, not what a server numbers
                            "_c_lease-123456789",
                            "0000000001"}) {
    EXPECT_FALSE(parse_node(stray)) << stray;
  }
}

TEST(HasUid, is_true_for_a_node_that_was_made_with_it) {
  EXPECT_TRUE(has_uid(curator("0000000001"), kUuid));
  EXPECT_TRUE(has_uid(node_prefix(kUuid, kShared) + "0000000001", kUuid));
  EXPECT_TRUE(has_uid("_c_" + std::string(kHex) + "-lock-0000000001", kHex));
}

TEST(HasUid, is_false_for_every_other_node) {
  EXPECT_FALSE(has_uid(curator("0000000001"), kOtherUuid));
  EXPECT_FALSE(has_uid(std::string(kUuid) + "-lock-0000000001", kUuid));
  EXPECT_FALSE(has_uid("_c_x" + std::string(kUuid) + "-lock-0000000001", kUuid));
  EXPECT_FALSE(has_uid("_c_" + std::string(kHex) + "-lock-0000000001", kUuid));
  EXPECT_FALSE(has_uid("_c_", kUuid));
  EXPECT_FALSE(has_uid("", kUuid));
  EXPECT_FALSE(has_uid("_c_" + std::string(kUuid), kUuid)) << "a uid and nothing behind it is no ticket";
}

TEST(HasUid, is_false_for_a_uid_that_only_begins_alike) {
  EXPECT_FALSE(has_uid(curator("0000000001", std::string(kUuid) + "d"), kUuid));
  EXPECT_FALSE(has_uid(curator("0000000001"), std::string(kUuid).substr(0, 35)));
}

TEST(Children, are_in_the_order_of_their_sequences_whoever_made_them) {
  const auto children = sort_children(
      {"x-1-0000000004", curator("0000000002"), std::string(kHex) + "__lock__0000000003",
       "_c_" + std::string(kHex) + "-lock-0000000000", "_c_" + std::string(kUuid) + "-__READ__0000000001"});
  EXPECT_EQ(sequences(children.tickets), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(Children, are_ordered_by_number_not_by_text) {
  const auto children =
      sort_children({curator("10000000000"), curator("0999999999"), curator("00000000009"), curator("0000000010")});
  EXPECT_EQ(children.tickets[0].sequence, 9);
  EXPECT_EQ(children.tickets[1].sequence, 10);
}

TEST(Children, keep_their_order_where_the_counter_wraps) {
  std::vector<std::string> nodes{curator("-2147483647"), curator("2147483646"), curator("-2147483648"),
                                 curator("2147483647")};
  std::sort(nodes.begin(), nodes.end());
  do {
    ASSERT_EQ(sequences(sort_children(nodes).tickets),
              (std::vector<std::int64_t>{2'147'483'646, 2'147'483'647, -2'147'483'648, -2'147'483'647}));
  } while (std::next_permutation(nodes.begin(), nodes.end()));
}

TEST(Children, of_zookeepers_recipe_keep_their_order_where_the_counter_wraps) {
  const auto children = sort_children({"x-1--2147483647", "x-2--2147483648", "x-3-2147483647"});
  EXPECT_EQ(ids(children.tickets), (std::vector<std::string>{"x-3-2147483647", "x-2--2147483648", "x-1--2147483647"}));
}

TEST(Children, keep_their_order_around_zero) {
  const auto children = sort_children({curator("0000000001"), curator("-000000001"), curator("0000000000")});
  EXPECT_EQ(sequences(children.tickets), (std::vector<std::int64_t>{-1, 0, 1}));
}

TEST(Children, with_equal_sequences_are_in_one_order_whichever_way_they_came) {
  std::vector<std::string> nodes{curator("0000000005", kUuid), curator("0000000005", kOtherUuid), "lock-0000000005"};
  std::sort(nodes.begin(), nodes.end());
  const auto expected = ids(sort_children(nodes).tickets);
  do {
    ASSERT_EQ(ids(sort_children(nodes).tickets), expected);
  } while (std::next_permutation(nodes.begin(), nodes.end()));
}

TEST(Children, that_are_no_tickets_are_reported_and_come_last) {
  for (const auto* stray : {"0", "!x", "locks"}) {
    const auto children = sort_children({stray, curator("0000000001")});
    EXPECT_EQ(children.stray, stray);
    EXPECT_EQ(ids(children.tickets), (std::vector<std::string>{curator("0000000001"), stray}));
    EXPECT_EQ(children.tickets.back().mode, spi::Mode::none);
  }
}

TEST(Children, that_a_lock_keeps_for_itself_are_neither_reported_nor_in_the_queue) {
  const auto children = sort_children({"_held_" + std::string(kUuid), curator("0000000001")});
  EXPECT_EQ(children.stray, "");
  EXPECT_EQ(ids(children.tickets), std::vector<std::string>{curator("0000000001")});
}

TEST(Children, of_one_lock_alone_are_not_reported) {
  const auto read_write =
      sort_children({node_prefix(kUuid, kShared) + "0000000001", node_prefix(kUuid, kWrite) + "0000000002"});
  EXPECT_EQ(read_write.foreign, "");
  const auto permits = sort_children({node_prefix(kUuid, spi::Mode::permit) + "0000000001"});
  EXPECT_EQ(permits.foreign, "");
}

// Curator's own read/write lock looks only at nodes with its two markers.
TEST(Children, whose_makers_do_not_wait_for_us_are_reported_and_count) {
  for (const auto& foreign :
       {std::string(kHex) + "__lock__0000000000", std::string(kHex) + "__rlock__0000000000",
        "_c_" + std::string(kUuid) + "-__READ__0000000000", "_c_" + std::string(kUuid) + "-__WRIT__0000000000",
        std::string("x-72057594037927936-0000000000")}) {
    const auto children = sort_children({curator("0000000001"), foreign});
    EXPECT_EQ(children.foreign, foreign);
    EXPECT_EQ(ids(children.tickets), (std::vector<std::string>{foreign, curator("0000000001")}));
  }
}

// Ours are known by their version of UUID.
TEST(Children, of_our_mutex_and_of_our_read_write_lock_are_not_reported) {
  const auto ours = [](const char* sequence, spi::Mode mode) {
    return node_prefix(base::random_uuid(), mode) + sequence;
  };
  const std::vector<std::string> mixed{ours("0000000001", kExclusive), ours("0000000002", kShared),
                                       ours("0000000003", kWrite)};
  EXPECT_EQ(sort_children(mixed).foreign, "");
  // But as soon as one of Curator's is among them, which waits for its own kind only.
  for (const auto mode : {kExclusive, kShared, kWrite}) {
    auto with_curator = mixed;
    with_curator.push_back(node_prefix(kUuid, mode) + "0000000004");
    EXPECT_EQ(sort_children(with_curator).foreign, with_curator.back());
  }
  EXPECT_EQ(sort_children({ours("0000000001", kShared), node_prefix(kUuid, kWrite) + "0000000002"}).foreign, "");
  EXPECT_EQ(sort_children({ours("0000000001", kExclusive), curator("0000000002")}).foreign, "");
}

TEST(Recipe, of_ours_is_known_when_the_card_was_overwritten) {
  EXPECT_EQ(recipe_of(node_prefix(base::random_uuid(), kExclusive) + "0000000001", "__REVOKE__"), "Holdfast");
}

TEST(Children, of_curators_mutex_and_of_go_zookeeper_are_neither_foreign_nor_stray) {
  const auto children = sort_children({curator("0000000001"), "_c_" + std::string(kHex) + "-lock-0000000002"});
  EXPECT_EQ(children.foreign, "");
  EXPECT_EQ(children.stray, "");
  EXPECT_EQ(children.tickets.size(), 2u);
}

TEST(Children, of_an_empty_queue_are_none) {
  const auto children = sort_children({});
  EXPECT_TRUE(children.tickets.empty());
  EXPECT_EQ(children.foreign, "");
  EXPECT_EQ(children.stray, "");
}

// Every client that may write there can name a node as it likes. On a circle "before" is no order once the sequences span half
// of it, and std::sort may do anything with a comparison that is none; AddressSanitizer watches.
TEST(Children, with_sequences_all_around_the_circle_do_no_harm) {
  std::vector<std::string> nodes;
  std::uint32_t x = 1;
  for (int i = 0; i < 1'000; ++i) {
    x = x * 1'664'525 + 1'013'904'223;
    nodes.push_back(curator(std::to_string(static_cast<std::int32_t>(x))));
  }
  auto sorted = ids(sort_children(nodes).tickets);
  ASSERT_EQ(sorted.size(), nodes.size());
  std::sort(sorted.begin(), sorted.end());
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(sorted, nodes);
}

TEST(Children, on_opposite_sides_of_the_circle_do_no_harm) {
  std::vector<std::string> nodes;
  for (int i = 0; i < 40; ++i) {
    nodes.push_back(i == 20 ? curator("0000000000") : "_c_" + std::to_string(i) + "-lock--2147483648");
  }
  auto sorted = ids(sort_children(nodes).tickets);
  ASSERT_EQ(sorted.size(), nodes.size());
  std::sort(sorted.begin(), sorted.end());
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(sorted, nodes);
}

TEST(NearOverflow, begins_right_after_the_last_sequence) {
  EXPECT_FALSE(near_overflow(0));
  EXPECT_FALSE(near_overflow(1));
  EXPECT_FALSE(near_overflow(kLastSequence));
  EXPECT_TRUE(near_overflow(kLastSequence + 1));
  EXPECT_TRUE(near_overflow(std::numeric_limits<std::int32_t>::max()));
}

TEST(NearOverflow, includes_every_negative_sequence) {
  EXPECT_TRUE(near_overflow(-1));
  EXPECT_TRUE(near_overflow(std::numeric_limits<std::int32_t>::min()));
  EXPECT_TRUE(near_overflow(std::numeric_limits<std::int64_t>::min()));
}

TEST(NearOverflow, leaves_room_for_the_tickets_of_clients_that_do_not_look) {
  EXPECT_GE(std::numeric_limits<std::int32_t>::max() - kLastSequence, 100'000);
}

}  // namespace
}  // namespace holdfast::zookeeper
