#include "store/segment_format.h"

#include <fmt/format.h>

#include "store/checksum.h"
#include "store/encoding.h"

namespace holdfast::store {

namespace {

constexpr std::uint64_t kMagic = 0x00676f6c74736668;  // "hfstlog\0"

// The offset is spread over all bits, so that two offsets in segments with similar seeds do not share a seed.
std::uint64_t place(std::uint64_t seed, std::uint64_t offset) { return seed ^ (offset * 0x9e3779b97f4a7c15U); }

}  // namespace

std::string encode(const SegmentHeader& header) {
  std::string out;
  put<std::uint64_t>(out, kMagic);
  put<std::uint32_t>(out, kSegmentVersion);
  put<std::uint32_t>(out, 0);
  put<std::uint64_t>(out, header.store);
  put<std::uint64_t>(out, header.epoch);
  put<std::uint64_t>(out, header.number);
  put<std::uint64_t>(out, header.after);
  put<std::uint64_t>(out, checksum(out, 0));
  return out;
}

tl::expected<ParsedSegmentHeader, std::string> parse_segment_header(std::string_view bytes) {
  if (bytes.size() < kSegmentHeaderBytes) return tl::unexpected(std::string("the header of a segment is cut off"));
  bytes = bytes.substr(0, kSegmentHeaderBytes);
  if (get<std::uint64_t>(bytes, 0) != kMagic) return tl::unexpected(std::string("there is no header of a segment"));
  const auto sum = get<std::uint64_t>(bytes, kSegmentHeaderBytes - 8);
  if (checksum(bytes.substr(0, kSegmentHeaderBytes - 8), 0) != sum) {
    return tl::unexpected(std::string("the header does not match its checksum"));
  }
  const auto version = get<std::uint32_t>(bytes, 8);
  if (version != kSegmentVersion) {
    return tl::unexpected(fmt::format("the format is version {}, and this program reads {}", version, kSegmentVersion));
  }
  return ParsedSegmentHeader{{get<std::uint64_t>(bytes, 16), get<std::uint64_t>(bytes, 24),
                              get<std::uint64_t>(bytes, 32), get<std::uint64_t>(bytes, 40)},
                             sum};
}

void append_record(std::string& out, RecordHeader header, std::string_view body, std::uint64_t seed,
                   std::uint64_t offset) {
  const std::uint64_t at = place(seed, offset);
  std::string fields;
  fields.reserve(kRecordHeaderBytes - 8);
  put<std::uint64_t>(fields, header.index);
  put<std::uint64_t>(fields, header.synced);
  put<std::uint32_t>(fields, static_cast<std::uint32_t>(body.size()));
  put<std::uint32_t>(fields, static_cast<std::uint32_t>(header.kind));
  put<std::uint64_t>(fields, checksum(body, at));
  put<std::uint64_t>(out, checksum(fields, at));
  out += fields;
  out += body;
  out.append(record_bytes(body.size()) - kRecordHeaderBytes - body.size(), '\0');
}

std::optional<RecordHeader> parse_record_header(std::string_view bytes, std::uint64_t seed, std::uint64_t offset) {
  bytes = bytes.substr(0, kRecordHeaderBytes);
  if (checksum(bytes.substr(8), place(seed, offset)) != get<std::uint64_t>(bytes, 0)) return std::nullopt;
  const RecordHeader header{get<std::uint64_t>(bytes, 8), get<std::uint64_t>(bytes, 16), get<std::uint32_t>(bytes, 24),
                            static_cast<RecordKind>(get<std::uint32_t>(bytes, 28)), get<std::uint64_t>(bytes, 32)};
  if (header.length > kRecordLimit || header.synced > offset) return std::nullopt;
  if (header.kind != RecordKind::change && header.kind != RecordKind::seal) return std::nullopt;
  return header;
}

bool body_matches(const RecordHeader& header, std::string_view body, std::uint64_t seed, std::uint64_t offset) {
  return checksum(body, place(seed, offset)) == header.body_checksum;
}

}  // namespace holdfast::store
