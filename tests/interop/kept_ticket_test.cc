// docs/semantics.md, "Kept tickets": a rival of any library gets what a client of ours only keeps.
#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class KeptTicketRival : public Interop, public ::testing::WithParamInterface<Make> {
 protected:
  // Longer than a test takes: what is given back is given back to the rival.
  Client client_ = connect({.session_timeout = kLongSession, .hand_over = {.keep = 60s}});
};

TEST_P(KeptTicketRival, is_granted_what_is_not_in_use_and_then_waited_for) {
  auto& rival = start(GetParam());
  auto mutex = client_.mutex(kPath);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) mutex.acquire().release();
    // After a rival was seen nothing is kept for a while; `keep` is long, so only the first round keeps a ticket.
    if (round == 0) {
      ASSERT_EQ(queue().size(), 1U) << "it is not kept";
    }
    rival.acquire();
    EXPECT_FALSE(mutex.try_acquire_for(kShortWait));
    rival.release();
  }
}

TEST_P(KeptTicketRival, is_granted_what_is_in_use_with_its_release) {
  auto& rival = start(GetParam());
  auto mutex = client_.mutex(kPath);
  for (int i = 0; i < 3; ++i) mutex.acquire().release();
  auto lease = mutex.acquire();
  rival.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  EXPECT_EQ(rival.reply(kShortWait), std::nullopt) << "two hold it";
  EXPECT_FALSE(lease.release());
  rival.expect("acquired ");
  rival.release();
}

// Its first try fails, as if the lock were held; but it has been seen.
TEST_P(KeptTicketRival, that_does_not_wait_long_is_granted_it_in_the_end) {
  auto& rival = start(GetParam());
  auto mutex = client_.mutex(kPath);
  for (int i = 0; i < 3; ++i) mutex.acquire().release();
  ASSERT_EQ(queue().size(), 1U);
  EXPECT_TRUE(eventually(kSoon, [&] { return rival.acquire_within(1ms).has_value(); }));
  rival.release();
}

INSTANTIATE_TEST_SUITE_P(All, KeptTicketRival, ::testing::Values(Make::holdfast, Make::curator, Make::kazoo),
                         [](const auto& instance) { return std::string("of_") + to_string(instance.param); });

}  // namespace
}  // namespace holdfast::testing
