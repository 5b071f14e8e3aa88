// segment_reader.h -- the records of one segment, up to the first that is wrong, and a verdict on that one.
//
// Assumes nothing about the bytes: any file can be given to it. Memory: one record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "store/disk.h"
#include "store/failure.h"
#include "store/segment_format.h"
#include "store/window.h"

namespace holdfast::store {

class SegmentReader {
 public:
  // Reads the header. `path` is for messages; `file` must outlive the reader.
  static tl::expected<SegmentReader, Failure> open(File& file, std::string path);

  const SegmentHeader& header() const noexcept { return parsed_.header; }

  // The next change. Nothing where the records end: at the end of the file, before zeros, or before a group that was torn
  // while it was written. A Failure if the record there was once whole, which a record after it shows that was written when
  // this one was already synced.
  tl::expected<std::optional<Record>, Failure> next();

  // The end of the last record that was read.
  std::uint64_t offset() const noexcept { return offset_; }
  // Where the last change is; for messages about it.
  std::uint64_t last_offset() const noexcept { return last_offset_; }
  std::uint64_t size() const noexcept { return size_; }
  // The index of the last change; header().after if there was none.
  Index last_index() const noexcept { return last_index_; }
  // Every byte before this offset is known to have been durable.
  std::uint64_t synced() const noexcept { return synced_; }
  bool sealed() const noexcept { return sealed_; }
  const std::string& path() const noexcept { return path_; }

 private:
  SegmentReader(File& file, std::string path, std::uint64_t size)
      : window_(file), path_(std::move(path)), size_(size) {}

  // The offset of the first later record that was written when offset_ was already synced.
  tl::expected<std::optional<std::uint64_t>, Failure> find_proof();
  tl::expected<std::optional<Record>, Failure> end_here(std::string_view what);

  Window window_;
  std::string path_;
  std::uint64_t size_;
  ParsedSegmentHeader parsed_;
  std::uint64_t offset_ = kSegmentHeaderBytes;
  std::uint64_t last_offset_ = 0;
  Index last_index_ = 0;
  std::uint64_t synced_ = kSegmentHeaderBytes;  // a segment gets its name when its header is durable
  bool sealed_ = false;
  bool ended_ = false;
};

}  // namespace holdfast::store
