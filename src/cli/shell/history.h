// history.h -- the lines typed before, also in earlier shells: $XDG_STATE_HOME/holdfast/shell_history, which only its
// user can read.
//
// Not kept: lines that begin with a blank, and lines in which a password or its hash may be.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli::shell {

// By $XDG_STATE_HOME, or ~/.local/state; nothing if there is no home either.
std::optional<std::filesystem::path> history_file();

bool is_kept_in_history(std::string_view line);

class History {
 public:
  // Reads the newest lines of `file`; without one, lines are remembered as long as this object lives.
  explicit History(std::optional<std::filesystem::path> file);

  // Several shells may add to one file.
  void add(const std::string& line);
  const std::vector<std::string>& lines() const { return lines_; }

  // Why the file cannot be used, if so.
  const std::string& trouble() const { return trouble_; }

  // In memory; the file is cut to it once it has twice as many.
  static constexpr std::size_t kMostLines = 1000;

 private:
  void load();
  void cut() const;

  std::optional<std::filesystem::path> file_;
  std::vector<std::string> lines_;
  std::string trouble_;
};

}  // namespace holdfast::cli::shell
