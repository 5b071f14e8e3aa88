#include "store/segment_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/failures.h"
#include "store/zeros.h"

namespace holdfast::store {

tl::expected<SegmentReader, Failure> SegmentReader::open(File& file, std::string path) {
  const auto size = file.size();
  if (!size) return tl::unexpected(cannot("read", path, size.error()));
  SegmentReader reader(file, std::move(path), *size);
  const auto bytes = reader.window_.view(0, kSegmentHeaderBytes);
  if (!bytes) return tl::unexpected(cannot("read", reader.path_, bytes.error()));
  auto parsed = parse_segment_header(bytes->substr(0, *size));
  if (!parsed) return tl::unexpected(damaged(reader.path_, 0, parsed.error()));
  reader.parsed_ = *parsed;
  reader.last_index_ = parsed->header.after;
  return reader;
}

tl::expected<std::optional<Record>, Failure> SegmentReader::next() {
  if (ended_) return std::nullopt;
  if (size_ - offset_ < kRecordHeaderBytes) return end_here("a record is cut off");
  const auto head = window_.view(offset_, kRecordHeaderBytes);
  if (!head) return tl::unexpected(cannot("read", path_, head.error()));
  if (head->size() < kRecordHeaderBytes) return end_here("a record is cut off");
  const auto header = parse_record_header(*head, parsed_.seed, offset_);
  if (!header) return end_here("a record's header does not match its checksum");
  if (header->length > size_ - offset_ - kRecordHeaderBytes) return end_here("a record is cut off");
  const auto bytes = window_.view(offset_, kRecordHeaderBytes + header->length);
  if (!bytes) return tl::unexpected(cannot("read", path_, bytes.error()));
  if (bytes->size() < kRecordHeaderBytes + header->length) return end_here("a record is cut off");
  const std::string_view body = bytes->substr(kRecordHeaderBytes);
  if (!body_matches(*header, body, parsed_.seed, offset_)) return end_here("a record does not match its checksum");

  const std::uint64_t behind = offset_ + record_bytes(header->length);
  synced_ = std::max(synced_, header->synced);
  if (header->kind == RecordKind::seal) {
    offset_ = std::min(behind, size_);
    ended_ = sealed_ = true;
    // Sealing cuts the zeros off, durably, before it writes the seal.
    if (offset_ < size_)
      return tl::unexpected(damaged(path_, offset_, "something stands after the mark of a clean end"));
    return std::nullopt;
  }
  if (header->index <= last_index_) {
    return tl::unexpected(
        damaged(path_, offset_, fmt::format("index {} follows index {}", header->index, last_index_)));
  }
  last_index_ = header->index;
  last_offset_ = offset_;
  offset_ = std::min(behind, size_);  // the last record's padding may be missing after a crash
  return Record{header->index, body};
}

tl::expected<std::optional<Record>, Failure> SegmentReader::end_here(std::string_view what) {
  ended_ = true;
  const auto proof = find_proof();
  if (!proof) return tl::unexpected(proof.error());
  if (!*proof) return std::nullopt;
  return tl::unexpected(damaged(
      path_, offset_,
      fmt::format("{}, and it was whole when the record at offset {} was written; {}", what, **proof, kRestore)));
}

tl::expected<std::optional<std::uint64_t>, Failure> SegmentReader::find_proof() {
  static_assert(kSegmentHeaderBytes % kRecordAlignment == 0);
  constexpr std::size_t kStep = std::size_t{4} << 10;
  for (std::uint64_t step = offset_ + kRecordAlignment; step + kRecordHeaderBytes <= size_; step += kStep) {
    // One header more than the step, because a header may begin at its end.
    const auto bytes = window_.view(step, kStep + kRecordHeaderBytes);
    if (!bytes) return tl::unexpected(cannot("read", path_, bytes.error()));
    if (all_zeros(*bytes)) continue;
    for (std::size_t at = 0; at < kStep && at + kRecordHeaderBytes <= bytes->size(); at += kRecordAlignment) {
      const auto header = parse_record_header(bytes->substr(at, kRecordHeaderBytes), parsed_.seed, step + at);
      if (header && header->synced > offset_) return step + at;
    }
  }
  return std::nullopt;
}

}  // namespace holdfast::store
