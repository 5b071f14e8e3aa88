#include "store/segment_writer.h"

#include <algorithm>

#include "base/assert.h"
#include "store/file_names.h"
#include "store/publish.h"
#include "store/rewrite.h"

namespace holdfast::store {

namespace {

// A longer group is written in several writes. Bounds the memory, together with the largest record.
constexpr std::size_t kBuffer = std::size_t{1} << 20;

// With zeros written ahead, a sync changes neither the file's length nor where its blocks are: cheaper for small groups
// (docs/storage.md has the figures). Small at first, so that a small log stays small.
constexpr std::uint64_t kAheadAtFirst = std::uint64_t{16} << 10;
constexpr std::uint64_t kAheadAtMost = std::uint64_t{1} << 20;

}  // namespace

tl::expected<SegmentWriter, Failure> SegmentWriter::create(Disk& disk, const std::string& directory,
                                                           SegmentHeader header, Durability durability) {
  const std::string name = numbered(kSegmentPrefix, header.number);
  const std::string bytes = encode(header);
  auto file = publish(disk, directory, name, bytes);
  if (!file) return tl::unexpected(file.error());
  const auto parsed = parse_segment_header(bytes);
  HOLDFAST_ASSERT(parsed.has_value() && parsed->header.number == header.number, header.number);
  return SegmentWriter(std::move(*file), join(directory, name), parsed->seed, durability);
}

DiskResult<void> SegmentWriter::write(std::span<const Record> records) {
  // The rest of a failed group was cut off before.
  HOLDFAST_ASSERT(written_ == end_, written_, end_);
  HOLDFAST_ASSERT(end_ % kRecordAlignment == 0, end_);
  HOLDFAST_ASSERT(synced_ <= end_, synced_, end_);
  std::uint64_t total = 0;
  for (const Record& record : records) total += record_bytes(record.bytes.size());
  write_ahead(end_ + total);
  std::string buffer;
  buffer.reserve(std::min<std::uint64_t>(total, 2 * kBuffer));
  std::uint64_t at = end_;
  for (const Record& record : records) {
    const RecordHeader header{.index = record.index, .synced = synced_};
    append_record(buffer, header, record.bytes, seed_, at + buffer.size());
    if (buffer.size() < kBuffer) continue;
    if (const auto out = put_out(buffer, at); !out) return out;
  }
  if (const auto out = put_out(buffer, at); !out) return out;
  HOLDFAST_ASSERT(at == end_ + total, at, end_, total);
  written_ = at;
  ahead_ = std::max(ahead_, at);
  return {};
}

void SegmentWriter::keep() noexcept {
  HOLDFAST_ASSERT(written_ >= end_, written_, end_);
  HOLDFAST_ASSERT(written_ <= ahead_, written_, ahead_);
  end_ = written_;
}

DiskResult<void> SegmentWriter::put_out(std::string& buffer, std::uint64_t& at) {
  const auto written = file_->write_at(at, buffer);
  at += buffer.size();
  buffer.clear();
  return written;
}

void SegmentWriter::write_ahead(std::uint64_t end) {
  // Without a sync per group there is nothing to gain.
  if (durability_ != Durability::power || end <= ahead_) return;
  const std::uint64_t size = std::clamp(end, kAheadAtFirst, kAheadAtMost);
  // If there is no room for zeros, there may still be some for the records.
  if (file_->write_at(end, std::string(size, '\0'))) {
    ahead_ = end + size;
  } else {
    static_cast<void>(file_->truncate(ahead_));
  }
}

DiskResult<void> SegmentWriter::cut() {
  // Durable bytes are never cut off: they may have been acknowledged.
  HOLDFAST_ASSERT(synced_ <= end_, synced_, end_);
  if (const auto cut = file_->truncate(end_); !cut) return cut;
  written_ = ahead_ = end_;
  return sync();
}

DiskResult<void> SegmentWriter::sync() {
  if (suspect_) {
    if (const auto again = rewrite(*file_, synced_, written_); !again) return again;
  }
  const auto synced = file_->sync();
  suspect_ = !synced;
  HOLDFAST_ASSERT(synced_ <= written_, synced_, written_);
  if (synced) synced_ = written_;
  return synced;
}

DiskResult<void> SegmentWriter::seal(Index last) {
  // The mark proves that everything before it was durable, and that nothing came after it.
  if (const auto cut_off = cut(); !cut_off) return cut_off;
  HOLDFAST_ASSERT(synced_ == end_, synced_, end_);
  std::string mark;
  append_record(mark, {.index = last, .synced = synced_, .kind = RecordKind::seal}, {}, seed_, end_);
  if (const auto written = file_->write_at(end_, mark); !written) return written;
  return file_->sync();
}

}  // namespace holdfast::store
