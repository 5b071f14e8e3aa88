#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/assert.h"
#include "base/log.h"
#include "store/epoch_file.h"
#include "store/failures.h"
#include "store/file_names.h"
#include "store/log.h"
#include "store/memory.h"
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

bool has_log(Disk& disk, const Options& options) {
  const auto log = disk.list(options.log_directory);
  return log && !numbers_of(*log, kSegmentPrefix).empty();
}

// Whether there is any file that only a store makes.
bool holds_store(Disk& disk, const Options& options) {
  const auto data = disk.list(options.data_directory);
  return (data && (std::find(data->begin(), data->end(), kEpochFile) != data->end() ||
                   !numbers_of(*data, kSnapshotPrefix).empty())) ||
         has_log(disk, options);
}

// One name for one directory: "/a/" and "/a" must not be locked twice.
std::string normal(const std::string& directory) {
  const std::filesystem::path path = std::filesystem::path(directory).lexically_normal();
  return path.has_filename() || !path.has_relative_path() ? path.string() : path.parent_path().string();
}

// Files that a crash left unfinished. Whether they can be removed does not matter.
void remove_temporary_files(Disk& disk, const std::string& directory) {
  const auto names = disk.list(directory);
  if (!names) return;
  for (const std::string& name : *names) {
    if (is_temporary(name)) static_cast<void>(disk.remove(join(directory, name)));
  }
}

// Renames it, so that it does not count among the snapshots that are kept, and an operator can still look at it.
void set_aside(Disk& disk, const DamagedSnapshot& snapshot) {
  const std::string to = snapshot.path + std::string(kDamagedSuffix);
  base::log().warn("{}; it is passed over, and renamed to {}", snapshot.why.message, to);
  if (const auto moved = disk.rename(snapshot.path, to); !moved) {
    base::log().warn("{}", cannot("renamed", snapshot.path, moved.error()).message);
  }
}

// Logs every cut, with what it removed. Zeros that were written ahead are not a loss.
void say_what_was_cut(Disk& disk, const Options& options, const Plan& plan, const std::optional<Reached>& reached) {
  for (const Failure& loss : plan.losses) base::log().warn("accepted: {}", loss.message);
  for (const std::uint64_t number : plan.dropped) {
    const std::string path = join(options.log_directory, numbered(kSegmentPrefix, number));
    base::log().warn("{}: not used any more, and renamed to {}{}", path, path, kDamagedSuffix);
  }
  if (!plan.leftovers.empty()) {
    base::log().info("{}: removed {} segments that a purge had left", options.log_directory, plan.leftovers.size());
  }
  const bool exact = reached && reached->is_exact(disk.boot());
  if (reached && reached->index > plan.last && plan.losses.empty()) {
    base::log().warn(
        "{}: the log ends with index {}, but index {} was acknowledged before the machine stopped: what is "
        "between is lost, as it may be with a durability below power",
        options.log_directory, plan.last, reached->index);
  }
  if (plan.segments.empty()) return;
  const std::string path = join(options.log_directory, numbered(kSegmentPrefix, plan.segments.back().number));
  if (plan.torn > 0) {
    base::log().warn(
        "{}: cut at offset {}, behind index {}: {} bytes of a group that was being written when the store stopped{}",
        path, plan.end, plan.last, plan.torn,
        exact ? "; as the file reached has it, it was never acknowledged" : ", or of one that was damaged since");
  } else if (plan.end < plan.size) {
    base::log().info("{}: cut at offset {}, behind index {}: {} bytes of zeros, written ahead", path, plan.end,
                     plan.last, plan.size - plan.end);
  } else if (reached && !exact && !plan.sealed && reached->writes_ahead &&
             reached->epoch == plan.segments.back().epoch) {
    base::log().warn(
        "{}: ends at offset {}, behind index {}, without zeros written ahead: either there was no room for them, or "
        "its "
        "end was cut off after a loss of power",
        path, plan.end, plan.last);
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
  // The directory is probably misspelt. Checked before anything is made in it.
  if (settled.accept_loss && !holds_store(disk, settled)) {
    return tl::unexpected(unfit(settled.data_directory, "there is no store in it, so there is no loss to accept"));
  }
  if (auto taken = store->take_directories(); !taken) return tl::unexpected(taken.error());
  remove_temporary_files(disk, settled.data_directory);
  remove_temporary_files(disk, settled.log_directory);

  const auto memory = recall(disk, settled);
  if (!memory) return tl::unexpected(memory.error());
  if (settled.accept_loss && options.log_directory.empty() && !has_log(disk, settled) && memory->epoch.segment > 0) {
    return tl::unexpected(unfit(settled.data_directory,
                                fmt::format("there is no log in it; if that is in another directory, name it with "
                                            "--log-dir; if it is lost, say so with --log-dir {}",
                                            settled.data_directory)));
  }
  auto plan = Survey(disk, settled, memory->epoch, memory->reached()).look();
  if (!plan) return tl::unexpected(plan.error());
  plan->losses.insert(plan->losses.begin(), memory->losses.begin(), memory->losses.end());
  if (auto secured = secure(disk, settled, *plan); !secured) return tl::unexpected(secured.error());
  auto recovered = deliver(disk, settled, *plan, recovery);
  if (!recovered) return tl::unexpected(recovered.error());

  const Epoch& before = memory->epoch;
  // Before the epoch file says that `reached` exists.
  auto reached =
      memory->found && !settled.accept_loss
          ? ReachedFile::open(disk, settled.data_directory, *memory->found)
          : ReachedFile::create(disk, settled.data_directory, {.store = before.store, .epoch = before.epoch});
  if (!reached) return tl::unexpected(reached.error());
  const bool without_log = plan->segments.empty() && plan->last > 0;
  const std::uint64_t segment = plan->segments.empty() ? 0 : plan->segments.back().number;
  const std::uint64_t step = settled.accept_loss ? kEpochsOfALoss : 1;
  const Epoch now{before.store, before.epoch + step, plan->last, segment};
  // An epoch is never used twice.
  HOLDFAST_ASSERT(now.epoch > before.epoch, now.epoch, before.epoch);
  if (auto written = write_epoch(disk, settled.data_directory, now); !written) return tl::unexpected(written.error());
  for (const DamagedSnapshot& snapshot : plan->passed_over) set_aside(disk, snapshot);
  for (const std::uint64_t number : plan->leftovers) {
    static_cast<void>(disk.remove(join(settled.log_directory, numbered(kSegmentPrefix, number))));
  }
  say_what_was_cut(disk, settled, *plan, memory->reached());
  store->id_ = now.store;
  store->epoch_ = now.epoch;
  store->recovered_ = *std::move(recovered);
  store->log_ =
      std::make_unique<Log>(disk, settled.log_directory, settled,
                            Log::Start{now.store, now.epoch, std::move(plan->segments), plan->end, plan->last,
                                       *std::move(reached), [locks = store.get()] { return locks->in_place(); }});
  if (without_log) {
    if (auto begun = store->log_->begin_first_segment(); !begun) return tl::unexpected(begun.error());
  }
  return store;
}

bool Store::in_place() const { return data_lock_->in_place() && (!log_lock_ || log_lock_->in_place()); }

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
  HOLDFAST_ASSERT(kept >= 1 && surplus < begins.size(), kept, surplus, begins.size());
  log_->purge(begins[surplus]);
}

}  // namespace holdfast::store
