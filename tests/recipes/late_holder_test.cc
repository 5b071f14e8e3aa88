// The whole way: a lock on ZooKeeper whose holder does not know that it lost it, and writes.
#include <zookeeper/zookeeper.h>

#include "holdfast/holdfast.h"
#include "recipe.h"
#include "support/eventually.h"
#include "support/plain_client.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class LateHolder : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr std::chrono::seconds kSoon{20};

  Client connect() { return Client::connect("zk://" + server_.address(), {.session_timeout = 6s}); }

  const ZooKeeperServer server_;
  std::unique_ptr<Recipe> recipe_ = Recipe::make(GetParam());
};

INSTANTIATE_TEST_SUITE_P(with, LateHolder, kAllRecipes, recipe_name);

TEST_P(LateHolder, whose_ticket_was_removed_is_refused_once_its_successor_has_written) {
  auto client_a = connect();
  auto client_b = connect();
  auto mutex_a = client_a.mutex("document");
  auto mutex_b = client_b.mutex("document");
  const auto store_a = recipe_->connect();
  const auto store_b = recipe_->connect();

  const Lease a = mutex_a.acquire();
  ASSERT_TRUE(store_a->write(a.token(), "by A"));
  PlainClient operator_console(server_.address());
  ASSERT_EQ(operator_console.remove(a.ticket()), ZOK);

  auto b = mutex_b.try_acquire_for(kSoon);
  ASSERT_TRUE(b) << b.message();
  // The lock is B's, but the resource has not heard of B: no recipe can know better than its own memory.
  EXPECT_TRUE(store_a->write(a.token(), "by A, late, before B"));
  ASSERT_TRUE(store_b->write(b.lease().token(), "by B"));
  EXPECT_FALSE(store_a->write(a.token(), "by A, late"));
  EXPECT_EQ(store_a->read(), (Content{b.lease().token(), "by B"}));
  EXPECT_TRUE(store_b->write(b.lease().token(), "by B, again"));
  EXPECT_TRUE(eventually(kSoon, [&] { return a.lost().stop_requested(); }));
}

TEST_P(LateHolder, whose_session_ended_is_refused_and_may_come_back_with_a_new_token) {
  auto client_a = connect();
  auto client_b = connect();
  auto mutex_a = client_a.mutex("document");
  auto mutex_b = client_b.mutex("document");
  const auto store_a = recipe_->connect();
  const auto store_b = recipe_->connect();

  const Lease a = mutex_a.acquire();
  ASSERT_TRUE(store_a->write(a.token(), "by A"));
  client_a.close();
  EXPECT_FALSE(a.is_held());

  auto b = mutex_b.try_acquire_for(kSoon);
  ASSERT_TRUE(b) << b.message();
  ASSERT_TRUE(store_b->write(b.lease().token(), "by B"));
  EXPECT_FALSE(store_a->write(a.token(), "by A, late"));
  EXPECT_EQ(store_a->read(), (Content{b.lease().token(), "by B"}));
  b.lease().release();

  auto client_again = connect();
  auto mutex_again = client_again.mutex("document");
  auto again = mutex_again.try_acquire_for(kSoon);
  ASSERT_TRUE(again) << again.message();
  EXPECT_TRUE(store_a->write(again.lease().token(), "by A again"));
  EXPECT_EQ(store_b->read()->text, "by A again");
}

}  // namespace
}  // namespace holdfast::testing
