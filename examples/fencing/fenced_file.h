// fenced_file.h -- a file that refuses late writers, whichever process of this machine they are in.
//
//   PATH        the token (20 digits and a newline), then the content; replaced as a whole
//   PATH.new    the next version while it is being written; what a killed writer leaves is overwritten
//   PATH.lock   held with flock() from looking at the token until the new version is in place; never removed
//
// Thread safety: all members from any thread and process; each call opens what it needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/fence.h"

namespace fencing {

class FencedFile {
 public:
  struct Content {
    holdfast::Token token = 0;
    std::string text;
  };

  explicit FencedFile(std::filesystem::path path) : path_(std::move(path)) {}

  // True: written, and on the disk. False: refused, nothing changed. Throws std::system_error: the file has its old or
  // its new content, never a part of it; std::runtime_error: what is there is no fenced file, and was left alone.
  [[nodiscard]] bool write(holdfast::Token token, std::string_view text);

  // Nothing if there is no file yet. Never waits for writers.
  std::optional<Content> read() const;

 private:
  std::filesystem::path path_;
};

}  // namespace fencing
