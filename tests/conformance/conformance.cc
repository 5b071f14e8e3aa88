#include "conformance.h"

#include <cstdio>
#include <map>

namespace holdfast::testing {
namespace {

// How many cases each ability that is missing has cost. Cases run one after the other.
std::map<std::string, int>& missing() {
  static std::map<std::string, int> counts;
  return counts;
}

std::string left_out_for(const char* what) {
  ++missing()[what];
  return std::string("left out: the world cannot do this: ") + what;
}

class Sum final : public ::testing::Environment {
 public:
  void TearDown() override {
    int all = 0;
    for (const auto& [ability, cases] : missing()) {
      std::printf("conformance: %d left out, because the world cannot do this: %s\n", cases, ability.c_str());
      all += cases;
    }
    const auto& run = *::testing::UnitTest::GetInstance();
    std::printf("conformance: %d of %d cases were run, %d left out\n", run.test_to_run_count() - all,
                run.test_to_run_count(), all);
  }
};

const auto* const registered = ::testing::AddGlobalTestEnvironment(new Sum);  // GoogleTest owns it

}  // namespace

std::string left_out(Ability ability) { return left_out_for(to_string(ability)); }
std::string left_out(Feature feature) { return left_out_for(to_string(feature)); }

const char* to_string(Ability ability) noexcept {
  switch (ability) {
    case Ability::listeners: return "count what listens (listeners)";
    case Ability::marks: return "count marks (marks)";
    case Ability::values: return "read and write values (values)";
    case Ability::end_session: return "end the session of a client (end_session)";
    case Ability::strangers: return "put into a queue what is not a ticket (strangers)";
    case Ability::fork: return "let a child of fork() connect (fork)";
  }
  return "unknown";
}

const char* to_string(Feature feature) noexcept {
  switch (feature) {
    case Feature::order: return "keep those who wait in order (order)";
    case Feature::family: return "all kinds of locks (family)";
  }
  return "unknown";
}

}  // namespace holdfast::testing
