// docs/semantics.md, "Chaos": a minute of faults with real processes; and that a broken lock does not go unnoticed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "check.h"
#include "support/process.h"
#include "support/zookeeper_options.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

struct Outcome {
  int status = -1;
  std::string output{};
};

Outcome run(std::vector<std::string> argv) {
  Process process(std::move(argv));
  Outcome outcome;
  while (const auto line = process.read_line(170s)) outcome.output += *line + "\n";
  outcome.status = process.wait(10s).value_or(-1);
  return outcome;
}

// The file stays for whoever wants to look at it. The runs on the two servers may go on at the same time.
std::string run_driver(const std::string& name, std::vector<std::string> arguments) {
  const std::string history =
      fmt::format("{}/{}_{}.jsonl", HOLDFAST_CHAOS_HISTORIES, name, to_string(server_make_under_test()));
  arguments.insert(arguments.begin(), {HOLDFAST_CHAOS_DRIVER, "--history", history});
  const Outcome driver = run(arguments);
  fmt::print("{}", driver.output);
  EXPECT_EQ(driver.status, 0);
  return history;
}

Report run_and_check(const std::string& name, std::vector<std::string> arguments) {
  std::ifstream history(run_driver(name, std::move(arguments)));
  return check(read_history(history), {.least_grants = 10});
}

TEST(Chaos, sixty_seconds_of_faults_show_no_overlap_no_stale_write_no_starved_waiter_and_leave_nothing) {
  const auto history = run_driver("sixty_seconds", {"--seconds", "60"});
  const Outcome checker = run({HOLDFAST_CHAOS_CHECKER, history});
  fmt::print("{}", checker.output);
  EXPECT_EQ(checker.status, 0) << "see tests/chaos/README.md on how to read " << history;
}

// All faults twice. A restart of Redis ends all sessions, so that less is granted in the same time.
TEST(Chaos, on_redis_forty_five_seconds_of_faults_show_the_same) {
  const auto history = run_driver("on_redis", {"--seconds", "45", "--service", "redis"});
  const Outcome checker = run({HOLDFAST_CHAOS_CHECKER, history, "--least-grants", "20"});
  fmt::print("{}", checker.output);
  EXPECT_EQ(checker.status, 0) << "see tests/chaos/README.md on how to read " << history;
}

TEST(Chaos, clients_that_ignore_the_lock_are_noticed) {
  const Report report = run_and_check("broken_lock", {"--seconds", "5", "--break", "lock"});
  EXPECT_TRUE(report.has("overlapping_holds")) << report.summary();
}

TEST(Chaos, a_resource_that_does_not_fence_is_noticed) {
  const Report report = run_and_check("broken_fence", {"--seconds", "15", "--break", "fence"});
  EXPECT_TRUE(report.has("stale_write")) << report.summary();
  EXPECT_TRUE(report.has("overlapping_writes")) << report.summary();
  EXPECT_FALSE(report.has("overlapping_holds")) << "the lock itself was not broken\n" << report.summary();
}

}  // namespace
}  // namespace holdfast::testing
