// conformance.h -- what the conformance cases have in common.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <system_error>

#include "world.h"

namespace holdfast::testing {

// Long enough for a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kSoon{10};

class Conformance : public ::testing::Test {
 protected:
  ~Conformance() override { world_->end_own_session(); }

  Client connect(ClientOptions options = {}) { return world_->connect(std::move(options)); }
  std::size_t queue_length(const std::string& name) { return world_->tickets(name).size(); }
  std::size_t tickets_and_marks(const std::string& name) { return queue_length(name) + world_->marks(name); }

  std::unique_ptr<World> world_ = World::make();
};

// Counts the case as left out, and says why; the sums are printed at the end of the program.
std::string left_out(Ability ability);
std::string left_out(Feature feature);

// First in a case: it is left out where the world cannot do that.
#define HOLDFAST_NEEDS(ability)                            \
  if (!world_->can(::holdfast::testing::Ability::ability)) \
  GTEST_SKIP() << ::holdfast::testing::left_out(::holdfast::testing::Ability::ability)
#define HOLDFAST_NEEDS_FEATURE(feature)                    \
  if (!world_->has(::holdfast::testing::Feature::feature)) \
  GTEST_SKIP() << ::holdfast::testing::left_out(::holdfast::testing::Feature::feature)

// What a call threw; nothing if it did not.
inline std::error_code code_of(const std::function<void()>& f) {
  try {
    f();
    return {};
  } catch (const Error& error) {
    return error.code();
  }
}

}  // namespace holdfast::testing
