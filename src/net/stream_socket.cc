#include "net/stream_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <system_error>
#include <utility>

#include "base/unix_socket.h"

namespace holdfast::net {
namespace {

std::string describe(int error) { return std::generic_category().message(error); }

constexpr int kReadsAtOnce = 16;

}  // namespace

StreamSocket::StreamSocket(const ServerAddress& server, ClientTls* tls, Owner owner) {
  if (server.is_path()) {
    connect_to(server.host, owner);
    return;
  }
  if (tls != nullptr) {
    auto stream = tls->connect(server.name_or_host());
    if (!stream) {
      close(stream.error());
      return;
    }
    stream_ = std::move(*stream);
  }
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(server.host.c_str(), server.port.c_str(), &wanted, &found); error != 0) {
    close(::gai_strerror(error));
    return;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  // Uses the first address that does not fail immediately. localhost is often ::1 first, where no server may listen; the
  // kernel says so immediately, and the next address is tried.
  for (const addrinfo* each = found; each != nullptr && closed_; each = each->ai_next) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = ::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd_ < 0) {
      reason_ = describe(errno);
      continue;
    }
    closed_ = false;
    const int yes = 1;
    (void)::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (::connect(fd_, each->ai_addr, each->ai_addrlen) == 0) return;
    if (errno == EINPROGRESS) {
      connecting_ = true;
      if (each->ai_next == nullptr) return;
      // On loopback the answer has come already.
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

void StreamSocket::connect_to(const std::string& path, Owner owner) {
  const auto address = base::UnixAddress::of(path);
  if (address) fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // It connects immediately or fails: a full queue is not waited for.
  if (fd_ < 0 || ::connect(fd_, address->get(), base::UnixAddress::size()) != 0) {
    close(describe(errno));
  } else if (owner == Owner::this_user && base::user_at_other_end(fd_) != ::geteuid()) {
    close("it belongs to another user");
  } else {
    closed_ = false;
  }
}

StreamSocket::~StreamSocket() {
  if (fd_ >= 0) ::close(fd_);
}

void StreamSocket::close(std::string reason) {
  closed_ = true;
  connecting_ = false;
  reason_ = std::move(reason);
}

void StreamSocket::on_ready() {
  if (connecting_) finish_connecting();
  if (!closed_ && !connecting_ && !held_) flush();
  if (!closed_ && !connecting_) receive();
}

void StreamSocket::finish_connecting() {
  pollfd ready{fd_, POLLOUT, 0};
  if (::poll(&ready, 1, 0) != 1) return;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return close(describe(error));
  connecting_ = false;
}

void StreamSocket::write(std::string_view bytes) {
  if (closed_ || broken_) return;
  (stream_ ? plain_ : to_send_) += bytes;
  if (!connecting_ && !held_) flush();
}

void StreamSocket::hold(bool held) {
  held_ = held;
  if (!held && !closed_ && !connecting_) flush();
}

void StreamSocket::flush() {
  if (stream_) {
    if (stream_->seal(plain_)) plain_.clear();
    to_send_ += stream_->take_wire();
  }
  while (!to_send_.empty()) {
    const auto sent = ::send(fd_, to_send_.data(), to_send_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    // The bytes before the end are still to be read; receive() then finds the end.
    if (sent < 0) {
      broken_ = true;
      return to_send_.clear();
    }
    to_send_.erase(0, static_cast<std::size_t>(sent));
  }
}

void StreamSocket::receive() {
  received_.erase(0, std::exchange(dropped_, 0));  // once for many, not with each of them
  std::array<char, 65536> bytes;
  for (int reads = 0;;) {
    const auto got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got < 0) return hung_up(describe(errno));
    if (got == 0) return hung_up(std::string(kHungUp));
    if (!take({bytes.data(), static_cast<std::size_t>(got)})) return;
    // Everything was read; or the caller should take what there is first.
    if (static_cast<std::size_t>(got) < bytes.size() || ++reads == kReadsAtOnce) return;
  }
}

bool StreamSocket::take(std::string_view bytes) {
  if (!stream_) {
    received_.append(bytes);
    return true;
  }
  const bool going_on = stream_->receive(bytes, received_);
  if (!held_) flush();  // the next part of the handshake, or the last one
  if (!going_on) close(stream_->trouble().empty() ? std::string(kHungUp) : stream_->trouble());
  return going_on;
}

void StreamSocket::hung_up(std::string reason) {
  close(stream_ && !stream_->open() ? std::string(kHungUpInHandshake) : std::move(reason));
}

bool StreamSocket::wait(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) return false;
  const short wanted = wants_to_write() ? POLLIN | POLLOUT : POLLIN;
  pollfd polled{fd(), wanted, 0};
  (void)::poll(&polled, 1, static_cast<int>(std::min<std::int64_t>(left, INT_MAX)));
  on_ready();
  return true;
}

}  // namespace holdfast::net
