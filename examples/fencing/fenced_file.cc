#include "fenced_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <system_error>

#include "token_text.h"

namespace fencing {
namespace {

void check(bool good, const std::filesystem::path& path) {
  if (!good) throw std::system_error(errno, std::generic_category(), path.string());
}

class File {
 public:
  File(const std::filesystem::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int fd() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno != EINTR) return false;
    if (wrote > 0) bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

bool lock(int fd) {
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

}  // namespace

bool FencedFile::write(holdfast::Token token, std::string_view text) {
  if (token == 0) return false;
  const std::filesystem::path side = path_.string() + ".lock";
  const std::filesystem::path next = path_.string() + ".new";

  const File guard(side, O_RDWR | O_CREAT);
  check(guard.is_open() && lock(guard.fd()), side);
  const auto seen = read();
  if (seen && token < seen->token) return false;
  {
    const File file(next, O_WRONLY | O_CREAT | O_TRUNC);
    check(file.is_open() && write_all(file.fd(), token_text(token) + "\n") && write_all(file.fd(), text), next);
    // Before the rename: a name may reach the disk before the bytes do.
    check(::fsync(file.fd()) == 0, next);
  }
  check(::rename(next.c_str(), path_.c_str()) == 0, path_);
  // The new name itself is in the directory.
  const std::filesystem::path parent = path_.has_parent_path() ? path_.parent_path() : ".";
  const File directory(parent, O_RDONLY | O_DIRECTORY);
  check(directory.is_open() && ::fsync(directory.fd()) == 0, parent);
  return true;
}

std::optional<FencedFile::Content> FencedFile::read() const {
  const File file(path_, O_RDONLY);
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  check(file.is_open(), path_);

  std::string bytes;
  std::array<char, 65'536> buffer;
  for (;;) {
    const ssize_t got = ::read(file.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    check(got >= 0, path_);
    if (got == 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }

  Content content;
  const char* const digits_end = bytes.data() + kTokenDigits;
  if (bytes.size() <= kTokenDigits || *digits_end != '\n' ||
      std::from_chars(bytes.data(), digits_end, content.token).ptr != digits_end) {
    throw std::runtime_error(path_.string() + " does not begin with a token");
  }
  content.text = bytes.substr(kTokenDigits + 1);
  return content;
}

}  // namespace fencing
