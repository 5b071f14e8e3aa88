#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/recovery.h"
#include "store/segment_reader.h"
#include "store/snapshot_reader.h"
#include "store/zeros.h"

namespace holdfast::store {

namespace {

// How many bytes there are from `offset` to the last that is not zero.
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
  while (true) {
    Plan plan;
    if (auto found = find_segments(plan); !found) return tl::unexpected(found.error());
    if (auto chosen = choose_snapshot(plan); !chosen) return tl::unexpected(chosen.error());
    if (auto read = read_log(plan); !read) return tl::unexpected(read.error());
    if (auto compared = compare(plan); !compared) return tl::unexpected(compared.error());
    const bool whole = !plan.snapshot || end_ <= plan.last;
    // Otherwise the loss was accepted.
    if (!whole && end_ == *plan.snapshot) do_without_log(plan);
    if (whole || end_ == *plan.snapshot) {
      if (options_.accept_loss) keep_what_is_left_out(plan);
      // Without an accepted loss nothing is left out.
      HOLDFAST_ASSERT(options_.accept_loss || (plan.losses.empty() && plan.dropped.empty() && !plan.copy_last),
                      plan.losses.size(), plan.dropped.size());
      HOLDFAST_ASSERT(plan.segments.empty() || plan.last >= plan.segments.back().after, plan.last);
      return plan;
    }
    // It shows some of the changes between its beginning and its end, and is of no use without all of them.
    const std::string path = join(options_.data_directory, numbered(kSnapshotPrefix, *plan.snapshot));
    const std::string why =
        fmt::format("it needs the log up to index {}, which ends with {}; {}", end_, plan.last, kRestore);
    unusable_.push_back({path, unfit(path, why)});
  }
}

tl::expected<void, Failure> Survey::lose(Plan& plan, Failure what) const {
  if (!options_.accept_loss) return tl::unexpected(std::move(what));
  plan.losses.push_back(std::move(what));
  return {};
}

tl::expected<void, Failure> Survey::compare(Plan& plan) {
  struct Witness {
    std::string file;
    Index index = 0;
  };
  const std::string& directory = options_.data_directory;
  std::vector<Witness> witnesses{{join(directory, kEpochFile), known_.reached}};
  // A snapshot gets its name when the log is durable up to its beginning; that is true of a damaged snapshot as well.
  if (!begins_.empty()) {
    witnesses.push_back({join(directory, numbered(kSnapshotPrefix, begins_.back())), begins_.back()});
  }
  if (plan.snapshot) witnesses.push_back({join(directory, numbered(kSnapshotPrefix, *plan.snapshot)), end_});
  if (reached_) witnesses.push_back({join(directory, kReachedFile), reached_->needed(disk_.boot())});
  const auto most = std::max_element(witnesses.begin(), witnesses.end(),
                                     [](const Witness& a, const Witness& b) { return a.index < b.index; });
  if (plan.last >= most->index) return compare_age(plan);
  const std::string what =
      fmt::format("the log ends with index {}, but had reached index {}, as {} shows: its end is missing; {}",
                  plan.last, most->index, most->file, kRestore);
  if (plan.segments.empty()) return lose(plan, unfit(options_.log_directory, what));
  const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, plan.segments.back().number));
  plan.copy_last = options_.accept_loss;
  return lose(plan, damaged(path, plan.end, what));
}

// A group is appended only after `reached` was told of the group before. So after the end that `reached` knows there can be one group, and none of
// its records can have been written when a part of it was synced. If there is one, `reached` is older than the log, or could not be written, and
// the torn end may be a part of what was acknowledged.
tl::expected<void, Failure> Survey::compare_age(Plan& plan) const {
  if (!reached_ || !reached_->is_exact(disk_.boot()) || plan.segments.empty() || plan.sealed) return {};
  const std::uint64_t number = plan.segments.back().number;
  const std::uint64_t known = reached_->segment == number ? reached_->offset : kSegmentHeaderBytes;
  const bool has_open_end = plan.torn > 0 || (reached_->writes_ahead && plan.end == plan.size);
  if (plan.synced <= known || !has_open_end) return {};
  const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, number));
  plan.copy_last = options_.accept_loss;
  return lose(plan,
              damaged(path, plan.end,
                      fmt::format("the records end with index {}, and {}, which would tell how far they had got, is "
                                  "older than some of them (it knows of index {}): the end may be missing; {}",
                                  plan.last, join(options_.data_directory, kReachedFile), reached_->index, kRestore)));
}

void Survey::do_without_log(Plan& plan) const {
  for (const SegmentHeader& segment : plan.segments) plan.dropped.push_back(segment.number);
  plan.segments.clear();
  plan.first = 0;
  plan.last = end_;
  plan.end = plan.size = plan.synced = plan.torn = 0;
  plan.copy_last = false;
}

void Survey::keep_what_is_left_out(Plan& plan) {
  for (auto& [number, why] : plan.unreadable) {
    // The chosen snapshot reaches up to the beginning of the log after it.
    const bool needed = plan.segments.empty() || number > plan.segments.front().number;
    if (!needed) why.message += "; a snapshot has everything that stood in it";
    plan.losses.push_back(why);
    plan.dropped.push_back(number);
  }
  plan.dropped.insert(plan.dropped.end(), plan.leftovers.begin(), plan.leftovers.end());
  plan.leftovers.clear();
}

tl::expected<SegmentHeader, Failure> Survey::read_header(std::uint64_t number) const {
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
  if (auto forgotten = forget_unused(plan, numbers); !forgotten) return forgotten;
  if (known_.segment > (numbers.empty() ? 0 : numbers.back())) {
    const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, known_.segment));
    const auto elsewhere = numbers.empty() ? "if the log is in another directory, name that (--log-dir); else " : "";
    auto lost = lose(plan, unfit(path, fmt::format("it is missing, and was the newest segment of the log; {}{}",
                                                   elsewhere, kRestore)));
    if (!lost) return lost;
  }
  return take_last_row(plan, numbers);
}

tl::expected<void, Failure> Survey::take_last_row(Plan& plan, const std::vector<std::uint64_t>& numbers) const {
  plan.segments.clear();
  // A purge removes the oldest first, but a crash may undo some of its removals: segments before a gap do not count.
  std::size_t first = numbers.empty() ? 0 : numbers.size() - 1;
  while (first > 0 && numbers[first - 1] + 1 == numbers[first]) --first;
  plan.leftovers.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < numbers.size(); ++i) {
    auto header = read_header(numbers[i]);
    if (header && !plan.segments.empty() && header->after < plan.segments.back().after) {
      const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, numbers[i]));
      header =
          tl::unexpected(damaged(path, 0, fmt::format("it begins before the segment that it follows; {}", kRestore)));
    }
    if (!header) {
      // The system's error may be temporary.
      if (header.error().error || !options_.accept_loss) return tl::unexpected(header.error());
      plan.unreadable.push_back({numbers[i], header.error()});
      continue;
    }
    // After a segment without a header the log goes on, as after a gap.
    if (!plan.segments.empty() && plan.segments.back().number + 1 != header->number) {
      for (const SegmentHeader& segment : std::exchange(plan.segments, {})) plan.leftovers.push_back(segment.number);
    }
    plan.segments.push_back(*header);
  }
  if (!plan.segments.empty() || plan.leftovers.empty()) return {};
  const auto before = std::exchange(plan.leftovers, {});
  return take_last_row(plan, before);
}

tl::expected<void, Failure> Survey::forget_unused(Plan& plan, std::vector<std::uint64_t>& numbers) {
  if (numbers.empty() || numbers.back() <= known_.segment) return {};
  // The epoch file does not know it, so nothing was appended, and its name may not even be durable. The log begins it again.
  if (const auto header = read_header(numbers.back()); !header) {
    return options_.accept_loss && !header.error().error ? tl::expected<void, Failure>()
                                                         : tl::unexpected(header.error());
  }
  const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, numbers.back()));
  const auto file = disk_.open(path, Disk::Mode::read);
  if (!file) return tl::unexpected(cannot("opened", path, file.error()));
  const auto size = (*file)->size();
  if (!size) return tl::unexpected(cannot("read", path, size.error()));
  if (*size > kSegmentHeaderBytes || numbers.back() != known_.segment + 1) {
    return lose(
        plan, unfit(join(options_.data_directory, kEpochFile), fmt::format("it is older than {}; {}", path, kRestore)));
  }
  numbers.pop_back();
  return {};
}

tl::expected<void, Failure> Survey::choose_snapshot(Plan& plan) {
  const auto names = disk_.list(options_.data_directory);
  if (!names) return tl::unexpected(cannot("listed", options_.data_directory, names.error()));
  begins_ = numbers_of(*names, kSnapshotPrefix);
  end_ = 0;
  // The log has no records up to here any more.
  const Index missing = plan.segments.empty() ? 0 : plan.segments.front().after;
  for (auto begin = begins_.rbegin(); begin != begins_.rend(); ++begin) {
    // An operator who accepts a loss wants all damaged files removed, also those that are not needed.
    const bool needed = *begin >= missing && !plan.snapshot;
    if (!needed && !options_.accept_loss) break;
    const std::string path = join(options_.data_directory, numbered(kSnapshotPrefix, *begin));
    const auto unusable = std::find_if(unusable_.begin(), unusable_.end(),
                                       [&](const DamagedSnapshot& snapshot) { return snapshot.path == path; });
    if (unusable != unusable_.end()) {
      plan.passed_over.push_back(*unusable);
      continue;
    }
    const auto file = disk_.open(path, Disk::Mode::read);
    if (!file) return tl::unexpected(cannot("opened", path, file.error()));
    auto content = read_snapshot(**file, path, [](std::string_view) { return tl::expected<void, std::string>(); });
    if (content && content->header.store != known_.store) {
      return tl::unexpected(damaged(path, 0, "it is a snapshot of another store"));
    }
    if (content && content->header.begin != *begin)
      content = tl::unexpected(damaged(path, 0, "it is another one under this name"));
    if (content && needed) {
      plan.snapshot = *begin;
      end_ = content->end.end;
    }
    if (content) continue;
    // The system's error may be temporary; the next start may find the snapshot whole.
    if (content.error().error) return tl::unexpected(content.error());
    plan.passed_over.push_back({path, content.error()});
  }
  if (missing == 0 || plan.snapshot) return {};
  const std::uint64_t gone = plan.segments.front().number - 1;
  if (options_.accept_loss) {
    if (auto used = use_segments_before_gap(plan); !used) return used;
    if (!plan.segments.empty()) {
      plan.passed_over.clear();
      return choose_snapshot(plan);
    }
    if (choose_older_snapshot(plan, missing)) return {};
  }
  if (!plan.passed_over.empty()) return tl::unexpected(plan.passed_over.front().why);
  return tl::unexpected(unfit(
      join(options_.log_directory, numbered(kSegmentPrefix, gone)),
      fmt::format("it is missing, and no snapshot reaches up to index {}, where it ended; {}", missing, kRestore)));
}

// If nothing after the gap can be used, the supposed leftovers of a purge are the log.
tl::expected<void, Failure> Survey::use_segments_before_gap(Plan& plan) const {
  for (const SegmentHeader& segment : plan.segments) plan.dropped.push_back(segment.number);
  const auto before = std::exchange(plan.leftovers, {});
  return take_last_row(plan, before);
}

// A snapshot that was taken while nothing changed needs no log. The rest of the log is of no use then, because of the gap before it.
bool Survey::choose_older_snapshot(Plan& plan, Index missing) {
  for (auto begin = begins_.rbegin(); begin != begins_.rend(); ++begin) {
    if (*begin >= missing) continue;
    const std::string path = join(options_.data_directory, numbered(kSnapshotPrefix, *begin));
    const auto file = disk_.open(path, Disk::Mode::read);
    if (!file) continue;
    const auto content =
        read_snapshot(**file, path, [](std::string_view) { return tl::expected<void, std::string>(); });
    const bool whole = content && content->header.store == known_.store && content->header.begin == *begin;
    if (!whole || content->end.end != *begin) continue;
    plan.snapshot = *begin;
    end_ = *begin;
    return true;
  }
  return false;
}

tl::expected<void, Failure> Survey::read_log(Plan& plan) {
  const Index begin = plan.snapshot.value_or(0);
  while (plan.first + 1 < plan.segments.size() && plan.segments[plan.first + 1].after <= begin) ++plan.first;
  for (std::size_t i = plan.first; i < plan.segments.size(); ++i) {
    auto read = read_segment(plan, i);
    if (read) continue;
    // The system's error may be temporary.
    if (read.error().error) return read;
    if (auto lost = lose(plan, read.error()); !lost) return lost;
    // Only if a loss is accepted.
    HOLDFAST_ASSERT(options_.accept_loss && !plan.losses.empty(), i);
    plan.copy_last = true;
    for (std::size_t behind = i + 1; behind < plan.segments.size(); ++behind) {
      plan.dropped.push_back(plan.segments[behind].number);
    }
    plan.segments.resize(i + 1);
  }
  return {};
}

tl::expected<void, Failure> Survey::read_segment(Plan& plan, std::size_t i) {
  const std::string path = join(options_.log_directory, numbered(kSegmentPrefix, plan.segments[i].number));
  const auto file = disk_.open(path, Disk::Mode::read);
  if (!file) return tl::unexpected(cannot("opened", path, file.error()));
  auto reader = SegmentReader::open(**file, path);
  if (!reader) return tl::unexpected(reader.error());
  std::optional<Failure> damage;
  while (true) {
    const auto record = reader->next();
    if (!record) damage = record.error();
    if (!record || !*record) break;
  }
  plan.last = reader->last_index();
  plan.end = reader->offset();
  plan.size = reader->size();
  plan.synced = std::min(reader->synced(), reader->offset());
  plan.sealed = reader->sealed();
  if (damage) return tl::unexpected(*std::move(damage));
  if (i + 1 < plan.segments.size()) {
    // This segment was made durable, and cut to its end, before the next one was begun.
    if (plan.end == plan.size && plan.last == plan.segments[i + 1].after) return {};
    return tl::unexpected(
        damaged(path, plan.end,
                fmt::format("the records end with index {}, and the next segment follows index {}; {}", plan.last,
                            plan.segments[i + 1].after, kRestore)));
  }
  const auto torn = torn_bytes(**file, path, plan.end, plan.size);
  if (!torn) return tl::unexpected(torn.error());
  plan.torn = *torn;
  return {};
}

}  // namespace holdfast::store
