#include "store/inspection.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/failures.h"
#include "store/file_names.h"
#include "store/memory.h"
#include "store/recovery.h"
#include "store/segment_reader.h"
#include "store/snapshot_reader.h"

namespace holdfast::store {

namespace {

// A running engine may purge files while this reads them; then it starts again.
constexpr int kAttempts = 5;

class Inspector {
 public:
  Inspector(Disk& disk, const Options& options) : disk_(disk), options_(options) {}

  tl::expected<Inspection, Failure> look() {
    say_whose();
    // First how far the log has got, then the log, because the log may grow meanwhile.
    auto memory = recall(disk_, options_);
    if (!memory) return verdict(memory.error());
    if (memory->epoch.epoch == 0) return verdict(unfit(options_.data_directory, "there is no store in it"));
    say(fmt::format("{:<27}opened {} times, store {:016x}", kEpochFile, memory->epoch.epoch, memory->epoch.store));
    if (const auto reached = memory->reached()) {
      say(fmt::format("{:<27}index {}, in {} up to offset {}", kReachedFile, reached->index,
                      numbered(kSegmentPrefix, reached->segment), reached->offset));
    }
    if (auto listed = list(options_.data_directory, kSnapshotPrefix); !listed) return tl::unexpected(listed.error());
    if (auto listed = list(options_.log_directory, kSegmentPrefix); !listed) return tl::unexpected(listed.error());

    const auto plan = Survey(disk_, options_, memory->epoch, memory->reached()).look();
    if (!plan) return verdict(plan.error());
    if (!damage_.empty()) return verdict(damage_.front());
    found_.whole = true;
    const auto reached = memory->reached();
    const bool exact = reached && reached->is_exact(disk_.boot());
    say(fmt::format(
        "whole: a start begins with {} and reads the log up to index {}{}",
        plan->snapshot ? numbered(kSnapshotPrefix, *plan->snapshot) : "nothing", plan->last,
        plan->torn == 0
            ? ""
            : fmt::format(", and cuts {} bytes at offset {} of {}: of a group that was being written when the "
                          "store stopped{}",
                          plan->torn, plan->end, numbered(kSegmentPrefix, plan->segments.back().number),
                          exact ? "" : ", or of one that was damaged since")));
    return std::move(found_);
  }

 private:
  void say(std::string line) { found_.lines.push_back(std::move(line)); }

  void say_whose() {
    for (const std::string& directory : {options_.data_directory, options_.log_directory}) {
      const auto process = disk_.locked_by(join(directory, kLockFile));
      const std::string who = process && *process != 0 ? fmt::format(" (process {})", *process) : "";
      say(process ? fmt::format("{}: an engine{} uses it now", directory, who) : directory + ": no engine uses it");
      if (options_.log_directory == options_.data_directory) break;
    }
  }

  Inspection verdict(const Failure& failure) {
    say(fmt::format("not whole: {}", failure.message));
    return std::move(found_);
  }

  tl::expected<void, Failure> list(const std::string& directory, std::string_view prefix) {
    const auto names = disk_.list(directory);
    if (!names) return tl::unexpected(cannot("listed", directory, names.error()));
    for (const std::uint64_t number : numbers_of(*names, prefix)) {
      const std::string name = numbered(prefix, number);
      const std::string path = join(directory, name);
      const auto file = disk_.open(path, Disk::Mode::read);
      if (!file) return tl::unexpected(cannot("opened", path, file.error()));
      const auto size = (*file)->size();
      if (!size) return tl::unexpected(cannot("read", path, size.error()));
      const auto content = prefix == kSegmentPrefix ? segment(**file, path) : snapshot(**file, path);
      if (!content) damage_.push_back(content.error());
      say(fmt::format("{:<27}{} bytes, {}", name, *size, content ? *content : "damaged: " + content.error().message));
    }
    for (const std::string& name : *names) {
      if (name.starts_with(prefix) && name.ends_with(kDamagedSuffix)) say(fmt::format("{:<27}set aside", name));
    }
    return {};
  }

  static tl::expected<std::string, Failure> snapshot(File& file, const std::string& path) {
    const auto content = read_snapshot(file, path, [](std::string_view) { return tl::expected<void, std::string>(); });
    if (!content) return tl::unexpected(content.error());
    return fmt::format("{} records, from index {} to {}", content->end.records, content->header.begin,
                       content->end.end);
  }

  static tl::expected<std::string, Failure> segment(File& file, const std::string& path) {
    auto reader = SegmentReader::open(file, path);
    if (!reader) return tl::unexpected(reader.error());
    std::uint64_t records = 0;
    while (true) {
      const auto record = reader->next();
      if (!record) return tl::unexpected(record.error());
      if (!*record) break;
      ++records;
    }
    const std::uint64_t behind = reader->size() - reader->offset();
    return fmt::format("{} records, after index {} up to {}{}", records, reader->header().after, reader->last_index(),
                       reader->sealed() ? ", closed"
                       : behind > 0     ? fmt::format(", {} bytes behind them", behind)
                                        : "");
  }

  Disk& disk_;
  const Options& options_;
  Inspection found_;
  std::vector<Failure> damage_;
};

}  // namespace

Inspection inspect(Disk& disk, const Options& options) {
  Options settled = options;
  if (settled.log_directory.empty()) settled.log_directory = settled.data_directory;
  for (int attempt = 1;; ++attempt) {
    auto found = Inspector(disk, settled).look();
    if (found) return *std::move(found);
    if (found.error().error != std::errc::no_such_file_or_directory || attempt == kAttempts) {
      return {false, {fmt::format("not whole: {}", found.error().message)}};
    }
  }
}

}  // namespace holdfast::store
