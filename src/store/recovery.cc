#include "store/recovery.h"

#include <algorithm>

#include "base/assert.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/rewrite.h"
#include "store/segment_reader.h"
#include "store/snapshot_reader.h"

namespace holdfast::store {

namespace {

// Renames a file, for an operator to look at. Replaces a file that was set aside before.
tl::expected<void, Failure> set_aside(Disk& disk, const std::string& path) {
  if (const auto moved = disk.rename(path, path + std::string(kDamagedSuffix)); !moved) {
    return tl::unexpected(cannot("renamed", path, moved.error()));
  }
  return {};
}

tl::expected<void, Failure> copy_aside(Disk& disk, const std::string& path) {
  const std::string to = path + std::string(kDamagedSuffix);
  const auto source = disk.open(path, Disk::Mode::read);
  if (!source) return tl::unexpected(cannot("opened", path, source.error()));
  const auto target = disk.open(to, Disk::Mode::create);
  if (!target) return tl::unexpected(cannot("created", to, target.error()));
  std::string buffer(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = 0;;) {
    const auto got = (*source)->read_at(at, buffer);
    if (!got) return tl::unexpected(cannot("read", path, got.error()));
    if (*got == 0) break;
    const auto written = (*target)->write_at(at, std::string_view(buffer).substr(0, *got));
    if (!written) return tl::unexpected(cannot("written", to, written.error()));
    at += *got;
  }
  if (const auto synced = (*target)->sync(); !synced) return tl::unexpected(cannot("synced", to, synced.error()));
  return {};
}

// Keeps the segments that an accepted loss leaves out of the log.
tl::expected<void, Failure> keep_dropped(Disk& disk, const Options& options, const Plan& plan) {
  if (plan.dropped.empty() && !plan.copy_last) return {};
  const auto path_of = [&](std::uint64_t number) {
    return join(options.log_directory, numbered(kSegmentPrefix, number));
  };
  HOLDFAST_ASSERT(!plan.copy_last || !plan.segments.empty());
  if (plan.copy_last) {
    if (auto copied = copy_aside(disk, path_of(plan.segments.back().number)); !copied) return copied;
  }
  // The newest first, so that a crash leaves a row without a gap.
  auto dropped = plan.dropped;
  std::sort(dropped.begin(), dropped.end());
  for (auto number = dropped.rbegin(); number != dropped.rend(); ++number) {
    if (auto moved = set_aside(disk, path_of(*number)); !moved) return moved;
  }
  if (const auto synced = disk.sync_directory(options.log_directory); !synced) {
    return tl::unexpected(cannot("synced", options.log_directory, synced.error()));
  }
  return {};
}

DiskResult<void> secure_end(File& file, const Plan& plan) {
  HOLDFAST_ASSERT(plan.synced <= plan.end && plan.end <= plan.size, plan.synced, plan.end, plan.size);
  // Also if it seems to end there: a cut whose sync failed is not durable, and has to be repeated.
  if (const auto cut = file.truncate(plan.end); !cut) return cut;
  // The same is true of these bytes; see rewrite.h.
  if (const auto again = rewrite(file, plan.synced, plan.end); !again) return again;
  return file.sync();
}

tl::expected<void, Failure> deliver_segment(Disk& disk, const std::string& path, Index begin, Recovery& recovery,
                                            Recovered& recovered) {
  const auto file = disk.open(path, Disk::Mode::read);
  if (!file) return tl::unexpected(cannot("opened", path, file.error()));
  auto reader = SegmentReader::open(**file, path);
  if (!reader) return tl::unexpected(reader.error());
  while (true) {
    const auto record = reader->next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) return {};
    if ((*record)->index <= begin) continue;
    if (auto taken = recovery.log_record((*record)->index, (*record)->bytes); !taken) {
      return tl::unexpected(damaged(path, reader->last_offset(), taken.error()));
    }
    ++recovered.log_records;
    recovered.log_bytes += (*record)->bytes.size();
  }
}

}  // namespace

tl::expected<void, Failure> secure(Disk& disk, const Options& options, const Plan& plan) {
  if (auto kept = keep_dropped(disk, options, plan); !kept) return kept;
  if (plan.segments.empty()) return {};
  const std::string path = join(options.log_directory, numbered(kSegmentPrefix, plan.segments.back().number));
  const auto file = disk.open(path, Disk::Mode::write);
  if (!file) return tl::unexpected(cannot("opened", path, file.error()));
  if (const auto secured = secure_end(**file, plan); !secured) {
    return tl::unexpected(cannot("written", path, secured.error()));
  }
  return {};
}

tl::expected<Recovered, Failure> deliver(Disk& disk, const Options& options, const Plan& plan, Recovery& recovery) {
  HOLDFAST_ASSERT(plan.first <= plan.segments.size(), plan.first, plan.segments.size());
  Recovered recovered;
  recovered.torn_bytes = plan.torn;
  recovered.damaged_snapshots = plan.passed_over.size();
  for (const Failure& loss : plan.losses) recovered.losses.push_back(loss.message);
  if (plan.snapshot) {
    recovered.snapshot_begin = *plan.snapshot;
    const std::string path = join(options.data_directory, numbered(kSnapshotPrefix, *plan.snapshot));
    const auto file = disk.open(path, Disk::Mode::read);
    if (!file) return tl::unexpected(cannot("opened", path, file.error()));
    const auto content = read_snapshot(**file, path, [&](std::string_view bytes) {
      recovered.snapshot_bytes += bytes.size();
      return recovery.snapshot_record(bytes);
    });
    if (!content) return tl::unexpected(content.error());
    recovered.snapshot_records = content->end.records;
  }
  for (std::size_t i = plan.first; i < plan.segments.size(); ++i) {
    const std::string path = join(options.log_directory, numbered(kSegmentPrefix, plan.segments[i].number));
    const auto delivered = deliver_segment(disk, path, plan.snapshot.value_or(0), recovery, recovered);
    if (!delivered) return tl::unexpected(delivered.error());
  }
  return recovered;
}

}  // namespace holdfast::store
