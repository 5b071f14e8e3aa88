// fenced_log.h -- a resource inside one process that refuses late writers.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/fence.h"

namespace fencing {

class FencedLog {
 public:
  // False: refused, nothing changed.
  [[nodiscard]] bool append(holdfast::Token token, std::string line) {
    // To admit and to write is one step. Without this a writer could be admitted, pause, and write after its successor.
    const std::lock_guard lock(mutex_);
    if (!fence_.admit(token)) return false;
    lines_.emplace_back(token, std::move(line));
    return true;
  }

  std::vector<std::pair<holdfast::Token, std::string>> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  holdfast::Fence fence_;
  std::vector<std::pair<holdfast::Token, std::string>> lines_;
};

}  // namespace fencing
