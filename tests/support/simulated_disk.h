// simulated_disk.h -- a disk in memory that fails and crashes on command, as unkindly as disk.h allows.
//
// Everything that was not synced may be lost, kept or torn at a sector boundary, each piece for itself; names that were given or
// taken without a sync of their directory may or may not have been. One seed decides all of it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "store/disk.h"

namespace holdfast::testing {

class SimulatedDisk final : public store::Disk {
 public:
  static constexpr std::size_t kSector = 512;

  enum class Fault {
    io_error,   // EIO, and nothing is done; a sync keeps some of what it was asked to, and forgets about the rest
    no_space,   // ENOSPC, and nothing is done
    short_one,  // a write puts out its first half, then ENOSPC; everything else like no_space
    power_off,  // EIO, and so does every later call, until crash()
  };

  explicit SimulatedDisk(std::uint64_t seed = 1) : random_(seed) {}

  // Calls are numbered from 1 on. The `count` calls from number `call` on fail.
  void fail(std::uint64_t call, Fault fault, std::uint64_t count = 1);
  // Nothing fails any more.
  void heal();
  // All files together are no longer than that: a write that needs more puts out what fits, then ENOSPC.
  void set_capacity(std::uint64_t bytes);
  // How many calls there were.
  std::uint64_t calls() const;

  // The power goes: what was not synced is decided by the seed. Files and locks that are open must be gone.
  void crash();
  // Whether anything that is visible now could be lost by a crash.
  bool all_durable(const std::string& under = "/") const;
  // By all files together, at one moment.
  std::uint64_t bytes_in_use() const;

  // The machine's owner, without faults: what is in a file, durably.
  std::string content(const std::string& path) const;
  void set_content(const std::string& path, std::string bytes);
  std::vector<std::string> paths() const;
  void erase(const std::string& path);

  store::DiskResult<std::unique_ptr<store::File>> open(const std::string& path, Mode mode) override;
  store::DiskResult<void> rename(const std::string& from, const std::string& to) override;
  store::DiskResult<void> remove(const std::string& path) override;
  store::DiskResult<std::vector<std::string>> list(const std::string& directory) override;
  store::DiskResult<void> make_directory(const std::string& directory) override;
  store::DiskResult<void> sync_directory(const std::string& directory) override;
  tl::expected<std::unique_ptr<store::DirectoryLock>, store::LockRefusal> lock(const std::string& path) override;
  std::optional<std::int64_t> locked_by(const std::string& path) override;
  std::uint64_t boot() override;
  std::uint64_t random() override;

 private:
  friend class SimulatedFile;
  friend class SimulatedLock;

  // A write, or a truncation if `truncated`.
  struct Change {
    std::uint64_t offset = 0;  // of a truncation: the new size
    std::string bytes;
    bool truncated = false;
  };

  struct Inode {
    std::string visible;
    std::string durable;
    std::vector<Change> unsynced;
    std::uint64_t lost_syncs = 0;  // how often a sync failed; every handle is told once, as Linux does
  };

  // A name was given to an inode, taken from one, or both.
  struct Naming {
    std::string gone;
    std::string name;
    std::shared_ptr<Inode> inode;
  };

  using Names = std::map<std::string, std::shared_ptr<Inode>>;

  // Counts the call; the error if it has to fail.
  std::error_code count_call(Fault* fault = nullptr);
  // How much of a write of `bytes` there is room for.
  std::size_t room_for(const Inode& inode, std::uint64_t offset, std::size_t bytes) const;
  bool toss() { return random_() % 2 == 0; }
  void change(Inode& inode, Change change);
  void keep_some(Inode& inode);
  static void apply(std::string& content, const Change& change);
  static void apply(Names& names, const Naming& naming);

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  Names visible_;
  Names durable_;
  std::vector<Naming> unsynced_;
  std::map<std::string, bool> locked_;
  std::uint64_t capacity_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t boot_ = 1;
  std::uint64_t calls_ = 0;
  std::uint64_t fail_at_ = 0;  // 0: never
  std::uint64_t fail_until_ = 0;
  Fault fault_ = Fault::io_error;
};

}  // namespace holdfast::testing
