#include "store/snapshot_format.h"

#include <fmt/format.h>

#include "store/checksum.h"
#include "store/encoding.h"

namespace holdfast::store {

namespace {
constexpr std::uint64_t kMagic = 0x00706e7374736668;  // "hfstsnp\0"
constexpr std::size_t kEndBytes = 16;
}  // namespace

std::string encode(const SnapshotHeader& header) {
  std::string out;
  put<std::uint64_t>(out, kMagic);
  put<std::uint32_t>(out, kSnapshotVersion);
  put<std::uint32_t>(out, 0);
  put<std::uint64_t>(out, header.store);
  put<std::uint64_t>(out, header.epoch);
  put<std::uint64_t>(out, header.begin);
  put<std::uint64_t>(out, header.salt);
  put<std::uint64_t>(out, checksum(out, 0));
  return out;
}

tl::expected<ParsedSnapshotHeader, std::string> parse_snapshot_header(std::string_view bytes) {
  if (bytes.size() < kSnapshotHeaderBytes) return tl::unexpected(std::string("the header of a snapshot is cut off"));
  bytes = bytes.substr(0, kSnapshotHeaderBytes);
  if (get<std::uint64_t>(bytes, 0) != kMagic) return tl::unexpected(std::string("there is no header of a snapshot"));
  const auto sum = get<std::uint64_t>(bytes, kSnapshotHeaderBytes - 8);
  if (checksum(bytes.substr(0, kSnapshotHeaderBytes - 8), 0) != sum) {
    return tl::unexpected(std::string("the header does not match its checksum"));
  }
  const auto version = get<std::uint32_t>(bytes, 8);
  if (version != kSnapshotVersion) {
    return tl::unexpected(
        fmt::format("the format is version {}, and this program reads {}", version, kSnapshotVersion));
  }
  return ParsedSnapshotHeader{{get<std::uint64_t>(bytes, 16), get<std::uint64_t>(bytes, 24),
                               get<std::uint64_t>(bytes, 32), get<std::uint64_t>(bytes, 40)},
                              sum};
}

std::optional<BlockHeader> parse_block_header(std::string_view bytes) {
  const BlockHeader header{get<std::uint64_t>(bytes, 0), static_cast<BlockKind>(get<std::uint32_t>(bytes, 8)),
                           get<std::uint32_t>(bytes, 12)};
  if (header.kind != BlockKind::records && header.kind != BlockKind::end) return std::nullopt;
  if (header.length > kBlockLimit) return std::nullopt;
  return header;
}

bool block_matches(std::string_view block, std::uint64_t seed, std::uint64_t offset) {
  return checksum(block.substr(8), seed + offset) == get<std::uint64_t>(block, 0);
}

std::string encode_block(BlockKind kind, std::string_view content, std::uint64_t seed, std::uint64_t offset) {
  std::string block(8, '\0');
  block.reserve(kBlockHeaderBytes + content.size());
  put<std::uint32_t>(block, static_cast<std::uint32_t>(kind));
  put<std::uint32_t>(block, static_cast<std::uint32_t>(content.size()));
  block += content;
  std::string sum;
  put<std::uint64_t>(sum, checksum(std::string_view(block).substr(8), seed + offset));
  return block.replace(0, 8, sum);
}

std::string encode(const SnapshotEnd& end) {
  std::string out;
  put<std::uint64_t>(out, end.end);
  put<std::uint64_t>(out, end.records);
  return out;
}

std::optional<SnapshotEnd> parse_snapshot_end(std::string_view content) {
  if (content.size() != kEndBytes) return std::nullopt;
  return SnapshotEnd{get<std::uint64_t>(content, 0), get<std::uint64_t>(content, 8)};
}

}  // namespace holdfast::store
