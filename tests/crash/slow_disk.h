// slow_disk.h -- another disk, whose writes wait as long as a test likes.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/disk.h"

namespace holdfast::testing {

class SlowDisk final : public store::Disk {
 public:
  explicit SlowDisk(store::Disk& disk) : disk_(disk) {}

  // Every write waits from now on.
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  bool somebody_waits() {
    const std::lock_guard lock(mutex_);
    return waiting_ > 0;
  }

  store::DiskResult<std::unique_ptr<store::File>> open(const std::string& path, Mode mode) override {
    auto opened = disk_.open(path, mode);
    if (!opened) return tl::unexpected(opened.error());
    return std::make_unique<SlowFile>(*this, std::move(*opened));
  }
  store::DiskResult<void> rename(const std::string& from, const std::string& to) override {
    return disk_.rename(from, to);
  }
  store::DiskResult<void> remove(const std::string& path) override { return disk_.remove(path); }
  store::DiskResult<std::vector<std::string>> list(const std::string& directory) override {
    return disk_.list(directory);
  }
  store::DiskResult<void> make_directory(const std::string& directory) override {
    return disk_.make_directory(directory);
  }
  store::DiskResult<void> sync_directory(const std::string& directory) override {
    return disk_.sync_directory(directory);
  }
  tl::expected<std::unique_ptr<store::DirectoryLock>, store::LockRefusal> lock(const std::string& path) override {
    return disk_.lock(path);
  }
  std::optional<std::int64_t> locked_by(const std::string& path) override { return disk_.locked_by(path); }
  std::uint64_t boot() override { return disk_.boot(); }
  std::uint64_t random() override { return disk_.random(); }

 private:
  class SlowFile final : public store::File {
   public:
    SlowFile(SlowDisk& disk, std::unique_ptr<store::File> file) : disk_(disk), file_(std::move(file)) {}
    store::DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
      return file_->read_at(offset, into);
    }
    store::DiskResult<void> write_at(std::uint64_t offset, std::string_view bytes) override {
      disk_.wait();
      return file_->write_at(offset, bytes);
    }
    store::DiskResult<std::uint64_t> size() override { return file_->size(); }
    store::DiskResult<void> truncate(std::uint64_t size) override { return file_->truncate(size); }
    store::DiskResult<void> sync() override { return file_->sync(); }

   private:
    SlowDisk& disk_;
    std::unique_ptr<store::File> file_;
  };

  void wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.wait(lock, [this] { return !held_; });
    --waiting_;
  }

  store::Disk& disk_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  int waiting_ = 0;
};

}  // namespace holdfast::testing
