#include "conformance.h"

#include <cstdio>
#include <map>

namespace holdfast::testing {
namespace {

// How many cases each ability that is missing has cost. Cases run one after the other.
std::map<Ability, int>& missing() {
  static std::map<Ability, int> counts;
  return counts;
}

class Sum final : public ::testing::Environment {
 public:
  void TearDown() override {
    int all = 0;
    for (const auto& [ability, cases] : missing()) {
      std::printf("conformance: %d left out, because the world cannot do this: %s\n", cases, to_string(ability));
      all += cases;
    }
    const auto& run = *::testing::UnitTest::GetInstance();
    std::printf("conformance: %d of %d cases were run, %d left out\n", run.test_to_run_count() - all,
                run.test_to_run_count(), all);
  }
};

const auto* const registered = ::testing::AddGlobalTestEnvironment(new Sum);  // GoogleTest owns it

}  // namespace

std::string left_out(Ability ability) {
  ++missing()[ability];
  return std::string("left out: the world cannot do this: ") + to_string(ability);
}

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

}  // namespace holdfast::testing
