// What ours can say of a holder of another make.
#include "interop.h"

namespace holdfast::testing {
namespace {

class HolderReport : public Interop {
 protected:
  void of_ours_shows(Make make) {
    auto& other = start(make);
    other.acquire();
    auto client = connect();
    auto mutex = client.mutex(kPath);
    const auto result = mutex.try_acquire_for(kShortWait);
    EXPECT_EQ(result.error(), Errc::timed_out);
    EXPECT_EQ(result.ahead(), 1U);
    ASSERT_TRUE(result.holder());
    EXPECT_EQ(result.holder()->address,
              queue().front().data);  // kazoo writes none
  }
};

TEST_F(HolderReport, of_ours_shows_that_curator_holds) { of_ours_shows(Make::curator); }
TEST_F(HolderReport, of_ours_shows_that_kazoo_holds) { of_ours_shows(Make::kazoo); }

}  // namespace
}  // namespace holdfast::testing
