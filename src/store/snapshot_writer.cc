#include <fmt/format.h>

#include "base/assert.h"
#include "store/encoding.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/log.h"
#include "store/publish.h"
#include "store/snapshot_format.h"
#include "store/store.h"

namespace holdfast::store {

struct SnapshotWriter::State {
  Store& store;
  std::string path;
  std::unique_ptr<File> file;
  Index begin;
  std::uint64_t seed;
  std::uint64_t failures;  // of the log, when the snapshot was begun
  std::uint64_t offset = 0;
  std::uint64_t records = 0;
  std::string content = {};  // of the block that is being filled
  bool finished = false;

  tl::expected<void, Failure> write(std::string_view bytes) {
    HOLDFAST_ASSERT(!finished && file != nullptr, path);
    const auto written = file->write_at(offset, bytes);
    if (!written) return tl::unexpected(cannot("written", path, written.error()));
    offset += bytes.size();
    return {};
  }

  tl::expected<void, Failure> write_block(BlockKind kind) {
    const std::string block = encode_block(kind, content, seed, offset);
    content.clear();
    return write(block);
  }
};

tl::expected<std::unique_ptr<SnapshotWriter>, Failure> Store::begin_snapshot(Index begin) {
  const std::string path = join(options_.data_directory, numbered(kSnapshotPrefix, begin));
  if (begin > last_index()) {
    return tl::unexpected(unfit(path, fmt::format("the log has only reached index {}", last_index())));
  }
  if (!in_place()) return tl::unexpected(unfit(options_.data_directory, "it was moved or replaced"));
  if (writing_snapshot_.exchange(true)) return tl::unexpected(unfit(path, "another snapshot is being written"));
  auto file = disk_.open(temporary(path), Disk::Mode::create);
  if (!file) {
    writing_snapshot_ = false;
    return tl::unexpected(cannot("created", path, file.error()));
  }
  const std::string header = encode(SnapshotHeader{id_, epoch_, begin, disk_.random()});
  const auto parsed = parse_snapshot_header(header);
  HOLDFAST_ASSERT(parsed.has_value(), begin);
  std::unique_ptr<SnapshotWriter> writer(new SnapshotWriter(std::make_unique<SnapshotWriter::State>(
      SnapshotWriter::State{*this, path, std::move(*file), begin, parsed->seed, log_->failures()})));
  if (auto written = writer->state_->write(header); !written) return tl::unexpected(written.error());
  return writer;
}

SnapshotWriter::SnapshotWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

SnapshotWriter::~SnapshotWriter() {
  state_->file.reset();
  // If it cannot be removed, the next start removes it.
  if (!state_->finished) static_cast<void>(state_->store.disk_.remove(temporary(state_->path)));
  HOLDFAST_ASSERT(state_->store.writing_snapshot_, state_->begin);
  state_->store.writing_snapshot_ = false;
}

tl::expected<void, Failure> SnapshotWriter::add(std::string_view record) {
  if (record.size() > kRecordLimit) {
    return tl::unexpected(
        unfit(state_->path, fmt::format("a record of {} bytes; {} are allowed", record.size(), kRecordLimit)));
  }
  HOLDFAST_ASSERT(!state_->finished && state_->content.size() < kBlockBytes, state_->content.size());
  put<std::uint32_t>(state_->content, static_cast<std::uint32_t>(record.size()));
  state_->content += record;
  ++state_->records;
  if (state_->content.size() < kBlockBytes) return {};
  return state_->write_block(BlockKind::records);
}

tl::expected<void, Failure> SnapshotWriter::finish(Index end) {
  Store& store = state_->store;
  Log& log = *store.log_;
  HOLDFAST_ASSERT(!state_->finished && store.writing_snapshot_, state_->begin);
  if (end < state_->begin || end > log.last_index()) {
    return tl::unexpected(unfit(state_->path, fmt::format("it would end at index {}, but begins at {} and the log has "
                                                          "reached {}",
                                                          end, state_->begin, log.last_index())));
  }
  if (log.failures() != state_->failures) {
    return tl::unexpected(
        unfit(state_->path, "an append failed meanwhile, and what it was about may be in the snapshot"));
  }
  if (!state_->content.empty()) {
    if (auto written = state_->write_block(BlockKind::records); !written) return written;
  }
  state_->content = encode(SnapshotEnd{end, state_->records});
  if (auto written = state_->write_block(BlockKind::end); !written) return written;
  // The snapshot shows changes up to `end`, so they must not be lost once a start finds it.
  if (auto synced = log.sync(); !synced) return synced;
  if (auto published = publish(store.disk_, *state_->file, store.options_.data_directory, state_->path); !published) {
    return published;
  }
  state_->finished = true;
  log.begin_segment();
  store.purge();
  return {};
}

}  // namespace holdfast::store
