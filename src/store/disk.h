// disk.h -- what the store asks of a file system: the seam at which tests tear, lose and refuse.
//
// Nothing is durable before a sync: a file's bytes and length by File::sync(), a name's coming, going or changing by
// Disk::sync_directory(). A sync that failed may have kept any part of what it was asked to keep, and a later one that succeeds
// says nothing about that part.
//
// Thread safety: a Disk from any thread; different Files from different threads; one File from two only if one of them
// does nothing but read or sync. A File outlives neither its Disk nor need be closed before it is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast::store {

template <class T>
using DiskResult = tl::expected<T, std::error_code>;

class File {
 public:
  virtual ~File() = default;

  // Fewer bytes than asked for only where the file ends.
  virtual DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> into) = 0;
  // All of it; on an error any part of it may have been written. Beyond the end, the gap reads as zeros.
  virtual DiskResult<void> write_at(std::uint64_t offset, std::string_view bytes) = 0;
  virtual DiskResult<std::uint64_t> size() = 0;
  // Also if it is as long already: what an earlier sync failed to keep is asked for again.
  virtual DiskResult<void> truncate(std::uint64_t size) = 0;
  // Bytes and length survive the loss of power once this returned.
  virtual DiskResult<void> sync() = 0;
};

// Held until destroyed, or until the process dies.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;
  // False: the directory was moved or replaced, and its name now leads to another, which this does not lock.
  virtual bool in_place() const = 0;
};

struct LockRefusal {
  std::error_code error;     // resource_unavailable_try_again: another process has it
  std::int64_t process = 0;  // who, if that is known
};

class Disk {
 public:
  enum class Mode {
    read,    // the file must be there
    write,   // read and write; the file must be there
    create,  // read and write; empty, whatever was there
  };

  virtual ~Disk() = default;

  virtual DiskResult<std::unique_ptr<File>> open(const std::string& path, Mode mode) = 0;
  // Replaces `to`. Both in one directory.
  virtual DiskResult<void> rename(const std::string& from, const std::string& to) = 0;
  virtual DiskResult<void> remove(const std::string& path) = 0;
  // Names of the files in it, in no order.
  virtual DiskResult<std::vector<std::string>> list(const std::string& directory) = 0;
  // With its parents, durably; nothing to do if it is there.
  virtual DiskResult<void> make_directory(const std::string& directory) = 0;
  virtual DiskResult<void> sync_directory(const std::string& directory) = 0;
  // Takes the directory of `path` for this process alone, and `path`, which is made if it is not there: removing the file lets no
  // second process in. Never waits.
  virtual tl::expected<std::unique_ptr<DirectoryLock>, LockRefusal> lock(const std::string& path) = 0;
  // The process that has taken the directory of `path`, 0 if it is not known which; none if it is free. Takes and changes nothing.
  virtual std::optional<std::int64_t> locked_by(const std::string& path) = 0;
  // A number for the time from one start of the machine to the next: what was written survives the death of a process for that long. 0:
  // unknown.
  virtual std::uint64_t boot() = 0;
  // A number that nothing else has: tells one store from another.
  virtual std::uint64_t random() = 0;
};

}  // namespace holdfast::store
