// command_run.h -- the command, run to its end.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::testing {

struct Said {
  std::optional<int> exit_code;
  std::string out;
  std::string err;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// `where` is its working directory; empty: one of its own.
inline Said run_command(std::vector<std::string> arguments, std::vector<std::pair<std::string, std::string>> env = {},
                        const std::filesystem::path& where = {}) {
  const TempDir dir("said");
  arguments.insert(arguments.begin(), HOLDFAST_COMMAND);
  Process process({.argv = std::move(arguments),
                   .env = std::move(env),
                   .working_dir = where.empty() ? dir.path() : where,
                   .stdout_file = dir / "out",
                   .stderr_file = dir / "err"});
  process.close_stdin();
  const auto code = process.wait(std::chrono::seconds(60));
  return {code, contents(dir / "out"), contents(dir / "err")};
}

}  // namespace holdfast::testing
