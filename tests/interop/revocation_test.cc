// Somebody of one make asks for a lock that somebody of another make holds.
#include <future>

#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

struct Roles {
  Make holder;
  Make asker;
};

class Revoking : public Interop, public ::testing::WithParamInterface<Roles> {};

TEST_P(Revoking, tells_the_holder_who_keeps_the_lock_until_it_releases) {
  auto& holder = start(GetParam().holder, "revocable");
  auto& asker = start(GetParam().asker, "mutex");
  for (int round = 0; round < 2; ++round) {  // it has to listen for every hold
    SCOPED_TRACE(round);
    holder.forget_revoked();
    holder.acquire();
    EXPECT_EQ(asker.acquire_within(kShortWait), std::nullopt);
    EXPECT_EQ(holder.revoked_at(), std::nullopt);
    asker.revoke();
    ASSERT_TRUE(holder.wait_revoked(kSoon));
    EXPECT_EQ(asker.acquire_within(kShortWait), std::nullopt) << "it was a request, not an order";
    holder.release();
    asker.acquire();
    asker.release();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Revoking,
                         ::testing::Values(Roles{Make::holdfast, Make::holdfast}, Roles{Make::holdfast, Make::curator},
                                           Roles{Make::curator, Make::holdfast}, Roles{Make::holdfast, Make::kazoo},
                                           Roles{Make::kazoo, Make::holdfast}),
                         [](const auto& instance) {
                           return std::string(to_string(instance.param.holder)) + "_asked_by_" +
                                  to_string(instance.param.asker);
                         });

class RevokingCurator : public Interop {};

TEST_F(RevokingCurator, says_that_the_holder_gave_the_lock_back_and_leaves_it_to_who_waits) {
  auto& holder = start(Make::curator, "revocable");
  auto& waiter = start(Make::kazoo);
  holder.acquire();
  waiter.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  auto client = connect();
  auto revocation = std::async(std::launch::async, [&] { return client.revoke(kPath, kSoon); });
  ASSERT_TRUE(holder.wait_revoked(kSoon));
  holder.release();
  const auto result = revocation.get();
  EXPECT_EQ(result.asked, 1U);
  EXPECT_EQ(result.gone, 1U);
  EXPECT_EQ(result.broken, 0U);
  waiter.expect("acquired ");
}

TEST_F(RevokingCurator, by_force_removes_a_holder_that_does_not_listen) {
  auto& holder = start(Make::curator);
  auto& waiter = start(Make::kazoo);
  holder.acquire();
  waiter.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  auto client = connect();
  EXPECT_EQ(client.revoke(kPath, kShortWait).gone, 0U);
  EXPECT_EQ(waiter.reply(0ms), std::nullopt);
  const auto result = client.revoke(kPath, kShortWait, Client::Force::yes);
  EXPECT_EQ(result.asked, 1U);
  EXPECT_EQ(result.broken, 1U);
  waiter.expect("acquired ");
  EXPECT_EQ(queue().size(), 1U);
}

TEST_F(RevokingCurator, asks_all_who_read_and_nobody_who_waits) {
  auto& reader = start(Make::curator, "read");
  auto& other_reader = start(Make::kazoo, "read");
  auto& writer = start(Make::curator, "write");
  reader.acquire();
  other_reader.acquire();
  writer.send("acquire");
  ASSERT_TRUE(queue_becomes(3));
  EXPECT_EQ(connect().revoke(kPath, 0ms).asked, 2U);
  const auto nodes = queue();
  EXPECT_EQ(nodes[0].data, "__REVOKE__");
  EXPECT_EQ(nodes[1].data, "__REVOKE__");
  EXPECT_NE(nodes[2].data, "__REVOKE__");
  EXPECT_EQ(writer.reply(0ms), std::nullopt);
}

}  // namespace
}  // namespace holdfast::testing
