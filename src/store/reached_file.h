// reached_file.h -- the file `reached`: how far the log has got. A log that lost its end is told from a whole one by it.
//
//   reached  =  slot | zeros to 512 | slot
//   slot     =  magic u64 | version u32 | flags u32 | serial u64 | store u64 | epoch u64 | boot u64 | segment u64 | offset u64
//               | index u64 | durable u64 | checksum u64
//
// Written in place after every group, without a sync of its own, and only when the group itself is as durable as it was promised to be.
// So it never says more than was acknowledged. After the death of the process it says exactly that; after a loss of power
// it may be older (docs/storage.md). The two slots take turns, each in a sector of its own: a write that is cut short leaves the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "store/disk.h"
#include "store/failure.h"
#include "store/store.h"

namespace holdfast::store {

struct Reached {
  std::uint64_t store = 0;
  std::uint64_t epoch = 0;    // of the store when this was written
  std::uint64_t boot = 0;     // of the machine; 0: unknown
  std::uint64_t segment = 0;  // where the last record stands; 0: there was none
  std::uint64_t offset = 0;   // behind it
  Index index = 0;            // of it
  Index durable = 0;          // up to here a loss of power takes nothing
  bool writes_ahead = false;  // zeros are written ahead of the records: flag 1

  // An index that the log must have, in the life of the machine that `boot` is.
  Index needed(std::uint64_t now) const { return is_exact(now) ? index : durable; }
  // Nothing was acknowledged behind it.
  bool is_exact(std::uint64_t now) const { return boot != 0 && boot == now; }
};

class ReachedFile {
 public:
  // What was written last, and where the next goes.
  struct Found {
    Reached reached;
    std::uint64_t serial = 0;
    // One of the two slots makes no sense: a sentence. It may be the newer one.
    std::string complaint;
  };

  // None if there is no such file.
  static tl::expected<std::optional<Found>, Failure> read(Disk& disk, const std::string& directory);
  // A new one, durable, whatever was there.
  static tl::expected<ReachedFile, Failure> create(Disk& disk, const std::string& directory, const Reached& reached);
  // The one that was read.
  static tl::expected<ReachedFile, Failure> open(Disk& disk, const std::string& directory, const Found& found);

  // Not durable, but there if the process dies. A failure leaves what was written before.
  DiskResult<void> write(const Reached& reached);
  DiskResult<void> sync() { return file_->sync(); }
  const std::string& path() const noexcept { return path_; }

 private:
  ReachedFile(std::unique_ptr<File> file, std::string path, std::uint64_t serial)
      : file_(std::move(file)), path_(std::move(path)), serial_(serial) {}

  std::unique_ptr<File> file_;
  std::string path_;
  std::uint64_t serial_;  // of the last that was written
};

}  // namespace holdfast::store
