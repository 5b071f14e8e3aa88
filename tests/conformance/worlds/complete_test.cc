// What our own worlds could not do would be left out of the cases.
#include "conformance/conformance.h"

namespace holdfast::testing {

using OwnWorld = Conformance;

TEST_F(OwnWorld, leaves_no_case_out) {
  for (const auto ability : kAbilities) EXPECT_TRUE(world_->can(ability)) << to_string(ability);
}

// What the cases do not ask of every store.
TEST_F(OwnWorld, counts_the_tickets_of_a_queue_from_zero) {
  auto client = connect();
  const auto lease = client.mutex("m").acquire();
  const auto lock = client.inspect("m");
  ASSERT_EQ(lock.tickets.size(), 1U);
  EXPECT_EQ(lock.next_sequence, 1);
}

TEST_F(OwnWorld, says_how_much_is_there_instead_of_a_count) {
  auto client = connect();
  auto count = client.shared_count("s/count", 1);
  world_->write_value("s/count", "seven");
  const auto result = client.semaphore("s", count).try_acquire_for(std::chrono::hours(1));
  EXPECT_NE(result.message().find("5 bytes"), std::string::npos) << result.message();
}

}  // namespace holdfast::testing
