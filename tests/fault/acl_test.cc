// docs/semantics.md, "Permissions".
#include "network.h"

namespace holdfast::testing {
namespace {

class Acl : public Network {
 protected:
  // The number of children, which needs no permission to know.
  int children_of(const std::string& path) {
    Stat stat{};
    EXPECT_EQ(zoo_exists(observer_.handle(), path.c_str(), 0, &stat), ZOK);
    return stat.numChildren;
  }

  void create(const std::string& path, int permissions) {
    char world[] = "world";
    char anyone[] = "anyone";
    ACL entry{permissions, {world, anyone}};
    const ACL_vector acl{1, &entry};
    ASSERT_EQ(zoo_create(observer_.handle(), path.c_str(), "", 0, &acl, 0, nullptr, 0), ZOK);
  }

  const std::vector<Auth> auth_{{"digest", "alice:secret"}};
};

TEST_F(Acl, nodes_and_parents_carry_what_was_asked_for) {
  auto client = connect_directly({.zookeeper = {.auth = auth_, .acl = {{"auth", ""}}}});
  auto mutex = client.mutex("private/orders/1");
  auto lease = mutex.acquire();
  for (const auto& path : {std::string("/private"), std::string("/private/orders"), mutex.path(), lease.ticket()}) {
    ACL_vector acl{};
    Stat stat{};
    EXPECT_EQ(zoo_get_acl(observer_.handle(), path.c_str(), &acl, &stat), ZNOAUTH) << path << " is open to everybody";
  }
  auto stranger = connect_directly();
  const auto result = stranger.mutex("private/orders/1").try_acquire_for(5s);
  EXPECT_EQ(result.error(), Errc::refused) << result.message();
  EXPECT_NE(result.message().find("/private/orders/1"), std::string::npos) << result.message();
}

TEST_F(Acl, an_ancestor_that_may_not_be_read_is_no_obstacle) {
  create("/a", ZOO_PERM_CREATE);
  create("/a/b", ZOO_PERM_ALL);
  auto client = connect_directly();
  auto mutex = client.mutex("a/b/lock");
  EXPECT_TRUE(mutex.try_lock_for(kSoon));
  mutex.unlock();
}

TEST_F(Acl, a_queue_that_may_not_be_listed_is_refused_and_nothing_is_left) {
  create("/blind", ZOO_PERM_CREATE | ZOO_PERM_DELETE);
  auto client = connect();
  auto mutex = client.mutex("blind");
  const auto result = mutex.try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused) << result.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return children_of("/blind") == 0; })) << "a ghost, after: " << result.message();
}

TEST_F(Acl, a_queue_that_may_not_be_written_is_refused) {
  create("/readonly", ZOO_PERM_READ);
  auto client = connect_directly();
  EXPECT_EQ(client.mutex("readonly").try_acquire_for(kSoon).error(), Errc::refused);
}

TEST_F(Acl, a_queue_that_may_not_be_made_is_refused_at_once) {
  create("/closed", ZOO_PERM_READ);
  auto client = connect_directly();
  const auto start = Clock::now();
  const auto result = client.mutex("closed/orders/1").try_acquire_for(60s);
  EXPECT_EQ(result.error(), Errc::refused) << result.message();
  EXPECT_NE(result.message().find("/closed/orders"), std::string::npos) << result.message();
  EXPECT_LT(Clock::now() - start, 30s);
}

TEST_F(Acl, a_queue_below_a_closed_node_that_exists_is_made) {
  create("/closed", ZOO_PERM_ALL);
  create("/closed/open", ZOO_PERM_ALL);
  char world[] = "world";
  char anyone[] = "anyone";
  ACL entry{ZOO_PERM_READ, {world, anyone}};
  const ACL_vector read_only{1, &entry};
  ASSERT_EQ(zoo_set_acl(observer_.handle(), "/closed", -1, &read_only), ZOK);
  auto client = connect_directly();
  EXPECT_TRUE(client.mutex("closed/open/orders/1").try_acquire_for(kSoon));
}

// The server would not tell us when it goes.
TEST_F(Acl, a_predecessor_that_may_not_be_read_is_refused_and_nothing_is_left) {
  create("/mixed", ZOO_PERM_ALL);
  auto owner = connect_directly({.zookeeper = {.auth = auth_, .acl = {{"auth", ""}}}});
  auto theirs = owner.mutex("mixed");
  auto lease = theirs.acquire();
  auto client = connect_directly();
  auto mutex = client.mutex("mixed");
  const auto result = mutex.try_acquire_for(kSoon);
  EXPECT_EQ(result.error(), Errc::refused) << result.message();
  EXPECT_TRUE(eventually(kSoon, [&] { return tickets("mixed").size() == 1; }));
  EXPECT_TRUE(lease.is_held());
}

TEST_F(Acl, credentials_of_a_scheme_that_the_server_does_not_know_are_refused) {
  try {
    auto client = connect_directly({.zookeeper = {.auth = {{"nonsense", "x"}}}});
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused) << error.what();
    EXPECT_NE(std::string(error.what()).find("credentials"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace holdfast::testing
