// snapshot_reader.h -- reads a snapshot once from the beginning to the end. Memory: one block.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "store/disk.h"
#include "store/failure.h"
#include "store/snapshot_format.h"

namespace holdfast::store {

struct SnapshotContent {
  SnapshotHeader header;
  SnapshotEnd end;
};

// Gets every record of each whole block. Its error ends the reading, and becomes a Failure with the block's offset.
using RecordVisitor = std::function<tl::expected<void, std::string>(std::string_view)>;

// A Failure if anything is not as it was written. Assumes nothing about the bytes. Read it with a visitor that does nothing to
// find out whether it is whole, then again to use it.
tl::expected<SnapshotContent, Failure> read_snapshot(File& file, const std::string& path, const RecordVisitor& visitor);

}  // namespace holdfast::store
