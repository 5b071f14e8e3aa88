// temp_dir.h -- a directory that lives as long as its guard.
#pragma once

#include <filesystem>
#include <string_view>

namespace holdfast::testing {

class TempDir {
 public:
  // A new directory "holdfast-<purpose>-XXXXXX" under $TMPDIR (or /tmp). Throws std::system_error.
  explicit TempDir(std::string_view purpose = "test");

  // Removes everything in it. Never throws: what cannot be removed stays behind.
  ~TempDir();

  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  void remove() noexcept;

  std::filesystem::path path_;  // empty after a move
};

}  // namespace holdfast::testing
