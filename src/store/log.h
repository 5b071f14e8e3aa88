// log.h -- the row of segments: appends to the last one, begins new ones, and removes those that are not needed.
//
//   the segment at the end     append() first        on failure
//   none                       begins a new one      refused
//   good                       -                     cut back: refused; if that fails: failed
//   failed                     cuts it back          failed, and the group is unknown
//
// Thread safety: any member from any thread; append() and close() lock the log while they write and sync.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "store/disk.h"
#include "store/failure.h"
#include "store/reached_file.h"
#include "store/segment_format.h"
#include "store/segment_writer.h"
#include "store/store.h"

namespace holdfast::store {

class Log {
 public:
  struct Start {
    std::uint64_t store = 0;
    std::uint64_t epoch = 0;
    std::vector<SegmentHeader> segments = {};  // the segments on disk, the oldest first
    std::uint64_t end = 0;                     // of the last segment
    Index last = 0;                            // records are durable up to here
    ReachedFile reached;
    // False: a directory was replaced by another one, in which nothing may be written.
    std::function<bool()> in_place = [] { return true; };
  };

  Log(Disk& disk, std::string directory, const Options& options, Start start);

  tl::expected<void, AppendFailure> append(std::span<const Record> records);
  tl::expected<void, Failure> close();

  Index last_index() const noexcept { return last_index_.load(); }
  // The length of all records that were appended.
  std::uint64_t appended_bytes() const noexcept { return appended_bytes_.load(); }
  // How many appends have failed. Never goes back.
  std::uint64_t failures() const noexcept { return failures_.load(); }

  // When this has returned, everything up to last_index() is durable.
  tl::expected<void, Failure> sync();
  // The next append() begins a new segment.
  void begin_segment();
  // Begins the first segment now, for a log without any: earlier records are only in a snapshot.
  tl::expected<void, Failure> begin_first_segment();
  // Removes the segments that a snapshot of everything up to `begin` makes unnecessary. Best effort.
  void purge(Index begin);

 private:
  tl::expected<void, Failure> make_segment();
  DiskResult<void> write(std::span<const Record> records);
  tl::unexpected<AppendFailure> give_up(std::error_code error);
  // Writes to the file `reached` how far the log has got.
  void note_reached(std::uint64_t segment, std::uint64_t offset);
  // Does most of the work of a sync while other threads append.
  void sync_in_passing();

  Disk& disk_;
  const std::string directory_;
  const Options& options_;
  const std::uint64_t store_;
  const std::uint64_t epoch_;
  const std::uint64_t boot_;
  const std::function<bool()> in_place_;

  std::mutex mutex_;
  std::vector<SegmentHeader> segments_;  // including the one at the end
  std::optional<SegmentWriter> writer_;  // the segment at the end, if this object made it
  bool failed_ = false;                  // there may be bytes after the writer's good end
  bool full_ = false;                    // a new segment is due
  bool closed_ = false;
  ReachedFile reached_;
  Index durable_;                // everything up to here survives a loss of power
  std::uint64_t synced_at_ = 0;  // end of the segment when `reached` was synced
  bool cannot_note_ = false;     // `reached` cannot be written, and that was logged
  std::atomic<Index> last_index_;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<std::uint64_t> appended_bytes_ = 0;
};

}  // namespace holdfast::store
