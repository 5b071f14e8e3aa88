// disk.h -- what the store needs from a file system: the seam at which tests tear, lose and refuse writes.
//
// Nothing is durable before a sync: a file's bytes and length need File::sync(), a created, removed or renamed file needs
// Disk::sync_directory(). A sync that failed may have kept any part of the bytes, and a later sync that succeeds says nothing
// about that part.
//
// Thread safety: a Disk from any thread; different Files from different threads; one File from two threads only if one of them
// only reads or syncs. A Disk outlives its Files; a File may be removed before it is closed.
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
  // Writes all bytes; on an error any part of them may have been written. A gap beyond the end reads as zeros.
  virtual DiskResult<void> write_at(std::uint64_t offset, std::string_view bytes) = 0;
  virtual DiskResult<std::uint64_t> size() = 0;
  // Also if the file has that length already: an earlier sync may have failed to keep it.
  virtual DiskResult<void> truncate(std::uint64_t size) = 0;
  // When this has returned, bytes and length survive a loss of power.
  virtual DiskResult<void> sync() = 0;
};

// Held until it is destroyed, or the process ends.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;
  // False: the directory was moved or replaced; its name now leads to another directory, which this does not lock.
  virtual bool in_place() const = 0;
};

struct LockRefusal {
  std::error_code error;     // resource_unavailable_try_again: another process has it
  std::int64_t process = 0;  // which one, if that is known
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
  // Replaces `to`. Both are in one directory.
  virtual DiskResult<void> rename(const std::string& from, const std::string& to) = 0;
  virtual DiskResult<void> remove(const std::string& path) = 0;
  // The names of the files in it, in no order.
  virtual DiskResult<std::vector<std::string>> list(const std::string& directory) = 0;
  // Also its parents, and durably. Does nothing if the directory exists.
  virtual DiskResult<void> make_directory(const std::string& directory) = 0;
  virtual DiskResult<void> sync_directory(const std::string& directory) = 0;
  // Locks the directory of `path` for this process alone, and the file `path`, which is created if need be: removing the file does not let
  // a second process in. Never waits.
  virtual tl::expected<std::unique_ptr<DirectoryLock>, LockRefusal> lock(const std::string& path) = 0;
  // The process that has locked the directory of `path`, 0 if it is not known which; nothing if it is free. Changes nothing.
  virtual std::optional<std::int64_t> locked_by(const std::string& path) = 0;
  // A number for the time from one start of the machine to the next: bytes that were written survive the death of a process for that long. 0:
  // unknown.
  virtual std::uint64_t boot() = 0;
  // A random number that identifies a store.
  virtual std::uint64_t random() = 0;
};

}  // namespace holdfast::store
