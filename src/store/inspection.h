// inspection.h -- what is in the directories of a store, and whether a start would take it. Changes nothing.
//
// Beside a running engine it sees files that grow: what is being written may look torn, and is said to be so.
#pragma once

#include <string>
#include <vector>

#include "store/disk.h"
#include "store/store.h"

namespace holdfast::store {

struct Inspection {
  // Nothing is damaged or missing. What a crash leaves at the end of the log is neither.
  bool whole = false;
  std::vector<std::string> lines;  // for an operator; the last one is the verdict
};

Inspection inspect(Disk& disk, const Options& options);

}  // namespace holdfast::store
