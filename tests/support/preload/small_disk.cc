// small_disk.cc -- loaded before the C library (LD_PRELOAD), makes one directory a file system of a few megabytes: what is beyond gets ENOSPC,
// and statvfs(3) says how much is left. For machines that allow no mount; see support/small_disk.h.
//
//   HOLDFAST_SMALL_DISK        the directory, absolute
//   HOLDFAST_SMALL_DISK_BYTES  how much all files below it may be long together
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

const std::string& directory() {
  static const std::string path = [] {
    const char* text = ::getenv("HOLDFAST_SMALL_DISK");
    char resolved[PATH_MAX];
    return std::string(text != nullptr && ::realpath(text, resolved) != nullptr ? resolved : "");
  }();
  return path;
}

off_t capacity() {
  static const off_t bytes = [] {
    const char* text = ::getenv("HOLDFAST_SMALL_DISK_BYTES");
    return text == nullptr ? off_t{0} : static_cast<off_t>(::atoll(text));
  }();
  return bytes;
}

// A file system gives room by the page: what is left in a file's last one is its own.
off_t in_pages(off_t bytes) {
  constexpr off_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

off_t used_below(const std::string& path) {
  off_t sum = 0;
  DIR* entries = ::opendir(path.c_str());
  if (entries == nullptr) return 0;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status {};
    if (::lstat((path + "/" + name).c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) sum += used_below(path + "/" + name);
    if (S_ISREG(status.st_mode)) sum += in_pages(status.st_size);
  }
  ::closedir(entries);
  return sum;
}

off_t room() { return std::max<off_t>(0, capacity() - used_below(directory())); }

bool is_inside(const std::string& path) {
  return !directory().empty() &&
         (path == directory() || path.compare(0, directory().size() + 1, directory() + "/") == 0);
}

// The size of a file that is subject to the limit; -1 for any other.
off_t limited_size(int fd) {
  struct stat status {};
  if (directory().empty() || ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  char target[PATH_MAX];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target);
  if (length <= 0 || !is_inside(std::string(target, static_cast<std::size_t>(length)))) return -1;
  return status.st_size;
}

// How much of a write fits; -1 with ENOSPC if nothing does.
ssize_t fitting(int fd, size_t count, off_t offset) {
  const int before = errno;
  const off_t size = limited_size(fd);
  errno = before;
  if (size == -1 || count == 0) return static_cast<ssize_t>(count);
  const off_t longest = in_pages(size) + room();
  if (offset >= longest) {
    errno = ENOSPC;
    return -1;
  }
  return static_cast<ssize_t>(std::min<off_t>(static_cast<off_t>(count), longest - offset));
}

}  // namespace

extern "C" {

ssize_t pwrite64(int fd, const void* bytes, size_t count, off_t offset) {
  static const auto next = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite64");
  const ssize_t fits = fitting(fd, count, offset);
  return fits == -1 ? -1 : next(fd, bytes, static_cast<size_t>(fits), offset);
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

ssize_t write(int fd, const void* bytes, size_t count) {
  static const auto next = real<ssize_t (*)(int, const void*, size_t)>("write");
  const off_t size = limited_size(fd);
  if (size == -1) return next(fd, bytes, count);
  const bool appends = (::fcntl(fd, F_GETFL) & O_APPEND) != 0;
  const ssize_t fits = fitting(fd, count, appends ? size : ::lseek(fd, 0, SEEK_CUR));
  return fits == -1 ? -1 : next(fd, bytes, static_cast<size_t>(fits));
}

int statvfs64(const char* path, struct statvfs64* disk) {
  static const auto next = real<int (*)(const char*, struct statvfs64*)>("statvfs64");
  const int result = next(path, disk);
  char resolved[PATH_MAX];
  if (result != 0 || ::realpath(path, resolved) == nullptr || !is_inside(resolved)) return result;
  disk->f_bsize = disk->f_frsize = 1;
  disk->f_blocks = static_cast<fsblkcnt64_t>(capacity());
  disk->f_bfree = disk->f_bavail = static_cast<fsblkcnt64_t>(room());
  return result;
}

// The same structure, where offsets have 64 bits.
int statvfs(const char* path, struct statvfs* disk) {
  static_assert(sizeof(struct statvfs) == sizeof(struct statvfs64));
  return statvfs64(path, reinterpret_cast<struct statvfs64*>(disk));
}

}  // extern "C"
