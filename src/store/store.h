// store.h -- durability of opaque records: a log of changes, and snapshots of their result.
//
// The store does not know what a record means. Its user applies changes to a state of its own, appends each to the log, writes
// the whole state as a snapshot from time to time, and gets both back after a restart:
//
//   snapshot            begin            end
//   ...---------------|----------------|---------> the log, by index
//                     everything up to here is in the snapshot;
//                                      nothing after here is; what is in between may or may not be
//
// Recovery delivers the snapshot and then every log record with an index above `begin`, so applying a change twice must do
// no harm. Files, checksums and crash cases: docs/storage.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "store/disk.h"
#include "store/failure.h"

namespace holdfast::store {

// The number of a change. It grows with every record, and may have gaps. 0 is before the first.
using Index = std::uint64_t;

// The longest record, in the log or in a snapshot: far above what a client may send, far below what exhausts memory when a
// damaged length is believed.
inline constexpr std::size_t kRecordLimit = std::size_t{64} << 20;

// How far the epoch is raised when a loss is accepted: the store may be an older copy, and epochs that were used since must not
// be used again. It cannot have been opened more often than that since.
inline constexpr std::uint64_t kEpochsOfALoss = 4096;

enum class Durability {
  power,    // an appended group survives the loss of power
  process,  // it survives the death of the process; the loss of power may cost everything since the last snapshot
};

struct Options {
  std::string data_directory = {};  // epoch and snapshots
  std::string log_directory = {};   // segments of the log; may be the same, and is if empty
  Durability durability = Durability::power;
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;  // a segment that is longer is followed by a new one
  std::size_t snapshots_kept = 3;                         // at least 1; with the log that the oldest of them needs
  // Starts with the whole files where open() would refuse: sets aside what follows the first damage in the log, does without records that
  // are missing at its end, and raises the epoch by kEpochsOfALoss. For an operator who has decided so.
  bool accept_loss = false;
};

struct Record {
  Index index = 0;
  std::string_view bytes;
};

// Receives the stored records. The bytes are valid only during the call. Its error becomes the Failure of open(), with file
// and offset of the record.
class Recovery {
 public:
  virtual ~Recovery() = default;
  virtual tl::expected<void, std::string> snapshot_record(std::string_view bytes) = 0;
  virtual tl::expected<void, std::string> log_record(Index index, std::string_view bytes) = 0;
};

// What open() has found.
struct Recovered {
  Index snapshot_begin = 0;            // 0: there was no snapshot
  std::uint64_t snapshot_records = 0;  // delivered
  std::uint64_t log_records = 0;       // delivered
  std::uint64_t snapshot_bytes = 0;    // of the snapshot's records
  std::uint64_t log_bytes = 0;         // of the log's records that were delivered
  std::uint64_t torn_bytes = 0;        // cut from the end of the log: a group that was never acknowledged
  std::size_t damaged_snapshots = 0;   // newer ones that had to be passed over; each was warned about in the log
  std::vector<std::string> losses{};   // accepted, one sentence each
};

class Log;
class SnapshotWriter;

// Thread safety: append() and close() from one thread at a time; begin_snapshot() and everything of its SnapshotWriter from
// one thread at a time, which may be another; epoch(), last_index(),
// appended_bytes() and recovered() from any thread.
class Store {
 public:
  // Makes the directories if they are missing, locks them for this process, reads everything back and raises the epoch. What
  // it delivers is durable, with either durability, before this returns. If the store is damaged, nothing on disk is changed
  // except temporary files of a crash. `disk` must outlive the store.
  static tl::expected<std::unique_ptr<Store>, Failure> open(Disk& disk, const Options& options, Recovery& recovery);

  // Writes nothing, as if the process had died. The SnapshotWriter must be destroyed before.
  ~Store();

  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // How often this store was opened: 1 at first. Never twice the same number, whatever happened to the log.
  std::uint64_t epoch() const noexcept { return epoch_; }

  // The index of the last record that was recovered or appended; 0 if there was none.
  Index last_index() const noexcept;

  // The length of all records that were appended since open().
  std::uint64_t appended_bytes() const noexcept;

  const Recovered& recovered() const noexcept { return recovered_; }

  // Appends one group: one write, and with Durability::power one sync. Indexes must grow, from last_index() on; an index that
  // was refused may be used again. After a failure the store goes on: the next append() first removes what is left of the
  // failed one, and fails with `unknown` as long as it cannot. An empty group does only that.
  tl::expected<void, AppendFailure> append(std::span<const Record> records);

  // Everything up to `begin` must be in the records that are added, and must have been appended. One writer at a time.
  tl::expected<std::unique_ptr<SnapshotWriter>, Failure> begin_snapshot(Index begin);

  // Syncs the log and marks its end, so that the next open() can tell damage in the last group from a crash. Nothing may be
  // appended afterwards. If it fails, nothing that was acknowledged is lost by that.
  tl::expected<void, Failure> close();

 private:
  friend class SnapshotWriter;
  Store(Disk& disk, Options options);
  tl::expected<void, Failure> take_directories();
  // Whether the directories are still those that were locked.
  bool in_place() const;
  void purge();

  Disk& disk_;
  Options options_;
  std::unique_ptr<DirectoryLock> data_lock_;
  std::unique_ptr<DirectoryLock> log_lock_;  // null if there is one directory for both
  std::uint64_t id_ = 0;                     // tells the files of this store from another's
  std::uint64_t epoch_ = 0;
  Recovered recovered_;
  std::unique_ptr<Log> log_;
  std::atomic<bool> writing_snapshot_ = false;
};

// A snapshot that is being written. If it is destroyed before finish() succeeds, it leaves nothing behind, and the store goes on.
class SnapshotWriter {
 public:
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Buffered. After a failure it can only be destroyed.
  tl::expected<void, Failure> add(std::string_view record);

  // `end`: no later change is in the records. Fails if it was not appended, or if an append() failed since begin_snapshot()
  // (the records might show a change that was refused). Syncs the log, then the snapshot, gives it its name, and removes the
  // snapshots and segments that are no longer needed.
  tl::expected<void, Failure> finish(Index end);

 private:
  friend class Store;
  struct State;
  explicit SnapshotWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::store
