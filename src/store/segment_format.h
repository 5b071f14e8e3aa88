// segment_format.h -- the bytes of a segment of the log: a header, then records. Grammar and reasons: docs/storage.md.
//
//   segment  =  header record* zero*
//   header   =  magic u64 | version u32 | 0 u32 | store u64 | epoch u64 | number u64 | after u64 | checksum u64
//   record   =  checksum u64 | index u64 | synced u64 | length u32 | kind u32 | body checksum u64 | body | zeros to 8 bytes
//
// Every record is tied to its segment and to its offset by the seed of its checksums. A record's header has a checksum of its own,
// so that it can be found after damaged bytes, and says up to where the segment was `synced` when the record was written.
// With that, recovery tells a torn group from damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace holdfast::store {

inline constexpr std::uint32_t kSegmentVersion = 1;
inline constexpr std::size_t kSegmentHeaderBytes = 56;
inline constexpr std::size_t kRecordHeaderBytes = 40;
inline constexpr std::size_t kRecordAlignment = 8;  // where to look for the next record after a damaged one

struct SegmentHeader {
  std::uint64_t store = 0;
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;  // in the row of segments, without gaps: a missing one is noticed
  Index after = 0;           // the last index of all segments before: a shortened one is noticed
};

std::string encode(const SegmentHeader& header);

struct ParsedSegmentHeader {
  SegmentHeader header;
  std::uint64_t seed = 0;  // of the checksums of its records
};

// The error is the end of a sentence: why these are not the first bytes of a segment.
tl::expected<ParsedSegmentHeader, std::string> parse_segment_header(std::string_view bytes);

enum class RecordKind : std::uint32_t {
  change = 1,
  seal = 2,  // the store was closed here: nothing follows
};

struct RecordHeader {
  Index index = 0;
  std::uint64_t synced = 0;  // every byte of the segment before this offset was durable when the record was written
  std::uint32_t length = 0;
  RecordKind kind = RecordKind::change;
  std::uint64_t body_checksum = 0;
};

// Including its padding.
constexpr std::uint64_t record_bytes(std::uint64_t length) {
  return (kRecordHeaderBytes + length + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
}

// `offset`: of the record in the segment. `header.length` and `body_checksum` are taken from `body`.
void append_record(std::string& out, RecordHeader header, std::string_view body, std::uint64_t seed,
                   std::uint64_t offset);

// Nothing unless its checksum and its limits are right. `bytes` are at least kRecordHeaderBytes.
std::optional<RecordHeader> parse_record_header(std::string_view bytes, std::uint64_t seed, std::uint64_t offset);

bool body_matches(const RecordHeader& header, std::string_view body, std::uint64_t seed, std::uint64_t offset);

}  // namespace holdfast::store
