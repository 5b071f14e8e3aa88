#include "server/snapshotter.h"

#include <new>
#include <utility>

#include "base/log.h"
#include "base/thread.h"
#include "server/now.h"

namespace holdfast::server {
namespace {

// About a millisecond's worth.
constexpr std::size_t kSlice = 1'000;
constexpr std::size_t kSliceBytes = std::size_t{1} << 20;
constexpr auto kNoMemory = "no snapshot: there is no memory for it";

}  // namespace

Snapshotter::Snapshotter(engine::Engine& engine, store::Store& store, SnapshotDue::Bounds after,
                         std::function<void()> written)
    : engine_(engine),
      store_(store),
      written_(std::move(written)),
      due_(after, {static_cast<std::size_t>(store.recovered().log_records), store.recovered().log_bytes},
           store.recovered().snapshot_bytes),
      thread_(base::start_thread("hf-snapshot", [this] { run(); })) {}

Snapshotter::~Snapshotter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Snapshotter::turn(std::size_t changes) {
  {
    const std::lock_guard lock(mutex_);
    if (busy_) return;
    if (std::exchange(failed_, false)) walking_ = false;
  }
  Slice slice;
  try {
    if (!walking_) {
      const SnapshotDue::Progress now{changes, store_.appended_bytes()};
      if (!due_.is_due(now)) return;
      due_.begin(now);
      began_ = monotonic_time();
      walking_ = begun_ = true;
      engine_.begin_snapshot();
    }
    slice = next_slice();
  } catch (const std::bad_alloc&) {
    base::log().error(kNoMemory);
    walking_ = false;
    return;
  }
  if (slice.end) {
    walking_ = false;
    due_.finish(bytes_);
    time_.add((monotonic_time() - began_) / std::chrono::milliseconds(1));
  }
  give(std::move(slice));
}

Snapshotter::Slice Snapshotter::next_slice() {
  Slice slice;
  // Not the last zxid: one that went to a refused write is in no log.
  const auto index = store_.last_index();
  if (std::exchange(begun_, false)) {
    slice.begin = index;
    bytes_ = 0;
  }
  std::size_t bytes = 0;
  while (slice.records.size() < kSlice && bytes < kSliceBytes) {
    auto record = engine_.next_snapshot_record();
    if (!record) {
      slice.end = index;
      break;
    }
    bytes += record->size();
    slice.records.push_back(std::move(*record));
  }
  bytes_ += bytes;
  return slice;
}

void Snapshotter::give(Slice slice) {
  {
    const std::lock_guard lock(mutex_);
    slice_ = std::move(slice);
    busy_ = true;
  }
  changed_.notify_all();
}

void Snapshotter::take_now() {
  if (store_.last_index() == 0) return;  // nothing was ever written
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
  failed_ = false;
  begun_ = true;
  engine_.begin_snapshot();
  for (bool last = false; !last && !failed_;) {
    try {
      slice_ = next_slice();
    } catch (const std::bad_alloc&) {
      base::log().error(kNoMemory);
      break;
    }
    last = slice_->end.has_value();
    busy_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !busy_; });
  }
  walking_ = false;
}

void Snapshotter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return slice_ || stopping_; });
    if (!slice_) break;
    const Slice slice = std::move(*std::exchange(slice_, std::nullopt));
    lock.unlock();
    bool written = false;
    try {
      written = write(slice);
    } catch (const std::bad_alloc&) {
      base::log().error(kNoMemory);
      writer_.reset();
    }
    lock.lock();
    busy_ = false;
    failed_ = !written;
    changed_.notify_all();
    if (stopping_) break;
    lock.unlock();
    written_();
    lock.lock();
  }
  writer_.reset();
}

// Without a snapshot the log goes on growing; the next one is tried after as many changes.
bool Snapshotter::write(const Slice& slice) {
  const auto give_up = [this](const store::Failure& failure) {
    base::log().error("no snapshot: {}", failure.message);
    writer_.reset();
    return false;
  };
  if (slice.begin) {
    writer_.reset();
    auto writer = store_.begin_snapshot(*slice.begin);
    if (!writer) return give_up(writer.error());
    writer_ = std::move(*writer);
  }
  for (const auto& record : slice.records) {
    if (const auto added = writer_->add(record); !added) return give_up(added.error());
  }
  if (slice.end) {
    if (const auto finished = writer_->finish(*slice.end); !finished) return give_up(finished.error());
    writer_.reset();
  }
  return true;
}

}  // namespace holdfast::server
