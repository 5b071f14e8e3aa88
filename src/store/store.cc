#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "store/epoch_file.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/log.h"
#include "store/recovery.h"

namespace holdfast::store {

namespace {

tl::expected<std::unique_ptr<DirectoryLock>, Failure> take(Disk& disk, const std::string& directory) {
  if (const auto made = disk.make_directory(directory); !made) {
    return tl::unexpected(cannot("created", directory, made.error()));
  }
  auto lock = disk.lock(join(directory, kLockFile));
  if (lock) return std::move(*lock);
  const LockRefusal& refusal = lock.error();
  if (refusal.error != std::errc::resource_unavailable_try_again) {
    return tl::unexpected(cannot("locked", directory, refusal.error));
  }
  Failure failure =
      unfit(directory, refusal.process == 0
                           ? "another engine uses this directory"
                           : fmt::format("another engine, process {}, uses this directory", refusal.process));
  failure.error = refusal.error;
  return tl::unexpected(std::move(failure));
}

// One name for one directory: "/a/" and "/a" must not be locked twice.
std::string normal(const std::string& directory) {
  const std::filesystem::path path = std::filesystem::path(directory).lexically_normal();
  return path.has_filename() || !path.has_relative_path() ? path.string() : path.parent_path().string();
}

// What a crash left unfinished. Whether it can be removed matters to nobody.
void remove_temporary_files(Disk& disk, const std::string& directory) {
  const auto names = disk.list(directory);
  if (!names) return;
  for (const std::string& name : *names) {
    if (is_temporary(name)) static_cast<void>(disk.remove(join(directory, name)));
  }
}

// A segment or a snapshot in one of the directories.
tl::expected<bool, Failure> has_data(Disk& disk, const Options& options) {
  for (const std::string& directory : {options.log_directory, options.data_directory}) {
    const auto names = disk.list(directory);
    if (!names) return tl::unexpected(cannot("listed", directory, names.error()));
    if (!numbers_of(*names, kSegmentPrefix).empty() || !numbers_of(*names, kSnapshotPrefix).empty()) return true;
  }
  return false;
}

// The epoch of a store that is not there yet. Without its epoch a store could give out numbers that it has given out before.
tl::expected<Epoch, Failure> first_epoch(Disk& disk, const Options& options) {
  const auto data = has_data(disk, options);
  if (!data) return tl::unexpected(data.error());
  if (!*data) return Epoch{.store = disk.random()};
  return tl::unexpected(unfit(join(options.data_directory, kEpochFile),
                              "it is missing, but there are a log or snapshots; restore it from a copy"));
}

// Out of the way, so that it does not count among those that are kept, and yet at hand for whoever wants to know.
void set_aside(Disk& disk, const DamagedSnapshot& snapshot) {
  base::log().warn("{}; it is passed over, and renamed to {}.damaged", snapshot.why.message, snapshot.path);
  if (const auto moved = disk.rename(snapshot.path, snapshot.path + ".damaged"); !moved) {
    base::log().warn("{}", cannot("renamed", snapshot.path, moved.error()).message);
  }
}

}  // namespace

Store::Store(Disk& disk, Options options) : disk_(disk), options_(std::move(options)) {
  options_.data_directory = normal(options_.data_directory);
  options_.log_directory = options_.log_directory.empty() ? options_.data_directory : normal(options_.log_directory);
  options_.snapshots_kept = std::max<std::size_t>(1, options_.snapshots_kept);
}

Store::~Store() = default;

tl::expected<void, Failure> Store::take_directories() {
  auto data = take(disk_, options_.data_directory);
  if (!data) return tl::unexpected(data.error());
  data_lock_ = std::move(*data);
  if (options_.log_directory == options_.data_directory) return {};
  auto log = take(disk_, options_.log_directory);
  if (!log) return tl::unexpected(log.error());
  log_lock_ = std::move(*log);
  return {};
}

tl::expected<std::unique_ptr<Store>, Failure> Store::open(Disk& disk, const Options& options, Recovery& recovery) {
  std::unique_ptr<Store> store(new Store(disk, options));
  const Options& settled = store->options_;
  if (settled.data_directory.empty()) return tl::unexpected(unfit("store", "it was given no directory"));
  if (auto taken = store->take_directories(); !taken) return tl::unexpected(taken.error());
  remove_temporary_files(disk, settled.data_directory);
  remove_temporary_files(disk, settled.log_directory);

  const auto known = read_epoch(disk, settled.data_directory);
  if (!known) return tl::unexpected(known.error());
  const auto before = *known ? tl::expected<Epoch, Failure>(**known) : first_epoch(disk, settled);
  if (!before) return tl::unexpected(before.error());
  auto plan = Survey(disk, settled, *before).look();
  if (!plan) return tl::unexpected(plan.error());
  if (auto secured = secure(disk, settled, *plan); !secured) return tl::unexpected(secured.error());
  auto recovered = deliver(disk, settled, *plan, recovery);
  if (!recovered) return tl::unexpected(recovered.error());

  const std::uint64_t segment = plan->segments.empty() ? 0 : plan->segments.back().number;
  const Epoch now{before->store, before->epoch + 1, plan->last, segment};
  if (auto written = write_epoch(disk, settled.data_directory, now); !written) return tl::unexpected(written.error());
  for (const DamagedSnapshot& snapshot : plan->passed_over) set_aside(disk, snapshot);
  for (const std::uint64_t number : plan->leftovers) {
    static_cast<void>(disk.remove(join(settled.log_directory, numbered(kSegmentPrefix, number))));
  }
  if (plan->torn > 0) {
    base::log().info("{}: cut {} bytes of a group that was being written when the store stopped", settled.log_directory,
                     plan->torn);
  }
  store->id_ = now.store;
  store->epoch_ = now.epoch;
  store->recovered_ = *recovered;
  store->log_ = std::make_unique<Log>(disk, settled.log_directory, settled, now.store, now.epoch,
                                      std::move(plan->segments), plan->last);
  return store;
}

Index Store::last_index() const noexcept { return log_->last_index(); }

std::uint64_t Store::appended_bytes() const noexcept { return log_->appended_bytes(); }

tl::expected<void, AppendFailure> Store::append(std::span<const Record> records) { return log_->append(records); }

tl::expected<void, Failure> Store::close() { return log_->close(); }

void Store::purge() {
  const auto names = disk_.list(options_.data_directory);
  if (!names) return;
  const auto begins = numbers_of(*names, kSnapshotPrefix);
  if (begins.empty()) return;
  const std::size_t kept = std::min(begins.size(), options_.snapshots_kept);
  const std::size_t surplus = begins.size() - kept;
  for (std::size_t i = 0; i < surplus; ++i) {
    const std::string path = join(options_.data_directory, numbered(kSnapshotPrefix, begins[i]));
    if (const auto gone = disk_.remove(path); !gone) {
      base::log().warn("{}", cannot("removed", path, gone.error()).message);
    }
  }
  log_->purge(begins[surplus]);
}

}  // namespace holdfast::store
