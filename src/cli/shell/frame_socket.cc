#include "cli/shell/frame_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "wire/jute.h"
#include "wire/records.h"

namespace holdfast::cli::shell {
namespace {

std::string describe(int error) { return std::generic_category().message(error); }

constexpr std::size_t kLength = 4;  // of a frame's length

}  // namespace

FrameSocket::FrameSocket(const Host& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.name.c_str(), host.port.c_str(), &wanted, &found); error != 0) {
    close(::gai_strerror(error));
    return;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  // Of several addresses the first that does not fail at once. localhost is often ::1 first, where nobody may listen;
  // the kernel says so at once, and the next address is taken.
  for (const addrinfo* each = found; each != nullptr && fd_ < 0; each = each->ai_next) {
    fd_ = ::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd_ < 0) {
      reason_ = describe(errno);
      continue;
    }
    const int yes = 1;
    (void)::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (::connect(fd_, each->ai_addr, each->ai_addrlen) == 0) return;
    if (errno == EINPROGRESS) {
      connecting_ = true;
      if (each->ai_next == nullptr) return;
      // On loopback the answer is there already.
      pollfd ready{fd_, POLLOUT, 0};
      int error = 0;
      socklen_t size = sizeof error;
      if (::poll(&ready, 1, 0) != 1 || ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error == 0)
        return;
      errno = error;
    }
    close(describe(errno));
  }
}

FrameSocket::~FrameSocket() {
  if (fd_ >= 0) ::close(fd_);
}

short FrameSocket::events() const { return connecting_ || !to_send_.empty() ? POLLIN | POLLOUT : POLLIN; }

void FrameSocket::close(std::string reason) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  connecting_ = false;
  reason_ = std::move(reason);
}

void FrameSocket::on_ready() {
  if (connecting_) finish_connecting();
  if (fd_ >= 0 && !connecting_) flush();
  if (fd_ >= 0 && !connecting_) receive();
}

void FrameSocket::finish_connecting() {
  pollfd ready{fd_, POLLOUT, 0};
  if (::poll(&ready, 1, 0) != 1) return;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return close(describe(error));
  connecting_ = false;
}

void FrameSocket::send(std::string_view frame) {
  if (fd_ < 0) return;
  to_send_ += wire::frame(frame);
  if (!connecting_) flush();
}

void FrameSocket::flush() {
  while (!to_send_.empty()) {
    const auto sent = ::send(fd_, to_send_.data(), to_send_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    // What came before the end is still to be read; receive() then finds the end.
    if (sent < 0) return to_send_.clear();
    to_send_.erase(0, static_cast<std::size_t>(sent));
  }
}

void FrameSocket::receive() {
  std::array<char, 65536> bytes;
  for (;;) {
    const auto got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got < 0) return close(describe(errno));
    if (got == 0) return close("closed by the server");
    received_.append(bytes.data(), static_cast<std::size_t>(got));
    if (received_.size() > kMostFrame) return;  // let somebody take a frame first
  }
}

std::optional<std::string> FrameSocket::next_frame() {
  if (received_.size() < kLength) return std::nullopt;
  const auto size = static_cast<std::uint32_t>(wire::Reader(received_).i32());
  if (size > kMostFrame) {
    received_.clear();
    close("what came is not ZooKeeper's protocol");
    return std::nullopt;
  }
  if (received_.size() - kLength < size) return std::nullopt;
  auto frame = received_.substr(kLength, size);
  received_.erase(0, kLength + size);
  return frame;
}

}  // namespace holdfast::cli::shell
