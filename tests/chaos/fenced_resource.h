// fenced_resource.h -- what the lock protects: refuses writers that are late, and remembers who wrote what.
#pragma once

#include <mutex>
#include <string>

#include "history.h"
#include "holdfast/fence.h"

namespace holdfast::testing {

// Thread safe.
class FencedResource {
 public:
  // Without a fence it admits everybody, to show that the checker sees it.
  FencedResource(History& history, bool fenced) : history_(history), fenced_(fenced) {}

  // Decides and puts on record in one step, so that writes stand in the history in the order of their admission.
  // `request` is a line "write" of history.h without `admitted`.
  bool write(const std::string& who, Json request);

 private:
  History& history_;
  const bool fenced_;
  std::mutex guard_;
  Fence fence_;
};

}  // namespace holdfast::testing
