#include "net/stranger.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace holdfast::net {
namespace {

// ZooKeeper takes four letters for a word; the lines after it are for those who wait for one.
constexpr std::string_view kQuestion = "srvr\r\n\r\n";
// The answers that tell something begin with it.
constexpr std::size_t kMostAnswer = 4096;

}  // namespace

std::string describe_stranger(std::string_view answer) {
  const auto begins = [&](std::string_view text) { return answer.starts_with(text); };
  if (answer.empty()) return {};
  if (begins("\x15\x03") || begins("\x16\x03")) return "the server there wants TLS";
  if (begins("-ERR") || begins("-NOAUTH") || begins("-DENIED") || begins("-LOADING")) return "a Redis listens there";
  if (begins("HTTP/")) return "a web server listens there";
  if (begins("SSH-")) return "an SSH server listens there";
  if (answer.find("not currently serving requests") != std::string_view::npos) {
    return "the server there does not serve at the moment; has its ensemble a majority?";
  }
  if (begins("Zookeeper version") || answer.find("not in the whitelist") != std::string_view::npos) return {};
  return "what listens there is not a ZooKeeper";
}

StrangerQuestion::StrangerQuestion(Reactor& reactor, const ServerAddress& server, Done done)
    : reactor_(reactor), done_(std::move(done)) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(server.host.c_str(), server.port.c_str(), &wanted, &found) != 0) return;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> address(found, ::freeaddrinfo);
  fd_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return;
  if (::connect(fd_, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) return;
  readiness_ = reactor_.watch(fd_, [this] { on_ready(); });
  if (readiness_) readiness_->when_writable();
}

StrangerQuestion::~StrangerQuestion() {
  readiness_.reset();
  if (fd_ >= 0) ::close(fd_);
}

void StrangerQuestion::on_ready() {
  if (!done_) return;
  if (!asked_) {
    pollfd ready{fd_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1) return readiness_->when_writable();
    asked_ = ::send(fd_, kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kQuestion.size());
  }
  std::array<char, kMostAnswer> bytes;
  const auto got = ::recv(fd_, bytes.data(), bytes.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  // One piece is enough. Nothing at all, or an error: then there is nothing to tell.
  readiness_.reset();
  const auto done = std::exchange(done_, {});
  done(describe_stranger(std::string_view(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)))));
}

}  // namespace holdfast::net
