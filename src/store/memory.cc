#include "store/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/segment_reader.h"
#include "store/snapshot_reader.h"

namespace holdfast::store {

namespace {

// What each readable header of a segment or snapshot says about the store that it belongs to.
struct Trace {
  std::uint64_t store = 0;
  std::uint64_t epoch = 0;
};

std::optional<Trace> trace_of(Disk& disk, const std::string& path, bool segment) {
  const auto file = disk.open(path, Disk::Mode::read);
  if (!file) return std::nullopt;
  std::string bytes(std::max(kSegmentHeaderBytes, kSnapshotHeaderBytes), '\0');
  const auto got = (*file)->read_at(0, bytes);
  if (!got) return std::nullopt;
  bytes.resize(*got);
  if (segment) {
    const auto parsed = parse_segment_header(bytes);
    return parsed ? std::optional(Trace{parsed->header.store, parsed->header.epoch}) : std::nullopt;
  }
  const auto parsed = parse_snapshot_header(bytes);
  return parsed ? std::optional(Trace{parsed->header.store, parsed->header.epoch}) : std::nullopt;
}

// The epoch of a store whose epoch file is gone, from the other files. Nothing if there are none.
tl::expected<std::optional<Epoch>, Failure> traces(Disk& disk, const Options& options) {
  std::optional<Epoch> epoch;
  // A file of a first start that was interrupted does not count.
  if (const auto found = ReachedFile::read(disk, options.data_directory);
      found && *found && (*found)->reached.epoch > 0) {
    epoch = Epoch{.store = (*found)->reached.store, .epoch = (*found)->reached.epoch};
  }
  for (const bool segment : {true, false}) {
    const std::string& directory = segment ? options.log_directory : options.data_directory;
    const std::string_view prefix = segment ? kSegmentPrefix : kSnapshotPrefix;
    const auto names = disk.list(directory);
    if (!names) return tl::unexpected(cannot("listed", directory, names.error()));
    for (const std::uint64_t number : numbers_of(*names, prefix)) {
      if (!epoch) epoch.emplace();
      if (segment) epoch->segment = number;
      const auto trace = trace_of(disk, join(directory, numbered(prefix, number)), segment);
      if (!trace) continue;
      epoch->store = trace->store;
      epoch->epoch = std::max(epoch->epoch, trace->epoch);
    }
  }
  return epoch;
}

tl::expected<void, Failure> recall_epoch(Disk& disk, const Options& options, Memory& memory, bool& is_new) {
  const auto known = read_epoch(disk, options.data_directory);
  if (known && *known) {
    memory.epoch = **known;
    return {};
  }
  std::optional<Failure> loss;
  if (!known) loss = known.error();
  if (loss && (loss->error || !options.accept_loss)) return tl::unexpected(*loss);
  const auto left = traces(disk, options);
  if (!left) return tl::unexpected(left.error());
  if (!loss && !*left) {
    is_new = true;
    memory.epoch = {.store = disk.random()};
    return {};
  }
  if (!loss) {
    loss = unfit(join(options.data_directory, kEpochFile),
                 "it is missing, but there are a log or snapshots; restore it from a copy");
  }
  if (!options.accept_loss || !*left) return tl::unexpected(*loss);
  memory.epoch = **left;
  memory.losses.push_back(*std::move(loss));
  return {};
}

}  // namespace

tl::expected<Memory, Failure> recall(Disk& disk, const Options& options) {
  Memory memory;
  bool is_new = false;
  if (auto known = recall_epoch(disk, options, memory, is_new); !known) return tl::unexpected(known.error());
  // The file of a start that was interrupted, or one that an older version has not kept up to date.
  if (is_new || !memory.epoch.has_reached) return memory;

  const std::string path = join(options.data_directory, kReachedFile);
  auto found = ReachedFile::read(disk, options.data_directory);
  std::optional<Failure> loss;
  if (!found) {
    loss = found.error();
    if (loss->error) return tl::unexpected(*loss);
  } else if (!*found) {
    loss = unfit(path, fmt::format("it is missing, and without it a log that lost its end looks whole; {}", kRestore));
  } else if ((*found)->reached.store != memory.epoch.store) {
    loss = damaged(path, 0, "it belongs to another store");
  } else if ((*found)->reached.epoch > memory.epoch.epoch) {
    loss = unfit(join(options.data_directory, kEpochFile), fmt::format("it is older than {}; {}", path, kRestore));
  }
  if (!loss) {
    if (!(*found)->complaint.empty()) base::log().warn("{}", (*found)->complaint);
    memory.found = *std::move(found);
    return memory;
  }
  if (!options.accept_loss) return tl::unexpected(*loss);
  if (found && *found && (*found)->reached.store == memory.epoch.store) {
    memory.epoch.epoch = std::max(memory.epoch.epoch, (*found)->reached.epoch);
  }
  memory.losses.push_back(*std::move(loss));
  return memory;
}

}  // namespace holdfast::store
