// posix_disk.h -- the file system of this machine.
#pragma once

#include "store/disk.h"

namespace holdfast::store {

// Has no state: all objects are equal. Only the owner can read the files that it makes, since sessions have passwords.
class PosixDisk final : public Disk {
 public:
  DiskResult<std::unique_ptr<File>> open(const std::string& path, Mode mode) override;
  DiskResult<void> rename(const std::string& from, const std::string& to) override;
  DiskResult<void> remove(const std::string& path) override;
  DiskResult<std::vector<std::string>> list(const std::string& directory) override;
  DiskResult<void> make_directory(const std::string& directory) override;
  DiskResult<void> sync_directory(const std::string& directory) override;
  // flock(2) on the directory itself and on the file, which also keeps out a second store in this process. The file contains the process
  // id, for the message of the second. On a file system that cannot lock directories (NFS), only the file is locked.
  tl::expected<std::unique_ptr<DirectoryLock>, LockRefusal> lock(const std::string& path) override;
  std::optional<std::int64_t> locked_by(const std::string& path) override;
  std::uint64_t boot() override;
  std::uint64_t random() override;
};

}  // namespace holdfast::store
