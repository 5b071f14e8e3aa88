// checker -- reads the history of a chaos run and says whether the lock was one. 0: it was; 1: it was not.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <fstream>
#include <string>

#include "check.h"

namespace {

// More of one kind say nothing new.
constexpr std::size_t kMostShown = 20;

int run(int argc, char** argv) {
  using namespace holdfast::testing;
  CLI::App app("Checks the history of a chaos run; see tests/chaos/README.md");
  std::string file;
  CheckOptions options;
  std::chrono::seconds::rep longest_wait =
      std::chrono::duration_cast<std::chrono::seconds>(options.longest_wait).count();
  app.add_option("history", file)->required()->check(CLI::ExistingFile);
  app.add_option("--least-grants", options.least_grants, "fewer show nothing")->capture_default_str();
  app.add_option("--longest-wait", longest_wait, "of one ask without trouble of its own, in seconds")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  options.longest_wait = std::chrono::seconds(longest_wait);

  std::ifstream from(file);
  const Report report = check(read_history(from), options);
  for (std::size_t i = 0; i < report.violations.size() && i < kMostShown; ++i) {
    const Violation& violation = report.violations[i];
    fmt::print("{}: {}\n", violation.rule, violation.what);
    for (const HistoryLine& line : violation.lines) fmt::print("  {}:{}: {}\n", file, line.number, line.text);
  }
  fmt::print("{}\n", report.summary());
  return report.ok() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "chaos checker: {}\n", failure.what());
    return 1;
  }
}
