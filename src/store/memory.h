// memory.h -- what a store knows about itself before it reads log and snapshots: the files `epoch` and `reached`.
#pragma once

#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "store/disk.h"
#include "store/epoch_file.h"
#include "store/failure.h"
#include "store/reached_file.h"
#include "store/store.h"

namespace holdfast::store {

struct Memory {
  Epoch epoch;                              // of the last life; 0 for a new store
  std::optional<ReachedFile::Found> found;  // nothing: there is none that can be used
  std::vector<Failure> losses;              // accepted

  std::optional<Reached> reached() const { return found ? std::optional(found->reached) : std::nullopt; }
};

// Changes nothing on disk.
tl::expected<Memory, Failure> recall(Disk& disk, const Options& options);

}  // namespace holdfast::store
