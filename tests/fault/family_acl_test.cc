// docs/semantics.md, "Permissions", for permits, readers and inspection.
#include "family_network.h"

namespace holdfast::testing {
namespace {

class FamilyAcl : public FamilyNetwork {
 protected:
  const std::vector<Auth> auth_{{"digest", "alice:secret"}};
};

TEST_F(FamilyAcl, permits_that_may_not_be_written_are_refused_and_nothing_is_left) {
  create("/s", ZOO_PERM_ALL);
  create("/s/leases", ZOO_PERM_READ);
  auto client = connect_directly();
  const auto result = client.semaphore("s", 1).try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_NE(result.message().find("/s/leases"), std::string::npos) << result.message();
  expect_nothing_left("s");
}

TEST_F(FamilyAcl, permits_that_may_not_be_listed_are_refused_and_nothing_is_left) {
  create("/s", ZOO_PERM_ALL);
  create("/s/leases", ZOO_PERM_CREATE | ZOO_PERM_DELETE);
  auto client = connect_directly();
  for (const int permits : {1, 2}) {
    const auto result = client.semaphore("s", 2).try_acquire_for(kSoon, permits);
    EXPECT_EQ(result.error(), Errc::refused);
    EXPECT_NE(result.message().find("/s/leases"), std::string::npos) << result.message();
    EXPECT_TRUE(eventually(kSoon, [&] { return children_of("/s/leases") == 0; })) << "a ghost";
    EXPECT_TRUE(empties("s/locks"));
  }
}

// Curator: testSomeReleasesFail.
TEST_F(FamilyAcl, of_several_names_all_are_released_but_those_that_may_not_be) {
  for (const auto* path : {"/a", "/b", "/c"}) create(path, ZOO_PERM_ALL);
  auto client = connect_directly();
  auto multi = client.multi_lock({{"a"}, {"b"}, {"c"}});
  auto lease = multi.acquire();
  char scheme[] = "world";
  char anyone[] = "anyone";
  ACL no_delete{ZOO_PERM_READ | ZOO_PERM_CREATE | ZOO_PERM_ADMIN, {scheme, anyone}};
  const ACL_vector acl{1, &no_delete};
  ASSERT_EQ(zoo_set_acl(observer_.handle(), "/b", -1, &acl), ZOK);
  lease.release();
  EXPECT_TRUE(empties("a"));
  EXPECT_TRUE(empties("c"));
  EXPECT_EQ(tickets("b").size(), 1U);
  auto rival = connect_directly();
  auto others = rival.multi_lock({{"c"}, {"a"}});
  EXPECT_TRUE(others.try_lock_for(kSoon));
  others.unlock();
  client.close();
  EXPECT_TRUE(empties("b")) << "it goes with the session";
}

TEST_F(FamilyAcl, a_writer_that_may_not_be_read_is_refused_to_a_reader_and_nothing_is_left) {
  create("/mixed", ZOO_PERM_ALL);
  auto owner = connect_directly({.zookeeper = {.auth = auth_, .acl = {{"auth", ""}}}});
  auto theirs = owner.shared_mutex("mixed");
  auto lease = theirs.acquire();
  auto client = connect_directly();
  const auto result = client.shared_mutex("mixed").try_acquire_shared_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused) << result.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return tickets("mixed").size() == 1; }));
  EXPECT_TRUE(lease.is_held());
}

TEST_F(FamilyAcl, a_ticket_that_may_not_be_read_is_shown_as_such_and_is_no_orphan) {
  create("/mixed", ZOO_PERM_ALL);
  auto owner = connect_directly({.zookeeper = {.auth = auth_, .acl = {{"auth", ""}}}, .purpose = "secret"});
  auto lease = owner.mutex("mixed").acquire();
  auto client = connect_directly();
  const auto lock = client.inspect("mixed");
  ASSERT_EQ(lock.tickets.size(), 1U);
  EXPECT_FALSE(lock.tickets[0].readable);
  EXPECT_TRUE(lock.tickets[0].holds);
  EXPECT_EQ(lock.tickets[0].card.purpose, "");
  EXPECT_EQ(lock.orphans, 0U);
  EXPECT_TRUE(owner.inspect("mixed").tickets.at(0).readable);
}

TEST_F(FamilyAcl, a_count_that_may_not_be_read_is_refused_and_nothing_is_left) {
  create("/s", ZOO_PERM_ALL);
  create("/s/count", ZOO_PERM_ALL, std::string("\0\0\0\1", 4));
  auto client = connect_directly();
  auto count = client.shared_count("s/count", 1);
  char world[] = "world";
  char anyone[] = "anyone";
  ACL write_only{ZOO_PERM_WRITE, {world, anyone}};
  const ACL_vector acl{1, &write_only};
  ASSERT_EQ(zoo_set_acl(observer_.handle(), "/s/count", -1, &acl), ZOK);
  const auto result = client.semaphore("s", count).try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused);
  EXPECT_NE(result.message().find("/s/count"), std::string::npos) << result.message();
  expect_nothing_left("s");
  EXPECT_THROW(client.shared_count("s/count", 1), Error);
}

TEST_F(FamilyAcl, a_count_that_may_only_be_read_can_be_used_but_not_set) {
  create("/s", ZOO_PERM_ALL);
  create("/s/count", ZOO_PERM_READ, std::string("\0\0\0\1", 4));
  auto client = connect_directly();
  auto count = client.shared_count("s/count", 7);
  EXPECT_EQ(count.get(), 1);
  try {
    count.set(2);
    FAIL() << "set";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused) << error.what();
    EXPECT_NE(std::string(error.what()).find("/s/count"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(client.semaphore("s", count).try_acquire_for(kSoon));
}

}  // namespace
}  // namespace holdfast::testing
