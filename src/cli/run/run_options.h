// run_options.h -- what `holdfast run` was asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cli/run/deadlines.h"

namespace holdfast::cli {

// As it stood on the command line. Empty: not given.
struct RunArguments {
  std::vector<std::string> names{};
  bool do_not_wait = false;
  std::string wait{};
  bool shared = false;
  bool exclusive = false;
  std::string shell_command{};
  std::string permits{};
  std::string conflict_code{};
  std::string min_hold{};
  std::string max_hold{};
  std::string purpose{};
  std::string on_lost{};
  std::string kill_after{};
  std::string access_log{};
  bool quiet = false;
  bool verbose = false;
};

struct Permits {
  std::int64_t wanted = 1;
  std::int64_t of = 1;
};

struct RunOptions {
  std::vector<std::string> names{};
  std::vector<std::string> command{};
  std::optional<std::chrono::nanoseconds> wait{};  // nothing: as long as it takes; 0: not at all
  bool shared = false;
  bool exclusive = false;  // against those that share it, by the rules of Curator's read/write lock
  std::optional<Permits> permits{};
  int conflict_code = 0;
  std::chrono::nanoseconds min_hold{0};
  std::optional<std::chrono::nanoseconds> max_hold{};
  std::string purpose{};
  OnLost on_lost = OnLost::term;
  std::optional<std::chrono::nanoseconds> kill_after{};
  std::string access_log{};  // a file; empty: none
  bool quiet = false;
  bool verbose = false;

  // "a", or "a, b, c": for messages.
  std::string shown_names() const;
};

// `command` is what stood after "--". The error is one sentence that says what would be right.
tl::expected<RunOptions, std::string> read_run_options(const RunArguments& arguments, std::vector<std::string> command);

// Takes everything from the first "--" on off the end of a `holdfast run` command line, and returns what stood after that. Of the line of
// any other command it takes nothing.
std::vector<std::string> take_command(int& argc, char** argv);

}  // namespace holdfast::cli
