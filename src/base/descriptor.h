// descriptor.h -- a file descriptor that its owner closes.
#pragma once

#include <unistd.h>

#include <string_view>
#include <utility>

namespace holdfast::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  explicit operator bool() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }
  // Nothing could be done about an error: data that has to be safe was synced before.
  void reset() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

// Goes on after a signal and after a part. False, with errno set: not all of it was written.
bool write_all(int fd, std::string_view bytes) noexcept;

}  // namespace holdfast::base
