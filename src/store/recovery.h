// recovery.h -- decides which files are delivered: reads everything first, and refuses before it changes anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "store/disk.h"
#include "store/epoch_file.h"
#include "store/failure.h"
#include "store/reached_file.h"
#include "store/segment_format.h"
#include "store/store.h"

namespace holdfast::store {

// A snapshot that was passed over.
struct DamagedSnapshot {
  std::string path;
  Failure why;
};

// A segment whose header cannot be read, or does not fit the segment before.
struct UnreadableSegment {
  std::uint64_t number = 0;
  Failure why;
};

// What to deliver. Everything in it has been read once and found whole.
struct Plan {
  std::optional<Index> snapshot;        // the snapshot to begin with
  std::vector<SegmentHeader> segments;  // all that exist and belong together, the oldest first
  std::size_t first = 0;                // the first of them that is needed
  Index last = 0;                       // the last index in the log
  std::uint64_t end = 0;                // where the records of the last segment end
  std::uint64_t synced = 0;             // up to where they are known to be durable
  std::uint64_t size = 0;               // of its file
  std::uint64_t torn = 0;               // bytes after the end that are not zeros
  bool sealed = false;                  // it was closed
  std::vector<DamagedSnapshot> passed_over;
  std::vector<std::uint64_t> leftovers;  // segments before a gap, which an interrupted purge has left
  // Accepted losses, and what is set aside because of them: segments that cannot be read or come after a damaged one, and whether a copy
  // of the damaged one, which is cut, is kept.
  std::vector<Failure> losses;
  std::vector<UnreadableSegment> unreadable;
  std::vector<std::uint64_t> dropped;
  bool copy_last = false;
};

class Survey {
 public:
  // `known`: to which store the files must belong, and up to where the log must go. `reached`: nothing if there was no such file yet.
  Survey(Disk& disk, const Options& options, const Epoch& known, std::optional<Reached> reached)
      : disk_(disk), options_(options), known_(known), reached_(reached) {}

  // Changes nothing on disk.
  tl::expected<Plan, Failure> look();

 private:
  tl::expected<void, Failure> find_segments(Plan& plan);
  // The number of a last segment that was never put to use is taken from `numbers`.
  tl::expected<void, Failure> forget_unused(Plan& plan, std::vector<std::uint64_t>& numbers);
  // The last segments of `numbers` that belong together, and those before a gap. If losses are accepted, an unreadable segment is a gap.
  tl::expected<void, Failure> take_last_row(Plan& plan, const std::vector<std::uint64_t>& numbers) const;
  tl::expected<SegmentHeader, Failure> read_header(std::uint64_t number) const;
  // A snapshot whose log exists; none if there is none and the log exists from the very beginning.
  tl::expected<void, Failure> choose_snapshot(Plan& plan);
  // If losses are accepted: uses the log before a gap instead of the log after it. No segments: there is none.
  tl::expected<void, Failure> use_segments_before_gap(Plan& plan) const;
  // If losses are accepted: a complete snapshot from before the log begins. False: there is none.
  bool choose_older_snapshot(Plan& plan, Index missing);
  tl::expected<void, Failure> read_log(Plan& plan);
  // Reads the records of one segment, up to its end or to the first that is wrong.
  tl::expected<void, Failure> read_segment(Plan& plan, std::size_t i);
  // Everything that is whole has been found; compares it with what must be there.
  tl::expected<void, Failure> compare(Plan& plan);
  // Whether the file `reached`, which should know of records that are missing at the end, is an older copy itself.
  tl::expected<void, Failure> compare_age(Plan& plan) const;
  // The snapshot has everything without the log.
  void do_without_log(Plan& plan) const;
  // If losses are accepted: keeps the files that are not used any more.
  static void keep_what_is_left_out(Plan& plan);
  // An error, unless losses are accepted.
  tl::expected<void, Failure> lose(Plan& plan, Failure what) const;

  Disk& disk_;
  const Options& options_;
  const Epoch known_;
  const std::optional<Reached> reached_;
  std::vector<Index> begins_;              // of all snapshots, in order
  std::vector<DamagedSnapshot> unusable_;  // they need more of the log than exists
  Index end_ = 0;                          // of the snapshot that was chosen
};

// Makes what is about to be delivered durable, and cuts the torn end of the last segment. What is dropped is set aside first.
tl::expected<void, Failure> secure(Disk& disk, const Options& options, const Plan& plan);

tl::expected<Recovered, Failure> deliver(Disk& disk, const Options& options, const Plan& plan, Recovery& recovery);

}  // namespace holdfast::store
