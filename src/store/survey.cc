#include <fmt/format.h>

#include <algorithm>

#include "store/failures.h"
#include "store/file_names.h"
#include "store/recovery.h"
#include "store/segment_reader.h"
#include "store/snapshot_reader.h"
#include "store/zeros.h"

namespace holdfast::store {

namespace {

// How many bytes from `offset` on are not zeros, or stand before one that is not.
tl::expected<std::uint64_t, Failure> torn_bytes(File& file, const std::string& path, std::uint64_t offset,
                                                std::uint64_t size) {
  constexpr std::size_t kStep = std::size_t{4} << 10;
  std::uint64_t torn = 0;
  Window window(file);
  for (std::uint64_t at = offset; at < size; at += kStep) {
    const auto bytes = window.view(at, static_cast<std::size_t>(std::min<std::uint64_t>(kStep, size - at)));
    if (!bytes) return tl::unexpected(cannot("read", path, bytes.error()));
    if (!all_zeros(*bytes)) torn = at + bytes->find_last_not_of('\0') + 1 - offset;
  }
  return torn;
}

}  // namespace

tl::expected<Plan, Failure> Survey::look() {
  Plan plan;
  if (auto found = find_segments(plan); !found) return tl::unexpected(found.error());
  if (auto chosen = choose_snapshot(plan); !chosen) return tl::unexpected(chosen.error());
  if (auto read = read_log(plan); !read) return tl::unexpected(read.error());
  if (plan.last < end_ || plan.last < known_.reached) {
    return tl::unexpected(unfit(options_.log_directory,
                                fmt::format("the log ends at index {}, but had reached {}: the end of it is missing; "
                                            "restore the store from a copy",
                                            plan.last, std::max(end_, known_.reached))));
  }
  return plan;
}

tl::expected<SegmentHeader, Failure> Survey::read_header(std::uint64_t number) {
  const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, number));
  const auto file = disk_.open(path, Disk::Mode::read);
  if (!file) return tl::unexpected(cannot("opened", path, file.error()));
  const auto reader = SegmentReader::open(**file, path);
  if (!reader) return tl::unexpected(reader.error());
  const SegmentHeader& header = reader->header();
  if (header.store != known_.store) return tl::unexpected(damaged(path, 0, "it is a segment of another store"));
  if (header.number != number) return tl::unexpected(damaged(path, 0, "it is another segment under this name"));
  return header;
}

tl::expected<void, Failure> Survey::find_segments(Plan& plan) {
  const auto names = disk_.list(options_.log_directory);
  if (!names) return tl::unexpected(cannot("listed", options_.log_directory, names.error()));
  auto numbers = numbers_of(*names, kSegmentPrefix);
  if (auto forgotten = forget_unused(numbers); !forgotten) return forgotten;
  if (known_.segment > (numbers.empty() ? 0 : numbers.back())) {
    return tl::unexpected(unfit(join(options_.log_directory, numbered(kSegmentPrefix, known_.segment)),
                                "it is missing, and was the newest segment of the log; restore the store from a copy"));
  }
  // A purge removes the oldest first, but a crash may undo some of its removals: what stands before a gap does not count.
  std::size_t first = numbers.empty() ? 0 : numbers.size() - 1;
  while (first > 0 && numbers[first - 1] + 1 == numbers[first]) --first;
  plan.leftovers.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < numbers.size(); ++i) {
    auto header = read_header(numbers[i]);
    if (!header) return tl::unexpected(header.error());
    if (!plan.segments.empty() && header->after < plan.segments.back().after) {
      const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, numbers[i]));
      return tl::unexpected(damaged(path, 0, "it begins before the segment that it follows"));
    }
    plan.segments.push_back(*header);
  }
  return {};
}

tl::expected<void, Failure> Survey::forget_unused(std::vector<std::uint64_t>& numbers) {
  if (numbers.empty() || numbers.back() <= known_.segment) return {};
  // The epoch file did not get to know it, so nothing was appended, and its name may not even be durable. The log begins it again.
  if (const auto header = read_header(numbers.back()); !header) return tl::unexpected(header.error());
  const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, numbers.back()));
  const auto file = disk_.open(path, Disk::Mode::read);
  if (!file) return tl::unexpected(cannot("opened", path, file.error()));
  const auto size = (*file)->size();
  if (!size) return tl::unexpected(cannot("read", path, size.error()));
  if (*size > kSegmentHeaderBytes || numbers.back() != known_.segment + 1) {
    return tl::unexpected(unfit(join(options_.data_directory, kEpochFile),
                                fmt::format("it is older than {}; restore the store from a copy", path)));
  }
  numbers.pop_back();
  return {};
}

tl::expected<void, Failure> Survey::choose_snapshot(Plan& plan) {
  const auto names = disk_.list(options_.data_directory);
  if (!names) return tl::unexpected(cannot("listed", options_.data_directory, names.error()));
  const auto begins = numbers_of(*names, kSnapshotPrefix);
  // Up to here, nothing is in the log any more.
  const Index missing = plan.segments.empty() ? 0 : plan.segments.front().after;
  for (auto begin = begins.rbegin(); begin != begins.rend(); ++begin) {
    if (*begin < missing) break;
    const std::string path = join(options_.data_directory, numbered(kSnapshotPrefix, *begin));
    const auto file = disk_.open(path, Disk::Mode::read);
    if (!file) return tl::unexpected(cannot("opened", path, file.error()));
    auto content = read_snapshot(**file, path, [](std::string_view) { return tl::expected<void, std::string>(); });
    if (content && content->header.store != known_.store) {
      return tl::unexpected(damaged(path, 0, "it is a snapshot of another store"));
    }
    if (content && content->header.begin != *begin)
      content = tl::unexpected(damaged(path, 0, "it is another one under this name"));
    if (content) {
      plan.snapshot = *begin;
      end_ = content->end.end;
      return {};
    }
    // The system's complaint may go away; the next start may find the snapshot whole.
    if (content.error().error) return tl::unexpected(content.error());
    plan.passed_over.push_back({path, content.error()});
  }
  if (missing == 0) return {};
  if (!plan.passed_over.empty()) return tl::unexpected(plan.passed_over.front().why);
  const std::uint64_t gone = plan.segments.front().number - 1;
  return tl::unexpected(
      unfit(join(options_.log_directory, numbered(kSegmentPrefix, gone)),
            fmt::format("it is missing, and no snapshot reaches up to index {}, where it ended; restore "
                        "the store from a copy",
                        missing)));
}

tl::expected<void, Failure> Survey::read_log(Plan& plan) {
  if (plan.segments.empty()) return {};
  const Index begin = plan.snapshot.value_or(0);
  while (plan.first + 1 < plan.segments.size() && plan.segments[plan.first + 1].after <= begin) ++plan.first;
  for (std::size_t i = plan.first; i < plan.segments.size(); ++i) {
    const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, plan.segments[i].number));
    const auto file = disk_.open(path, Disk::Mode::read);
    if (!file) return tl::unexpected(cannot("opened", path, file.error()));
    auto reader = SegmentReader::open(**file, path);
    if (!reader) return tl::unexpected(reader.error());
    while (true) {
      const auto record = reader->next();
      if (!record) return tl::unexpected(record.error());
      if (!*record) break;
    }
    plan.last = reader->last_index();
    if (i + 1 < plan.segments.size()) {
      // It was made durable, and cut to its end, before the next one was begun.
      if (reader->offset() != reader->size() || plan.last != plan.segments[i + 1].after) {
        return tl::unexpected(damaged(
            path, reader->offset(),
            fmt::format(
                "the records end with index {}, and the next segment follows index {}; restore the store from a copy",
                plan.last, plan.segments[i + 1].after)));
      }
      continue;
    }
    const auto torn = torn_bytes(**file, path, reader->offset(), reader->size());
    if (!torn) return tl::unexpected(torn.error());
    plan.torn = *torn;
    plan.end = reader->offset();
    plan.synced = std::min(reader->synced(), reader->offset());
  }
  return {};
}

}  // namespace holdfast::store
