// notify_socket.h -- the end that systemd holds: a datagram socket at a path, or with an abstract name.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>

namespace holdfast::testing {

class NotifySocket {
 public:
  // `name` is what NOTIFY_SOCKET would be: /a/path, or @name.
  explicit NotifySocket(std::string name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (name[0] == '@') name[0] = '\0';
    std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), length), 0) << std::strerror(errno);
  }
  ~NotifySocket() { ::close(fd_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  // The next message; "nothing" if none comes.
  std::string received(std::chrono::milliseconds within) {
    pollfd readable{fd_, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(within.count())) <= 0) return "nothing";
    std::array<char, 1024> buffer{};
    const auto got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    return got < 0 ? "nothing" : std::string(buffer.data(), static_cast<std::size_t>(got));
  }

 private:
  int fd_;
};

}  // namespace holdfast::testing
