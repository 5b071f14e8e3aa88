// What our own worlds could not do would be left out of the cases.
#include "conformance/conformance.h"

namespace holdfast::testing {

using OwnWorld = Conformance;

TEST_F(OwnWorld, leaves_no_case_out) {
  for (const auto ability : kAbilities) EXPECT_TRUE(world_->can(ability)) << to_string(ability);
}

}  // namespace holdfast::testing
