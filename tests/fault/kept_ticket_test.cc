// docs/semantics.md, "Kept tickets", on a line that loses a request or its reply at every single step.
#include <fmt/format.h>

#include "network.h"

namespace holdfast::testing {
namespace {

class KeptTicketLoss : public Network {
 protected:
  // Uses the name until its ticket is kept, then lets a rival have it, with the nth request (or its reply) lost. False if there was none.
  bool survives_losing(bool reply, int nth) {
    const auto name = fmt::format("kept/{}-{}", reply ? "reply" : "request", nth);
    auto client = connect({.session_timeout = 5s, .hand_over = {.keep = 60s}});
    auto rival = connect_directly();
    auto mutex = client.mutex(name);
    const RequestMatch match{.nth = nth};
    const auto rule = reply ? proxy_.cut_after(match) : proxy_.cut_before(match);
    Token last = 0;
    for (int i = 0; i < 4; ++i) {
      auto result = mutex.try_acquire_for(20s);
      EXPECT_TRUE(result) << name << ": " << result.message();
      if (!result) return true;
      EXPECT_GE(result.lease().token(), last) << name;
      last = result.lease().token();
      (void)result.lease().release();  // session_lost, if the loss has cost the session
    }
    auto theirs = rival.mutex(name).try_acquire_for(20s);
    EXPECT_TRUE(theirs) << name << ": " << theirs.message();
    EXPECT_GT(theirs.lease().token(), last) << name;
    (void)theirs.lease().release_for(20s);
    EXPECT_TRUE(empties(name)) << "a ghost is left in " << name;
    const bool struck = rule.fired();
    rule.cancel();
    return struck;
  }

  void survives_losing_each(bool reply) {
    int nth = 1;
    while (nth < 40 && survives_losing(reply, nth)) ++nth;
    // Parents and the first ticket, its removal, the second ticket, the look for rivals, and the end.
    EXPECT_GT(nth, 6) << "hardly a request was lost: the test did nothing";
    EXPECT_LT(nth, 40);
  }
};

TEST_F(KeptTicketLoss, of_a_request_at_any_step_does_no_harm) { survives_losing_each(false); }
TEST_F(KeptTicketLoss, of_a_reply_at_any_step_does_no_harm) { survives_losing_each(true); }

// In silence no event comes, and the holder of a kept ticket must not go on as if there were no rival.
TEST_F(KeptTicketLoss, of_the_network_gives_the_ticket_to_a_rival_before_it_can_be_used_again) {
  auto client = connect({.session_timeout = 2s, .hand_over = {.keep = 60s}});
  auto rival = connect_directly();
  auto mutex = client.mutex("silent");
  for (int i = 0; i < 3; ++i) mutex.acquire().release();
  ASSERT_EQ(tickets("silent").size(), 1U) << "it is not kept";
  proxy_.black_hole();
  auto theirs = rival.mutex("silent").try_acquire_for(kSoon);
  ASSERT_TRUE(theirs) << theirs.message();
  // Whatever it believed before: now it does not.
  EXPECT_FALSE(mutex.try_acquire_for(50ms));
  EXPECT_TRUE(theirs.lease().is_held());
}

}  // namespace
}  // namespace holdfast::testing
