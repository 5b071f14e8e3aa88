#include "support/simulated_disk.h"

#include <algorithm>
#include <utility>

namespace holdfast::testing {

using store::DiskResult;

namespace {

tl::unexpected<std::error_code> failed(std::errc error) { return tl::unexpected(std::make_error_code(error)); }

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

class SimulatedFile final : public store::File {
 public:
  SimulatedFile(SimulatedDisk& disk, std::shared_ptr<SimulatedDisk::Inode> inode, bool writable)
      : disk_(disk), inode_(std::move(inode)), writable_(writable), told_(inode_->lost_syncs) {}

  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
    const std::scoped_lock hold(disk_.mutex_);
    if (const auto error = disk_.count_call()) return tl::unexpected(error);
    if (offset >= inode_->visible.size()) return std::size_t{0};
    return inode_->visible.copy(into.data(), into.size(), offset);
  }

  DiskResult<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    const std::scoped_lock hold(disk_.mutex_);
    if (!writable_) return failed(std::errc::bad_file_descriptor);
    auto fault = SimulatedDisk::Fault::io_error;
    if (const auto error = disk_.count_call(&fault)) {
      if (fault == SimulatedDisk::Fault::short_one) {
        disk_.change(*inode_, {offset, std::string(bytes.substr(0, bytes.size() / 2))});
      }
      return tl::unexpected(error);
    }
    const std::size_t room = disk_.room_for(*inode_, offset, bytes.size());
    disk_.change(*inode_, {offset, std::string(bytes.substr(0, room))});
    if (room < bytes.size()) return failed(std::errc::no_space_on_device);
    return {};
  }

  DiskResult<std::uint64_t> size() override {
    const std::scoped_lock hold(disk_.mutex_);
    if (const auto error = disk_.count_call()) return tl::unexpected(error);
    return inode_->visible.size();
  }

  DiskResult<void> truncate(std::uint64_t size) override {
    const std::scoped_lock hold(disk_.mutex_);
    if (!writable_) return failed(std::errc::bad_file_descriptor);
    if (const auto error = disk_.count_call()) return tl::unexpected(error);
    disk_.change(*inode_, {size, {}, true});
    return {};
  }

  DiskResult<void> sync() override {
    const std::scoped_lock hold(disk_.mutex_);
    if (const auto error = disk_.count_call()) {
      disk_.keep_some(*inode_);
      told_ = ++inode_->lost_syncs;
      return tl::unexpected(error);
    }
    for (const auto& change : inode_->unsynced) SimulatedDisk::apply(inode_->durable, change);
    inode_->unsynced.clear();
    if (std::exchange(told_, inode_->lost_syncs) != inode_->lost_syncs) return failed(std::errc::io_error);
    return {};
  }

 private:
  SimulatedDisk& disk_;
  std::shared_ptr<SimulatedDisk::Inode> inode_;
  bool writable_;
  std::uint64_t told_;
};

class SimulatedLock final : public store::DirectoryLock {
 public:
  SimulatedLock(SimulatedDisk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
  ~SimulatedLock() override {
    const std::scoped_lock hold(disk_.mutex_);
    disk_.locked_[path_] = false;
  }

  bool in_place() const override { return true; }

 private:
  SimulatedDisk& disk_;
  std::string path_;
};

void SimulatedDisk::fail(std::uint64_t call, Fault fault, std::uint64_t count) {
  const std::scoped_lock hold(mutex_);
  fail_at_ = call;
  fail_until_ = fault == Fault::power_off ? std::numeric_limits<std::uint64_t>::max() : call + count;
  fault_ = fault;
}

void SimulatedDisk::heal() {
  const std::scoped_lock hold(mutex_);
  fail_at_ = 0;
}

void SimulatedDisk::set_capacity(std::uint64_t bytes) {
  const std::scoped_lock hold(mutex_);
  capacity_ = bytes;
}

std::size_t SimulatedDisk::room_for(const Inode& inode, std::uint64_t offset, std::size_t bytes) const {
  std::uint64_t used = 0;
  for (const auto& [path, other] : visible_) used += other->visible.size();
  const std::uint64_t size = inode.visible.size();
  const std::uint64_t room = capacity_ - std::min(capacity_, used);
  const std::uint64_t longest = size + std::min(room, std::numeric_limits<std::uint64_t>::max() - size);
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, longest - std::min(longest, offset)));
}

std::uint64_t SimulatedDisk::calls() const {
  const std::scoped_lock hold(mutex_);
  return calls_;
}

std::error_code SimulatedDisk::count_call(Fault* fault) {
  ++calls_;
  if (fail_at_ == 0 || calls_ < fail_at_ || calls_ >= fail_until_) return {};
  if (fault != nullptr) *fault = fault_;
  const bool full = fault_ == Fault::no_space || fault_ == Fault::short_one;
  return std::make_error_code(full ? std::errc::no_space_on_device : std::errc::io_error);
}

void SimulatedDisk::apply(std::string& content, const Change& change) {
  if (change.truncated) {
    content.resize(change.offset, '\0');
    return;
  }
  content.resize(std::max<std::size_t>(content.size(), change.offset + change.bytes.size()), '\0');
  content.replace(change.offset, change.bytes.size(), change.bytes);
}

void SimulatedDisk::change(Inode& inode, Change change) {
  apply(inode.visible, change);
  inode.unsynced.push_back(std::move(change));
}

void SimulatedDisk::keep_some(Inode& inode) {
  // Often all or nothing, since either is rare if every sector is tossed for.
  const auto mood = random_() % 4;
  for (const Change& change : inode.unsynced) {
    const bool kept = mood == 0 || (mood != 1 && toss());
    if (kept) apply(inode.durable, change);
    if (kept || change.truncated || mood == 1) continue;
    for (std::size_t at = 0; at < change.bytes.size();) {
      const std::size_t sector_end = ((change.offset + at) / kSector + 1) * kSector - change.offset;
      const std::size_t end = std::min(sector_end, change.bytes.size());
      if (toss()) apply(inode.durable, {change.offset + at, change.bytes.substr(at, end - at)});
      at = end;
    }
    // The length may come to the disk without the bytes.
    const std::size_t length = change.offset + change.bytes.size();
    if (toss() && inode.durable.size() < length) inode.durable.resize(length, '\0');
  }
  inode.unsynced.clear();
}

void SimulatedDisk::apply(Names& names, const Naming& naming) {
  if (!naming.gone.empty()) names.erase(naming.gone);
  if (!naming.name.empty()) names[naming.name] = naming.inode;
}

void SimulatedDisk::crash() {
  const std::scoped_lock hold(mutex_);
  fail_at_ = 0;
  ++boot_;
  const auto mood = random_() % 4;
  for (const Naming& naming : unsynced_) {
    if (mood == 0 || (mood != 1 && toss())) apply(durable_, naming);
  }
  unsynced_.clear();
  visible_ = durable_;
  for (auto& [path, inode] : visible_) {
    keep_some(*inode);
    inode->visible = inode->durable;
    inode->lost_syncs = 0;
  }
}

bool SimulatedDisk::all_durable(const std::string& under) const {
  const std::scoped_lock hold(mutex_);
  if (visible_ != durable_) return false;
  return std::all_of(visible_.begin(), visible_.end(), [&](const auto& entry) {
    return !entry.first.starts_with(under) || entry.second->visible == entry.second->durable;
  });
}

std::uint64_t SimulatedDisk::bytes_in_use() const {
  const std::scoped_lock hold(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [path, inode] : visible_) sum += inode->visible.size();
  return sum;
}

std::string SimulatedDisk::content(const std::string& path) const {
  const std::scoped_lock hold(mutex_);
  return visible_.at(path)->visible;
}

void SimulatedDisk::set_content(const std::string& path, std::string bytes) {
  const std::scoped_lock hold(mutex_);
  auto inode = std::make_shared<Inode>();
  inode->visible = inode->durable = std::move(bytes);
  visible_[path] = durable_[path] = inode;
}

std::vector<std::string> SimulatedDisk::paths() const {
  const std::scoped_lock hold(mutex_);
  std::vector<std::string> paths;
  for (const auto& [path, inode] : visible_) paths.push_back(path);
  return paths;
}

void SimulatedDisk::erase(const std::string& path) {
  const std::scoped_lock hold(mutex_);
  visible_.erase(path);
  durable_.erase(path);
}

DiskResult<std::unique_ptr<store::File>> SimulatedDisk::open(const std::string& path, Mode mode) {
  const std::scoped_lock hold(mutex_);
  if (const auto error = count_call()) return tl::unexpected(error);
  auto found = visible_.find(path);
  if (found == visible_.end()) {
    if (mode != Mode::create) return failed(std::errc::no_such_file_or_directory);
    const Naming naming{{}, path, std::make_shared<Inode>()};
    apply(visible_, naming);
    unsynced_.push_back(naming);
    found = visible_.find(path);
  } else if (mode == Mode::create) {
    change(*found->second, {0, {}, true});
  }
  return std::make_unique<SimulatedFile>(*this, found->second, mode != Mode::read);
}

DiskResult<void> SimulatedDisk::rename(const std::string& from, const std::string& to) {
  const std::scoped_lock hold(mutex_);
  if (const auto error = count_call()) return tl::unexpected(error);
  const auto found = visible_.find(from);
  if (found == visible_.end()) return failed(std::errc::no_such_file_or_directory);
  const Naming naming{from, to, found->second};
  apply(visible_, naming);
  unsynced_.push_back(naming);
  return {};
}

DiskResult<void> SimulatedDisk::remove(const std::string& path) {
  const std::scoped_lock hold(mutex_);
  if (const auto error = count_call()) return tl::unexpected(error);
  if (!visible_.contains(path)) return failed(std::errc::no_such_file_or_directory);
  const Naming naming{path, {}, nullptr};
  apply(visible_, naming);
  unsynced_.push_back(naming);
  return {};
}

DiskResult<std::vector<std::string>> SimulatedDisk::list(const std::string& directory) {
  const std::scoped_lock hold(mutex_);
  if (const auto error = count_call()) return tl::unexpected(error);
  std::vector<std::string> names;
  for (const auto& [path, inode] : visible_) {
    if (directory_of(path) == directory) names.push_back(path.substr(directory.size() + 1));
  }
  std::shuffle(names.begin(), names.end(), random_);
  return names;
}

DiskResult<void> SimulatedDisk::make_directory(const std::string& /*directory*/) {
  const std::scoped_lock hold(mutex_);
  if (const auto error = count_call()) return tl::unexpected(error);
  return {};
}

DiskResult<void> SimulatedDisk::sync_directory(const std::string& directory) {
  const std::scoped_lock hold(mutex_);
  const auto error = count_call();
  std::erase_if(unsynced_, [&](const Naming& naming) {
    if (directory_of(naming.name.empty() ? naming.gone : naming.name) != directory) return false;
    // As with a file: a sync that fails keeps some, and forgets about the rest.
    if (!error || toss()) apply(durable_, naming);
    return true;
  });
  if (error) return tl::unexpected(error);
  return {};
}

tl::expected<std::unique_ptr<store::DirectoryLock>, store::LockRefusal> SimulatedDisk::lock(const std::string& path) {
  const std::scoped_lock hold(mutex_);
  if (const auto error = count_call()) return tl::unexpected(store::LockRefusal{error});
  if (std::exchange(locked_[path], true)) {
    return tl::unexpected(store::LockRefusal{std::make_error_code(std::errc::resource_unavailable_try_again), 4711});
  }
  return std::make_unique<SimulatedLock>(*this, path);
}

std::optional<std::int64_t> SimulatedDisk::locked_by(const std::string& path) {
  const std::scoped_lock hold(mutex_);
  return locked_[path] ? std::optional<std::int64_t>(4711) : std::nullopt;
}

std::uint64_t SimulatedDisk::boot() {
  const std::scoped_lock hold(mutex_);
  return boot_;
}

std::uint64_t SimulatedDisk::random() {
  const std::scoped_lock hold(mutex_);
  return random_();
}

}  // namespace holdfast::testing
