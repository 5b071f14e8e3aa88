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
#include "store/segment_format.h"
#include "store/store.h"

namespace holdfast::store {

// A snapshot that was passed over.
struct DamagedSnapshot {
  std::string path;
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
  std::uint64_t torn = 0;               // bytes behind the end that are not zeros
  std::vector<DamagedSnapshot> passed_over;
  std::vector<std::uint64_t> leftovers;  // segments from before a gap, which the purge did not get to
};

class Survey {
 public:
  // `known`: whose files they have to be, and what must be there.
  Survey(Disk& disk, const Options& options, const Epoch& known) : disk_(disk), options_(options), known_(known) {}

  // Changes nothing on disk.
  tl::expected<Plan, Failure> look();

 private:
  tl::expected<void, Failure> find_segments(Plan& plan);
  // The number of a last segment that was never put to use is taken from `numbers`.
  tl::expected<void, Failure> forget_unused(std::vector<std::uint64_t>& numbers);
  tl::expected<SegmentHeader, Failure> read_header(std::uint64_t number);
  // A snapshot whose log is there; none if there is none and the log is there from the very beginning.
  tl::expected<void, Failure> choose_snapshot(Plan& plan);
  tl::expected<void, Failure> read_log(Plan& plan);

  Disk& disk_;
  const Options& options_;
  const Epoch known_;
  Index end_ = 0;  // of the snapshot that was chosen
};

// Makes what is about to be delivered durable, and cuts the torn end of the last segment.
tl::expected<void, Failure> secure(Disk& disk, const Options& options, const Plan& plan);

tl::expected<Recovered, Failure> deliver(Disk& disk, const Options& options, const Plan& plan, Recovery& recovery);

}  // namespace holdfast::store
