// reached_file.h -- the file `reached`: how far the log has got. It shows whether a log has lost its end.
//
//   reached  =  slot | zeros to 512 | slot
//   slot     =  magic u64 | version u32 | flags u32 | serial u64 | store u64 | epoch u64 | boot u64 | segment u64 | offset u64
//               | index u64 | durable u64 | checksum u64
//
// Written in place after every group, without a sync of its own, and only when the group itself is as durable as promised.
// So it never says more than was acknowledged. After the death of the process it says exactly that; after a loss of power
// it may be older (docs/storage.md). The two slots take turns, each in a sector of its own: a torn write leaves the other one whole.
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
  std::uint64_t segment = 0;  // which contains the last record; 0: there was none
  std::uint64_t offset = 0;   // after that record
  Index index = 0;            // of it
  Index durable = 0;          // everything up to here survives a loss of power
  bool writes_ahead = false;  // zeros are written ahead of the records: flag 1

  // An index that the log must have, if the machine's boot number is `now`.
  Index needed(std::uint64_t now) const { return is_exact(now) ? index : durable; }
  // Nothing was acknowledged after `index`.
  bool is_exact(std::uint64_t now) const { return boot != 0 && boot == now; }
};

class ReachedFile {
 public:
  // What was written last, and where the next write goes.
  struct Found {
    Reached reached;
    std::uint64_t serial = 0;
    // A sentence if one of the two slots cannot be read. It may be the newer one.
    std::string complaint;
  };

  // Nothing if there is no such file.
  static tl::expected<std::optional<Found>, Failure> read(Disk& disk, const std::string& directory);
  // A new file, durable; replaces an existing one.
  static tl::expected<ReachedFile, Failure> create(Disk& disk, const std::string& directory, const Reached& reached);
  // The file that was read.
  static tl::expected<ReachedFile, Failure> open(Disk& disk, const std::string& directory, const Found& found);

  // Survives the death of the process, but not a loss of power. A failure leaves the previous content.
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
