// recovery.h -- from what is on disk to what is delivered: looks at everything first, and refuses before it changes anything.
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

// A segment whose header makes no sense, or does not fit the one before.
struct UnreadableSegment {
  std::uint64_t number = 0;
  Failure why;
};

// What is to be delivered. Everything in it has been read once and found whole.
struct Plan {
  std::optional<Index> snapshot;        // the one to begin with
  std::vector<SegmentHeader> segments;  // all that are there and belong together, the oldest first
  std::size_t first = 0;                // the first of them that is needed
  Index last = 0;                       // the last index in the log
  std::uint64_t end = 0;                // where the records of the last segment end
  std::uint64_t synced = 0;             // up to where they are known to be durable
  std::uint64_t size = 0;               // of its file
  std::uint64_t torn = 0;               // bytes behind the end that are not zeros
  bool sealed = false;                  // it was closed
  std::vector<DamagedSnapshot> passed_over;
  std::vector<std::uint64_t> leftovers;  // segments from before a gap, which the purge did not get to
  // Accepted, and what is set aside because of it: segments that cannot be read, those behind one that is damaged, and whether that one,
  // which is cut, is kept as a copy.
  std::vector<Failure> losses;
  std::vector<UnreadableSegment> unreadable;
  std::vector<std::uint64_t> dropped;
  bool copy_last = false;
};

class Survey {
 public:
  // `known`: whose files they have to be, and what must be there. `reached`: none if there was no such file yet.
  Survey(Disk& disk, const Options& options, const Epoch& known, std::optional<Reached> reached)
      : disk_(disk), options_(options), known_(known), reached_(reached) {}

  // Changes nothing on disk.
  tl::expected<Plan, Failure> look();

 private:
  tl::expected<void, Failure> find_segments(Plan& plan);
  // The number of a last segment that was never put to use is taken from `numbers`.
  tl::expected<void, Failure> forget_unused(Plan& plan, std::vector<std::uint64_t>& numbers);
  // The last segments of `numbers` that belong together, and what is before a gap. Where losses are accepted, one that cannot be read is a gap.
  tl::expected<void, Failure> take_last_row(Plan& plan, const std::vector<std::uint64_t>& numbers) const;
  tl::expected<SegmentHeader, Failure> read_header(std::uint64_t number) const;
  // A snapshot whose log is there; none if there is none and the log is there from the very beginning.
  tl::expected<void, Failure> choose_snapshot(Plan& plan);
  // Where losses are accepted: the log before a gap instead of the one behind it. No segments: there is none.
  tl::expected<void, Failure> use_segments_before_gap(Plan& plan) const;
  // Where losses are accepted: one before the log begins that has everything up to its moment. False: there is none.
  bool choose_older_snapshot(Plan& plan, Index missing);
  tl::expected<void, Failure> read_log(Plan& plan);
  // The records of one segment, up to its end or to what makes no sense.
  tl::expected<void, Failure> read_segment(Plan& plan, std::size_t i);
  // What is whole has been found; whether it is all that there was.
  tl::expected<void, Failure> compare(Plan& plan);
  // Whether the file `reached`, which would have to know of what is missing behind the end, is an older one itself.
  tl::expected<void, Failure> compare_age(Plan& plan) const;
  // The snapshot alone has everything.
  void do_without_log(Plan& plan) const;
  // Where losses are accepted: nothing that is not used any more is removed.
  static void keep_what_is_left_out(Plan& plan);
  // An error, unless losses are accepted.
  tl::expected<void, Failure> lose(Plan& plan, Failure what) const;

  Disk& disk_;
  const Options& options_;
  const Epoch known_;
  const std::optional<Reached> reached_;
  std::vector<Index> begins_;              // of all snapshots, in order
  std::vector<DamagedSnapshot> unusable_;  // they need more of the log than there is
  Index end_ = 0;                          // of the snapshot that was chosen
};

// Makes what is about to be delivered durable, and cuts the torn end of the last segment. What is dropped is set aside first.
tl::expected<void, Failure> secure(Disk& disk, const Options& options, const Plan& plan);

tl::expected<Recovered, Failure> deliver(Disk& disk, const Options& options, const Plan& plan, Recovery& recovery);

}  // namespace holdfast::store
