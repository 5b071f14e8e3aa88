#include "engine/acl.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace holdfast::engine {
namespace {

using wire::Acl;
using wire::AclList;
using wire::Id;
namespace permission = wire::permission;

const Acl kAnyone{permission::kAll, {"world", "anyone"}};
const Id kHere{"ip", "127.0.0.1"};
const Id kBob{"digest", "bob:secret"};

bool can_be_made(const Id& id) {
  AclList made;
  return make_acl({{permission::kAll, id}}, {}, made);
}

AclList made_of(const AclList& wanted, const Identities& who) {
  AclList made;
  EXPECT_TRUE(make_acl(wanted, who, made));
  return made;
}

TEST(MakeAcl, adds_no_long_names_by_the_hundred) {
  // Put together in place: g++ 12 sees an overflow in operator+ where there is none.
  wire::Id long_name{"digest", std::string(kMostAddedByAuth / 10, 'u')};
  long_name.id.append(":x");
  wire::AclList wanted;
  wire::AclList made;
  for (std::int32_t permissions = 1; permissions <= 9; ++permissions) wanted.push_back({permissions, {"auth", ""}});
  EXPECT_TRUE(make_acl(wanted, {long_name}, made));
  EXPECT_EQ(made.size(), 9U);
  wanted.push_back({10, {"auth", ""}});
  EXPECT_FALSE(make_acl(wanted, {long_name}, made));
}

TEST(Acl, no_list_allows_everything) {
  const AclList none;
  EXPECT_TRUE(is_allowed(nullptr, permission::kAdmin, {}));
  EXPECT_TRUE(is_allowed(&none, permission::kAdmin, {}));
}

TEST(Acl, allows_what_it_says_and_no_more) {
  const AclList list{{permission::kRead | permission::kWrite, {"world", "anyone"}}};
  EXPECT_TRUE(is_allowed(&list, permission::kRead, {}));
  EXPECT_TRUE(is_allowed(&list, permission::kWrite, {}));
  EXPECT_FALSE(is_allowed(&list, permission::kCreate, {}));
  EXPECT_FALSE(is_allowed(&list, permission::kDelete, {}));
  EXPECT_FALSE(is_allowed(&list, permission::kAdmin, {}));
}

TEST(Acl, permissions_of_several_entries_add_up) {
  const AclList list{{permission::kRead, {"world", "anyone"}}, {permission::kWrite, kBob}};
  EXPECT_TRUE(is_allowed(&list, permission::kRead, {kBob}));
  EXPECT_TRUE(is_allowed(&list, permission::kWrite, {kHere, kBob}));
  EXPECT_FALSE(is_allowed(&list, permission::kWrite, {kHere}));
}

TEST(Acl, the_superuser_may_do_everything) {
  const AclList no_permissions{{0, {"world", "anyone"}}};
  EXPECT_FALSE(is_allowed(&no_permissions, permission::kRead, {kBob}));
  EXPECT_TRUE(is_allowed(&no_permissions, permission::kRead, {kBob, {"super", ""}}));
}

TEST(Acl, a_digest_is_compared_as_a_whole_and_within_its_scheme) {
  const AclList list{{permission::kAll, kBob}};
  EXPECT_FALSE(is_allowed(&list, permission::kRead, {{"digest", "bob:secre"}}));
  EXPECT_FALSE(is_allowed(&list, permission::kRead, {{"digest", "bob:secret:"}}));
  EXPECT_FALSE(is_allowed(&list, permission::kRead, {{"ip", "bob:secret"}}));
}

TEST(Acl, an_address_is_matched_by_its_network) {
  const auto allows = [](const char* network, const char* address) {
    const AclList list{{permission::kAll, {"ip", network}}};
    return is_allowed(&list, permission::kRead, {{"ip", address}});
  };
  EXPECT_TRUE(allows("10.1.2.3", "10.1.2.3"));
  EXPECT_FALSE(allows("10.1.2.3", "10.1.2.4"));
  EXPECT_TRUE(allows("10.1.2.3/32", "10.1.2.3"));
  EXPECT_TRUE(allows("10.1.2.0/31", "10.1.2.1"));
  EXPECT_FALSE(allows("10.1.2.0/31", "10.1.2.2"));
  EXPECT_TRUE(allows("10.255.0.0/8", "10.1.2.3"));
  EXPECT_FALSE(allows("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(allows("255.255.255.255/0", "0.0.0.0"));
  EXPECT_FALSE(allows("0.0.0.0/0", "::1"));
}

TEST(Acl, of_the_world_means_anyone) {
  EXPECT_TRUE(can_be_made({"world", "anyone"}));
  EXPECT_FALSE(can_be_made({"world", ""}));
  EXPECT_FALSE(can_be_made({"world", "Anyone"}));
}

TEST(Acl, of_an_address_must_be_one) {
  for (const auto* good : {"1.2.3.4", "0.0.0.0", "255.255.255.255", "10.0.0.0/8", "1.2.3.4/0", "1.2.3.4/32"}) {
    EXPECT_TRUE(can_be_made({"ip", good})) << good;
  }
  for (const auto* bad :
       {"", "1.2.3", "1.2.3.", ".1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-1", "a.b.c.d", "1.2.3.4/", "1.2.3.4/33",
        "1.2.3.4/-1", "1.2.3.4/8/8", "1.2.3.4 ", "::1", "1..2.3", "99999999999.1.1.1"}) {
    EXPECT_FALSE(can_be_made({"ip", bad})) << bad;
  }
}

// By what Java's split(":") makes of it.
TEST(Acl, of_a_digest_has_a_user_and_a_secret) {
  for (const auto* good : {"a:b", ":b", "a:b:", "a:b::"}) EXPECT_TRUE(can_be_made({"digest", good})) << good;
  for (const auto* bad : {"", ":", "::", "a", "a:", "a::", "a:b:c", "a::b", "::b"}) {
    EXPECT_FALSE(can_be_made({"digest", bad})) << bad;
  }
}

TEST(Acl, of_unknown_schemes_cannot_be_made) {
  for (const auto* scheme : {"", "super", "sasl", "x509", "World"}) EXPECT_FALSE(can_be_made({scheme, "anyone"}));
}

TEST(Acl, without_entries_cannot_be_made) {
  AclList made{kAnyone};
  EXPECT_FALSE(make_acl({}, {kBob}, made));
}

TEST(Acl, auth_becomes_what_was_proven) {
  const Id alice{"digest", "alice:x"};
  EXPECT_EQ(made_of({{permission::kRead, {"auth", "ignored"}}}, {kHere, kBob, alice}),
            (AclList{{permission::kRead, kBob}, {permission::kRead, alice}}));
}

TEST(Acl, auth_of_somebody_who_has_proven_nothing_cannot_be_made) {
  AclList made;
  EXPECT_FALSE(make_acl({{permission::kAll, {"auth", ""}}}, {kHere}, made));
  EXPECT_FALSE(make_acl({kAnyone, {permission::kAll, {"auth", ""}}}, {kHere}, made));
}

TEST(Acl, duplicates_are_dropped_and_the_order_is_kept) {
  const Acl reader{permission::kRead, {"world", "anyone"}};
  EXPECT_EQ(made_of({reader, kAnyone, reader, kAnyone}, {}), (AclList{reader, kAnyone}));
}

// As many as fit into one frame. In less than a second even when every instruction is watched; comparing each with all
// before it takes minutes then.
TEST(Acl, a_long_list_of_duplicates_takes_no_time_to_make) {
  AclList wanted;
  for (int i = 0; i < 50'000; ++i) wanted.push_back({1, {"digest", "u:" + std::to_string(i % 4'000)}});
  EXPECT_EQ(made_of(wanted, {}).size(), 4'000u);
}

TEST(Acl, digests_are_not_shown_to_everybody) {
  const AclList list{kAnyone, {permission::kRead, kBob}, {permission::kRead, {"ip", "1.2.3.4"}}};
  EXPECT_EQ(without_secrets(list),
            (AclList{kAnyone, {permission::kRead, {"digest", "bob:x"}}, {permission::kRead, {"ip", "1.2.3.4"}}}));
}

TEST(AclTable, keeps_a_list_once_for_all_its_users) {
  AclTable table;
  const auto* first = table.use({kAnyone});
  const auto* second = table.use({kAnyone});
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->users, 2u);
  const auto* other = table.use({{permission::kRead, kBob}});
  EXPECT_NE(first, other);
  EXPECT_EQ(table.size(), 2u);
  table.release(first);
  EXPECT_EQ(second->list, AclList{kAnyone});
  table.release(second);
  EXPECT_EQ(table.size(), 1u);
  table.release(other);
  table.release(nullptr);
  EXPECT_EQ(table.size(), 0u);
}

TEST(MakeAcl, refuses_a_list_that_is_longer_than_any_real_one_also_once_auth_is_replaced) {
  AclList made;
  AclList wanted;
  for (std::size_t i = 0; i < kLongestAcl; ++i) wanted.push_back({static_cast<std::int32_t>(i), {"world", "anyone"}});
  EXPECT_TRUE(make_acl(wanted, {}, made));
  wanted.push_back({-1, {"world", "anyone"}});
  EXPECT_FALSE(make_acl(wanted, {}, made));

  const Identities both{{"digest", "a:b"}, {"digest", "c:d"}};
  wanted.clear();
  for (std::size_t i = 0; i <= kLongestAcl / 2; ++i) wanted.push_back({static_cast<std::int32_t>(i), {"auth", ""}});
  EXPECT_FALSE(make_acl(wanted, both, made));
}

// An encoding that runs together would make one of these.
TEST(AclTable, tells_lists_apart_whose_texts_run_together) {
  AclTable table;
  EXPECT_NE(table.use({{1, {"ab", "c"}}}), table.use({{1, {"a", "bc"}}}));
}

// Long lists have an index. It says what reading them says.
TEST(AclIndex, allows_what_the_list_allows) {
  std::mt19937 random(5);
  const auto id = [&]() -> wire::Id {
    switch (random() % 4) {
      case 0:
        return {"ip", "10.0." + std::to_string(random() % 3) + "." + std::to_string(random() % 4) +
                          (random() % 2 == 0 ? "/24" : "")};
      case 1: return {"digest", "user" + std::to_string(random() % 40) + ":x"};
      case 2: return {"ip", "10.0.0.0/" + std::to_string(random() % 33)};
      default: return {"digest", "user" + std::to_string(random() % 400) + ":x"};
    }
  };
  for (int round = 0; round < 300; ++round) {
    wire::AclList list;
    for (int i = 0; i < 17; ++i) list.push_back({static_cast<std::int32_t>(1U << random() % 5), id()});
    if (random() % 10 == 0) list.push_back({wire::permission::kRead, {"world", "anyone"}});
    Identities who{{"ip", "10.0.1." + std::to_string(random() % 4)}};
    for (int i = 0; i < 5; ++i) who.push_back({"digest", "user" + std::to_string(random() % 40) + ":x"});
    if (random() % 20 == 0) who.push_back({"super", ""});
    AclTable table;
    const auto* entry = table.use(list);
    ASSERT_NE(entry->index, nullptr);
    const Permissions permissions(who);
    for (const auto permission : {1, 2, 4, 8, 16, 17, 31}) {
      ASSERT_EQ(allows(entry, permission, who), is_allowed(&list, permission, who)) << round;
      ASSERT_EQ(permissions.allow(entry, permission), is_allowed(&list, permission, who)) << round;
    }
    table.release(entry);
  }
}

}  // namespace
}  // namespace holdfast::engine
