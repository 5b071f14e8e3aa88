#include "store/log.h"

#include <fmt/format.h>

#include <new>

#include "base/assert.h"
#include "base/log.h"
#include "store/epoch_file.h"
#include "store/failures.h"
#include "store/file_names.h"

namespace holdfast::store {

namespace {

using Kind = AppendFailure::Kind;

// Bytes of log: with records of 200 bytes, one more sync for about 4,000 of them.
constexpr std::uint64_t kSyncReachedEvery = std::uint64_t{1} << 20;

tl::unexpected<AppendFailure> refuse(std::error_code error, std::string message) {
  return tl::unexpected(AppendFailure{Kind::refused, error, std::move(message)});
}

}  // namespace

Log::Log(Disk& disk, std::string directory, const Options& options, Start start)
    : disk_(disk),
      directory_(std::move(directory)),
      options_(options),
      store_(start.store),
      epoch_(start.epoch),
      boot_(disk.boot()),
      in_place_(std::move(start.in_place)),
      segments_(std::move(start.segments)),
      reached_(std::move(start.reached)),
      durable_(start.last),
      last_index_(start.last) {
  // As the survey found them.
  for (std::size_t i = 1; i < segments_.size(); ++i) {
    HOLDFAST_ASSERT(segments_[i].number == segments_[i - 1].number + 1, segments_[i].number);
    HOLDFAST_ASSERT(segments_[i].after >= segments_[i - 1].after, segments_[i].number, segments_[i].after);
  }
  HOLDFAST_ASSERT(segments_.empty() || segments_.back().after <= start.last, start.last);
  note_reached(segments_.empty() ? 0 : segments_.back().number, start.end);
}

tl::expected<void, AppendFailure> Log::append(std::span<const Record> records) {
  const std::scoped_lock hold(mutex_);
  Index last = last_index_.load();
  std::uint64_t bytes = 0;
  for (const Record& record : records) {
    const auto invalid = std::make_error_code(std::errc::invalid_argument);
    if (record.index <= last) return refuse(invalid, fmt::format("index {} cannot follow {}", record.index, last));
    if (record.bytes.size() > kRecordLimit) {
      return refuse(invalid, fmt::format("a record of {} bytes; {} are allowed", record.bytes.size(), kRecordLimit));
    }
    last = record.index;
    bytes += record.bytes.size();
  }
  if (closed_) return refuse(std::make_error_code(std::errc::operation_not_permitted), "the store is closed");

  if (failed_) {
    HOLDFAST_ASSERT(writer_.has_value(), last);
    if (const auto cut = writer_->cut(); !cut) return give_up(cut.error());
    failed_ = false;
  }
  if (records.empty()) return {};
  if (!writer_ || full_ || writer_->end() >= options_.segment_bytes) {
    if (const auto made = make_segment(); !made) {
      ++failures_;
      return refuse(made.error().error, made.error().message);
    }
  }
  HOLDFAST_ASSERT(writer_.has_value() && !segments_.empty() && !failed_, segments_.size(), failed_);
  HOLDFAST_ASSERT(segments_.back().after <= last_index_.load(), segments_.back().after, last_index_.load());
  [[maybe_unused]] const auto end_before = writer_->end();
  auto done = write(records);
  if (done && options_.durability == Durability::power) {
    done = writer_->sync();
    // Bytes that a failed sync left in the system's cache cannot be relied on.
    if (!done) full_ = true;
  }
  if (!done) {
    failed_ = true;
    if (const auto cut = writer_->cut(); !cut) return give_up(done.error());
    failed_ = false;
    ++failures_;
    return refuse(done.error(), cannot("written", writer_->path(), done.error()).message);
  }
  writer_->keep();
  HOLDFAST_ASSERT(writer_->end() > end_before, writer_->end(), end_before);
  HOLDFAST_ASSERT(last > last_index_.load(), last, last_index_.load());
  HOLDFAST_ASSERT(options_.durability != Durability::power || writer_->synced(), writer_->end());
  last_index_.store(last);
  appended_bytes_ += bytes;
  if (options_.durability == Durability::power) durable_ = last;
  note_reached(segments_.back().number, writer_->end());
  return {};
}

// On a failure, the part that was written is cut off again.
DiskResult<void> Log::write(std::span<const Record> records) {
  try {
    return writer_->write(records);
  } catch (const std::bad_alloc&) {
    return tl::unexpected(std::make_error_code(std::errc::not_enough_memory));
  }
}

void Log::note_reached(std::uint64_t segment, std::uint64_t offset) {
  const bool power = options_.durability == Durability::power;
  HOLDFAST_ASSERT(durable_ <= last_index_.load(), durable_, last_index_.load());
  auto noted = reached_.write({store_, epoch_, boot_, segment, offset, last_index_.load(), durable_, power});
  // Often enough that a loss of power leaves `reached` little behind, seldom enough that it costs nothing.
  if (noted && power && offset >= synced_at_ + kSyncReachedEvery) {
    noted = reached_.sync();
    synced_at_ = offset;
  }
  // The group is safe. But it is no longer certain that a loss of it would be noticed.
  if (!noted && !cannot_note_) {
    base::log().warn("{}; until it can, a log that is cut short afterwards may be taken for a whole one",
                     cannot("written", reached_.path(), noted.error()).message);
  }
  cannot_note_ = !noted;
}

tl::unexpected<AppendFailure> Log::give_up(std::error_code error) {
  HOLDFAST_ASSERT(failed_ && writer_.has_value(), failed_);
  ++failures_;
  return tl::unexpected(AppendFailure{Kind::unknown, error,
                                      fmt::format("{}: cannot be written ({}), nor can what was written be taken back",
                                                  writer_->path(), error.message())});
}

tl::expected<void, Failure> Log::make_segment() {
  HOLDFAST_ASSERT(!failed_ && !closed_, failed_, closed_);
  if (writer_) {
    // The next segment says where this one ends, so the end must be durable first.
    if (const auto cut = writer_->cut(); !cut) return tl::unexpected(cannot("written", writer_->path(), cut.error()));
    // From here on nothing may be appended to this segment: its successor may exist, even if an error is returned.
    writer_.reset();
    durable_ = last_index_.load();
  }
  if (!in_place_()) {
    Failure moved =
        unfit(directory_,
              "it was moved or replaced while this engine uses it; nothing more is written before it is back "
              "in its place");
    moved.error = std::make_error_code(std::errc::no_such_file_or_directory);
    return tl::unexpected(std::move(moved));
  }
  const std::uint64_t number = segments_.empty() ? 1 : segments_.back().number + 1;
  const SegmentHeader header{store_, epoch_, number, last_index_.load()};
  HOLDFAST_ASSERT(segments_.empty() || segments_.back().after <= header.after, header.number, header.after);
  HOLDFAST_ASSERT(!writer_.has_value(), number);
  auto writer = SegmentWriter::create(disk_, directory_, header, options_.durability);
  if (!writer) return tl::unexpected(writer.error());
  // Before the segment has records, so that the loss of a segment with records is noticed.
  const Epoch known{store_, epoch_, header.after, number};
  if (auto noted = write_epoch(disk_, options_.data_directory, known); !noted) return noted;
  writer_.emplace(std::move(*writer));
  segments_.push_back(header);
  full_ = false;
  synced_at_ = 0;
  return {};
}

tl::expected<void, Failure> Log::sync() {
  sync_in_passing();
  const std::scoped_lock hold(mutex_);
  if (!writer_ || (writer_->synced() && !failed_)) return {};
  // After the good end there may be bytes that must not become durable.
  HOLDFAST_ASSERT(!segments_.empty());
  const auto synced = failed_ ? writer_->cut() : writer_->sync();
  if (!synced) return tl::unexpected(cannot("synced", writer_->path(), synced.error()));
  failed_ = false;
  durable_ = last_index_.load();
  note_reached(segments_.back().number, writer_->end());
  return {};
}

void Log::sync_in_passing() {
  std::string path;
  {
    const std::scoped_lock hold(mutex_);
    if (!writer_ || writer_->synced()) return;
    path = writer_->path();
  }
  // Through a handle of its own, so that the writer's handle still reports its own errors. Whether this succeeds does not matter.
  if (const auto file = disk_.open(path, Disk::Mode::write)) static_cast<void>((*file)->sync());
}

void Log::begin_segment() {
  const std::scoped_lock hold(mutex_);
  if (writer_ && writer_->end() > kSegmentHeaderBytes) full_ = true;
}

tl::expected<void, Failure> Log::begin_first_segment() {
  const std::scoped_lock hold(mutex_);
  return make_segment();
}

void Log::purge(Index begin) {
  std::vector<std::uint64_t> removed;
  {
    const std::scoped_lock hold(mutex_);
    // A segment ends where the next one begins. The last one always stays, for its number and its end.
    std::size_t count = 0;
    while (count + 1 < segments_.size() && segments_[count + 1].after <= begin) ++count;
    for (std::size_t i = 0; i < count; ++i) removed.push_back(segments_[i].number);
    HOLDFAST_ASSERT(count == 0 || count < segments_.size(), count, segments_.size());
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  for (const std::uint64_t number : removed) {
    const std::string path = join(directory_, numbered(kSegmentPrefix, number));
    if (const auto gone = disk_.remove(path); !gone) {
      base::log().warn("{}", cannot("removed", path, gone.error()).message);
    }
  }
}

tl::expected<void, Failure> Log::close() {
  const std::scoped_lock hold(mutex_);
  if (closed_) return {};
  closed_ = true;
  if (!writer_) return {};
  if (const auto sealed = writer_->seal(last_index_.load()); !sealed) {
    return tl::unexpected(cannot("written", writer_->path(), sealed.error()));
  }
  HOLDFAST_ASSERT(!segments_.empty());
  durable_ = last_index_.load();
  note_reached(segments_.back().number, writer_->end());
  // So that this is still known after a restart of the machine. If it fails, snapshots still say how far the log has got.
  static_cast<void>(reached_.sync());
  return {};
}

}  // namespace holdfast::store
