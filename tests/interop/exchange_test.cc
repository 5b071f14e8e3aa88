// Each waits for the other: one step at a time, for every make that is not ours.
#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortWait = 300ms;

class Exchange : public Interop {
 protected:
  void ours_waits_until_released_by(Make make) {
    auto& other = start(make);
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

  void waits_until_ours_releases(Make make) {
    auto& other = start(make);
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

  void ours_reports_the_holder(Make make) {
    auto& other = start(make);
    other.acquire();
    auto client = connect();
    auto mutex = client.mutex(kPath);
    const auto result = mutex.try_acquire_for(kShortWait);
    EXPECT_EQ(result.error(), Errc::timed_out);
    EXPECT_EQ(result.ahead(), 1U);
    ASSERT_TRUE(result.holder());
    EXPECT_EQ(result.holder()->address, queue().front().data);  // kazoo writes none
  }
};

TEST_F(Exchange, ours_waits_until_curator_releases) { ours_waits_until_released_by(Make::curator); }
TEST_F(Exchange, ours_waits_until_kazoo_releases) { ours_waits_until_released_by(Make::kazoo); }
TEST_F(Exchange, curator_waits_until_ours_releases) { waits_until_ours_releases(Make::curator); }
TEST_F(Exchange, kazoo_waits_until_ours_releases) { waits_until_ours_releases(Make::kazoo); }
TEST_F(Exchange, ours_reports_that_curator_holds) { ours_reports_the_holder(Make::curator); }
TEST_F(Exchange, ours_reports_that_kazoo_holds) { ours_reports_the_holder(Make::kazoo); }

}  // namespace
}  // namespace holdfast::testing
