// inspection.h -- lists the files of a store, and says whether a start would accept them. Changes nothing.
//
// While an engine runs it sees files that grow: a record that is being written may look torn, and is reported as torn.
#pragma once

#include <string>
#include <vector>

#include "store/disk.h"
#include "store/store.h"

namespace holdfast::store {

struct Inspection {
  // Nothing is damaged or missing. A torn group at the end of the log, as a crash leaves it, does not count.
  bool whole = false;
  std::vector<std::string> lines;  // for an operator; the last one is the verdict
};

Inspection inspect(Disk& disk, const Options& options);

}  // namespace holdfast::store
