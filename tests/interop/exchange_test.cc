// Each waits for the other: one step at a time, for every make that is not ours.
#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortWait = 300ms;

class Exchange : public Interop, public ::testing::WithParamInterface<Make> {};

TEST_P(Exchange, ours_waits_until_the_other_releases) {
  auto& other = start(GetParam());
  auto& ours = start(Make::holdfast);
  const auto first = other.acquire();
  const auto asked = Peer::Clock::now();
  EXPECT_EQ(ours.acquire_within(kShortWait), std::nullopt);
  EXPECT_GE(Peer::Clock::now() - asked, kShortWait);
  EXPECT_TRUE(queue_becomes(1)) << "the ticket of who gave up is left behind";

  ours.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  other.release();
  const auto second = ours.expect("acquired ").substr(9);
  EXPECT_LT(std::stoull(first), std::stoull(second));
  ours.release();
  EXPECT_TRUE(queue_becomes(0));
}

TEST_P(Exchange, the_other_waits_until_ours_releases) {
  auto& other = start(GetParam());
  auto& ours = start(Make::holdfast);
  const auto first = ours.acquire();
  EXPECT_EQ(other.acquire_within(kShortWait), std::nullopt);
  EXPECT_TRUE(queue_becomes(1));

  other.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  ours.release();
  const auto second = other.expect("acquired ").substr(9);
  EXPECT_LT(std::stoull(first), std::stoull(second));
  EXPECT_EQ(ours.acquire_within(kShortWait), std::nullopt);
  other.release();
  EXPECT_TRUE(queue_becomes(0));
}

TEST_P(Exchange, ours_reports_who_it_waits_for) {
  auto& other = start(GetParam());
  other.acquire();
  auto client = connect();
  auto mutex = client.mutex(kPath);
  const auto result = mutex.try_acquire_for(kShortWait);
  EXPECT_EQ(result.error(), Errc::timed_out);
  EXPECT_EQ(result.ahead(), 1U);
}

INSTANTIATE_TEST_SUITE_P(With, Exchange, ::testing::Values(Make::curator, Make::kazoo),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace holdfast::testing
