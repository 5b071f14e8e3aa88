#include "server/snapshotter.h"

#include <new>
#include <utility>

#include "base/assert.h"
#include "base/log.h"

namespace holdfast::server {
namespace {

// About a millisecond's worth.
constexpr std::size_t kSlice = 1'000;
constexpr std::size_t kSliceBytes = std::size_t{1} << 20;
constexpr auto kNoMemory = "no snapshot: there is no memory for it";

}  // namespace

Snapshotter::Snapshotter(Loop& loop, engine::Engine& engine, store::Store& store, SnapshotDue::Bounds after,
                         std::function<void()> written)
    : loop_(loop),
      engine_(engine),
      store_(store),
      written_(std::move(written)),
      due_(after, {static_cast<std::size_t>(store.recovered().log_records), store.recovered().log_bytes},
           store.recovered().snapshot_bytes),
      background_(loop.background("hf-snapshot")) {}

void Snapshotter::turn(std::size_t changes) {
  if (busy_) return;
  if (failed_.exchange(false)) walking_ = false;
  try {
    if (!walking_) {
      const SnapshotDue::Progress now{changes, store_.appended_bytes()};
      if (!due_.is_due(now)) return;
      due_.begin(now);
      began_ = loop_.now();
      walking_ = begun_ = true;
      engine_.begin_snapshot();
    }
    auto slice = next_slice();
    HOLDFAST_ASSERT(!slice.begin || !slice.end || *slice.begin <= *slice.end);
    const bool last = slice.end.has_value();
    give(std::move(slice));
    if (!last) return;
    walking_ = false;
    due_.finish(bytes_);
    time_.add((loop_.now() - began_) / std::chrono::milliseconds(1));
  } catch (const std::bad_alloc&) {
    base::log().error(kNoMemory);
    walking_ = false;
  }
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

// Throws std::bad_alloc, and nothing was given.
void Snapshotter::give(Slice slice) {
  const auto given = std::make_shared<const Slice>(std::move(slice));
  std::function<void()> work = [this, given] {
    bool written = false;
    try {
      written = write(*given);
    } catch (const std::bad_alloc&) {
      base::log().error(kNoMemory);
      writer_.reset();
    }
    failed_ = !written;
    busy_ = false;
    loop_.post(written_);
  };
  HOLDFAST_ASSERT(!busy_, bytes_);
  busy_ = true;
  background_->run(std::move(work));
}

void Snapshotter::take_now() {
  if (store_.last_index() == 0) return;  // nothing was ever written
  background_->wait();
  failed_ = false;
  begun_ = true;
  engine_.begin_snapshot();
  for (bool last = false; !last && !failed_;) {
    try {
      auto slice = next_slice();
      last = slice.end.has_value();
      give(std::move(slice));
    } catch (const std::bad_alloc&) {
      base::log().error(kNoMemory);
      break;
    }
    background_->wait();
  }
  walking_ = false;
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
