// segment_writer.h -- the segment at the end of the log, to which records are appended.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "store/disk.h"
#include "store/failure.h"
#include "store/segment_format.h"
#include "store/store.h"

namespace holdfast::store {

// Not thread safe. It has a good end, after which there are only zeros, or a group that is being written.
class SegmentWriter {
 public:
  // A new segment under its name, durable. If this fails, there may be one with that number and without records.
  static tl::expected<SegmentWriter, Failure> create(Disk& disk, const std::string& directory, SegmentHeader header,
                                                     Durability durability);

  // Writes after the good end, which stays where it is until keep().
  DiskResult<void> write(std::span<const Record> records);
  // Makes the bytes that were written a part of the segment.
  void keep() noexcept;
  // Makes the good end the end of the file, durably, and drops the bytes after it.
  DiskResult<void> cut();
  // Makes the written bytes durable. Never assumes that a sync which failed has kept a part of them.
  DiskResult<void> sync();
  // Writes the mark of a clean end, durably; nothing can be written after it.
  DiskResult<void> seal(Index last);

  std::uint64_t end() const noexcept { return end_; }
  bool synced() const noexcept { return synced_ >= end_; }
  const std::string& path() const noexcept { return path_; }

 private:
  SegmentWriter(std::unique_ptr<File> file, std::string path, std::uint64_t seed, Durability durability)
      : file_(std::move(file)), path_(std::move(path)), seed_(seed), durability_(durability) {}
  DiskResult<void> put_out(std::string& buffer, std::uint64_t& at);
  void write_ahead(std::uint64_t end);

  std::unique_ptr<File> file_;
  std::string path_;
  std::uint64_t seed_;
  Durability durability_;
  std::uint64_t end_ = kSegmentHeaderBytes;      // the good end
  std::uint64_t written_ = kSegmentHeaderBytes;  // the end of the group that was written last
  std::uint64_t ahead_ = kSegmentHeaderBytes;    // the end of the file, as far as zeros were written ahead
  std::uint64_t synced_ = kSegmentHeaderBytes;   // durable up to here
  bool suspect_ = false;                         // a sync failed: from synced_ on, nothing may be on disk
};

}  // namespace holdfast::store
