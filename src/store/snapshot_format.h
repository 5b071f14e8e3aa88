// snapshot_format.h -- the bytes of a snapshot: a header, blocks of records, and a last block that says it is whole.
//
//   snapshot  =  header block* end
//   header    =  magic u64 | version u32 | 0 u32 | store u64 | epoch u64 | begin u64 | salt u64 | checksum u64
//   block     =  checksum u64 | kind u32 | length u32 | (record length u32 | record bytes)*
//   end       =  checksum u64 | kind u32 | length u32 | end u64 | number of records u64
//
// A block's checksum is seeded with the header's and the block's offset: blocks cannot be lost, swapped or come from another file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "store/store.h"

namespace holdfast::store {

inline constexpr std::uint32_t kSnapshotVersion = 1;
inline constexpr std::size_t kSnapshotHeaderBytes = 56;
inline constexpr std::size_t kBlockHeaderBytes = 16;
inline constexpr std::size_t kBlockBytes = std::size_t{64} << 10;  // a longer block is written
// A block is at most one record longer than that.
inline constexpr std::size_t kBlockLimit = kBlockBytes + 4 + kRecordLimit;

struct SnapshotHeader {
  std::uint64_t store = 0;
  std::uint64_t epoch = 0;
  Index begin = 0;
  std::uint64_t salt = 0;  // makes two snapshots that begin at the same index differ
};

struct ParsedSnapshotHeader {
  SnapshotHeader header;
  std::uint64_t seed = 0;
};

std::string encode(const SnapshotHeader& header);
// The error is the end of a sentence.
tl::expected<ParsedSnapshotHeader, std::string> parse_snapshot_header(std::string_view bytes);

enum class BlockKind : std::uint32_t { records = 1, end = 2 };

struct BlockHeader {
  std::uint64_t checksum = 0;
  BlockKind kind = BlockKind::records;
  std::uint32_t length = 0;  // of the content
};

// Nothing if it is not the header of a block. block_matches() checks its checksum, together with the content.
std::optional<BlockHeader> parse_block_header(std::string_view bytes);
// `block`: header and content.
bool block_matches(std::string_view block, std::uint64_t seed, std::uint64_t offset);
std::string encode_block(BlockKind kind, std::string_view content, std::uint64_t seed, std::uint64_t offset);

struct SnapshotEnd {
  Index end = 0;
  std::uint64_t records = 0;
};

std::string encode(const SnapshotEnd& end);
std::optional<SnapshotEnd> parse_snapshot_end(std::string_view content);

}  // namespace holdfast::store
