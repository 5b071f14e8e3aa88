#include "store/snapshot_reader.h"

#include <fmt/format.h>

#include "store/encoding.h"
#include "store/failures.h"
#include "store/window.h"

namespace holdfast::store {

namespace {

// A block that matches its checksum and cannot be read was written by a program with a bug; it is refused, too.
tl::expected<std::uint64_t, std::string> visit(std::string_view content, const RecordVisitor& visitor) {
  std::uint64_t count = 0;
  while (!content.empty()) {
    if (content.size() < 4) return tl::unexpected(std::string("a record's length is cut off"));
    const auto length = get<std::uint32_t>(content, 0);
    content.remove_prefix(4);
    if (length > content.size()) return tl::unexpected(std::string("a record is longer than its block"));
    if (auto visited = visitor(content.substr(0, length)); !visited) return tl::unexpected(visited.error());
    content.remove_prefix(length);
    ++count;
  }
  return count;
}

}  // namespace

tl::expected<SnapshotContent, Failure> read_snapshot(File& file, const std::string& path,
                                                     const RecordVisitor& visitor) {
  const auto size = file.size();
  if (!size) return tl::unexpected(cannot("read", path, size.error()));
  Window window(file);
  const auto head = window.view(0, kSnapshotHeaderBytes);
  if (!head) return tl::unexpected(cannot("read", path, head.error()));
  const auto parsed = parse_snapshot_header(head->substr(0, *size));
  if (!parsed) return tl::unexpected(damaged(path, 0, parsed.error()));

  std::uint64_t count = 0;
  std::uint64_t offset = kSnapshotHeaderBytes;
  while (true) {
    const auto start = window.view(offset, kBlockHeaderBytes);
    if (!start) return tl::unexpected(cannot("read", path, start.error()));
    if (start->size() < kBlockHeaderBytes) return tl::unexpected(damaged(path, offset, "the snapshot is cut off"));
    const auto header = parse_block_header(*start);
    if (!header) return tl::unexpected(damaged(path, offset, "there is no block of a snapshot"));
    if (header->length > *size - offset) return tl::unexpected(damaged(path, offset, "a block is cut off"));
    const auto block = window.view(offset, kBlockHeaderBytes + header->length);
    if (!block) return tl::unexpected(cannot("read", path, block.error()));
    if (block->size() < kBlockHeaderBytes + header->length || !block_matches(*block, parsed->seed, offset)) {
      return tl::unexpected(damaged(path, offset, "a block does not match its checksum"));
    }
    const std::string_view content = block->substr(kBlockHeaderBytes);
    if (header->kind == BlockKind::end) {
      const auto end = parse_snapshot_end(content);
      offset += block->size();
      if (!end || end->records != count) return tl::unexpected(damaged(path, offset, "the number of records is wrong"));
      if (offset != *size) return tl::unexpected(damaged(path, offset, "something stands after the end"));
      return SnapshotContent{parsed->header, *end};
    }
    const auto visited = visit(content, visitor);
    if (!visited) return tl::unexpected(damaged(path, offset, visited.error()));
    count += *visited;
    offset += block->size();
  }
}

}  // namespace holdfast::store
