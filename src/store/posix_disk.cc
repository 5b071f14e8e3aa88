#include "store/posix_disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <random>
#include <utility>

#include "base/descriptor.h"
#include "store/checksum.h"

namespace holdfast::store {

using base::Descriptor;

namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kDirectoryMode = 0700;

tl::unexpected<std::error_code> failed() { return tl::unexpected(std::error_code(errno, std::generic_category())); }

// Repeats a call that a signal interrupted.
template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

DiskResult<void> done(int result) {
  if (result == -1) return failed();
  return {};
}

class PosixFile final : public File {
 public:
  explicit PosixFile(Descriptor fd) : fd_(std::move(fd)) {}

  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
    std::size_t count = 0;
    while (count < into.size()) {
      const ssize_t got = retried([&] {
        return ::pread(fd_.get(), into.data() + count, into.size() - count, static_cast<off_t>(offset + count));
      });
      if (got == -1) return failed();
      if (got == 0) break;
      count += static_cast<std::size_t>(got);
    }
    return count;
  }

  DiskResult<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t put =
          retried([&] { return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (put == -1) return failed();
      if (put == 0) return tl::unexpected(std::make_error_code(std::errc::io_error));
      offset += static_cast<std::uint64_t>(put);
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
  }

  DiskResult<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(fd_.get(), &status) == -1) return failed();
    return static_cast<std::uint64_t>(status.st_size);
  }

  DiskResult<void> truncate(std::uint64_t size) override {
    return done(retried([&] { return ::ftruncate(fd_.get(), static_cast<off_t>(size)); }));
  }

  DiskResult<void> sync() override {
    // Not repeated after EINTR: a sync that did not succeed has failed, and the caller decides.
    return done(::fdatasync(fd_.get()));
  }

 private:
  Descriptor fd_;
};

class PosixLock final : public DirectoryLock {
 public:
  PosixLock(Descriptor file, Descriptor directory, std::string path)
      : file_(std::move(file)), directory_(std::move(directory)), path_(std::move(path)) {}
  // Closing them is not enough: a forked child of this process has copies, and with them the locks.
  ~PosixLock() override {
    (void)::flock(directory_.get(), LOCK_UN);
    (void)::flock(file_.get(), LOCK_UN);
  }
  PosixLock(const PosixLock&) = delete;
  PosixLock& operator=(const PosixLock&) = delete;

  bool in_place() const override {
    struct stat locked {};
    struct stat named {};
    if (::fstat(directory_.get(), &locked) == -1 || ::stat(path_.c_str(), &named) == -1) return false;
    return locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
  }

 private:
  Descriptor file_;
  Descriptor directory_;
  std::string path_;  // of the directory
};

DiskResult<void> lock_now(int fd) {
  return done(retried([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }));
}

std::int64_t read_process(int fd) {
  char text[24];
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  std::int64_t process = 0;
  if (got > 0) std::from_chars(text, text + got, process);
  return process;
}

}  // namespace

DiskResult<std::unique_ptr<File>> PosixDisk::open(const std::string& path, Mode mode) {
  int flags = O_CLOEXEC | (mode == Mode::read ? O_RDONLY : O_RDWR);
  if (mode == Mode::create) flags |= O_CREAT | O_TRUNC;
  Descriptor fd(retried([&] { return ::open(path.c_str(), flags, kFileMode); }));
  if (fd.get() == -1) return failed();
  return std::make_unique<PosixFile>(std::move(fd));
}

DiskResult<void> PosixDisk::rename(const std::string& from, const std::string& to) {
  return done(std::rename(from.c_str(), to.c_str()));
}

DiskResult<void> PosixDisk::remove(const std::string& path) { return done(::unlink(path.c_str())); }

DiskResult<std::vector<std::string>> PosixDisk::list(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return tl::unexpected(error);
  return names;
}

DiskResult<void> PosixDisk::make_directory(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return {};
    return tl::unexpected(std::make_error_code(std::errc::not_a_directory));
  }
  if (errno != ENOENT) return failed();
  // "a/b/" has a last component without a name.
  std::filesystem::path path(directory);
  if (!path.has_filename()) path = path.parent_path();
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  if (const auto made = make_directory(parent); !made) return made;
  if (::mkdir(path.c_str(), kDirectoryMode) == -1 && errno != EEXIST) return failed();
  return sync_directory(parent);
}

DiskResult<void> PosixDisk::sync_directory(const std::string& directory) {
  const Descriptor fd(retried([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (fd.get() == -1) return failed();
  return done(::fsync(fd.get()));
}

tl::expected<std::unique_ptr<DirectoryLock>, LockRefusal> PosixDisk::lock(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  Descriptor directory(retried([&] { return ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (directory.get() == -1) return tl::unexpected(LockRefusal{failed().value()});
  Descriptor fd(retried([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode); }));
  if (fd.get() == -1) return tl::unexpected(LockRefusal{failed().value()});
  // The file first: it says which process has it, and older versions lock only the file.
  if (const auto locked = lock_now(fd.get()); !locked) {
    return tl::unexpected(LockRefusal{locked.error(), read_process(fd.get())});
  }
  if (const auto locked = lock_now(directory.get());
      !locked && locked.error() == std::errc::resource_unavailable_try_again) {
    return tl::unexpected(LockRefusal{locked.error()});
  }
  // Only for the message of the next process: a full disk must not prevent the start.
  const std::string process = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t put = ::pwrite(fd.get(), process.data(), process.size(), 0);
  }
  return std::make_unique<PosixLock>(std::move(fd), std::move(directory), parent.string());
}

std::optional<std::int64_t> PosixDisk::locked_by(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  std::optional<std::int64_t> process;
  for (const std::string& name : {path, parent}) {
    const Descriptor fd(retried([&] { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC); }));
    if (fd.get() == -1) continue;
    // Released with the descriptor.
    if (retried([&] { return ::flock(fd.get(), LOCK_SH | LOCK_NB); }) == 0 || errno != EWOULDBLOCK) continue;
    if (!process) process = name == path ? read_process(fd.get()) : 0;
  }
  return process;
}

std::uint64_t PosixDisk::boot() {
  const Descriptor fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  char text[36];
  if (fd.get() == -1 || ::read(fd.get(), text, sizeof text) != sizeof text) return 0;
  return checksum({text, sizeof text}, 0);
}

std::uint64_t PosixDisk::random() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace holdfast::store
