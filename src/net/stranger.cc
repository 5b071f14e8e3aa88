#include "net/stranger.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "net/client_tls.h"

namespace holdfast::net {
namespace {

// ZooKeeper reads four letters; the line ends are for servers that wait for a whole line.
constexpr std::string_view kQuestion = "srvr\r\n\r\n";
// The interesting part of an answer is at its beginning.
constexpr std::size_t kMostAnswer = 4096;

}  // namespace

Stranger describe_stranger(std::string_view answer, bool by_tls) {
  const auto begins = [&](std::string_view text) { return answer.starts_with(text); };
  const auto another = [](std::string clause) { return Stranger{std::move(clause), true}; };
  if (answer.empty()) return {};
  if (begins("\x15\x03") || begins("\x16\x03")) {
    return by_tls ? Stranger{} : another("the server there wants TLS; write zks:// instead of zk://");
  }
  if (begins("-ERR") || begins("-NOAUTH") || begins("-DENIED") || begins("-LOADING")) {
    return another("a Redis listens there");
  }
  // An HTTP/0.9 server answers with the page alone.
  if (begins("HTTP/") || begins("<!DOCTYPE") || begins("<html")) return another("a web server listens there");
  if (begins("SSH-")) return another("an SSH server listens there");
  if (answer.find("not currently serving requests") != std::string_view::npos) {
    return {"the server there does not serve at the moment; has its ensemble a majority?"};
  }
  if (begins("Zookeeper version") || answer.find("not in the whitelist") != std::string_view::npos) {
    // Not "another kind" of server: ZooKeeper can take TLS and plain text at one port (client.portUnification).
    return by_tls ? Stranger{"the server there speaks plain text at this port; write zk:// instead of zks://, or name "
                             "its secure port"}
                  : Stranger{};
  }
  return {"what listens there is not a ZooKeeper"};
}

StrangerQuestion::StrangerQuestion(Reactor& reactor, ServerAddress server, bool by_tls, Done done)
    : reactor_(reactor), server_(std::move(server)), by_tls_(by_tls), done_(std::move(done)) {
  ask(std::string(kQuestion));
}

void StrangerQuestion::ask(std::string question) {
  question_ = std::move(question);
  asked_ = false;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(server_.host.c_str(), server_.port.c_str(), &wanted, &found) != 0) return;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> address(found, ::freeaddrinfo);
  fd_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return;
  if (::connect(fd_, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) return;
  readiness_ = reactor_.watch(fd_, [this] { on_ready(); });
  if (readiness_) readiness_->when_writable();
}

void StrangerQuestion::hang_up() {
  readiness_.reset();
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

StrangerQuestion::~StrangerQuestion() { hang_up(); }

void StrangerQuestion::on_ready() {
  if (!done_) return;
  if (!asked_) {
    pollfd ready{fd_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1) return readiness_->when_writable();
    asked_ = ::send(fd_, question_.data(), question_.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(question_.size());
  }
  std::array<char, kMostAnswer> bytes;
  const auto got = ::recv(fd_, bytes.data(), bytes.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  // One piece is enough. If nothing comes, or an error, there is nothing to tell.
  const auto answer = std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (answer.empty() && !by_tls_ && !std::exchange(greeted_, true)) {
    if (auto greeting = ClientTls({.verify = false}).connect(server_.host)) {
      hang_up();
      return ask((*greeting)->take_wire());
    }
  }
  readiness_.reset();
  const auto done = std::exchange(done_, {});
  done(describe_stranger(answer, by_tls_));
}

}  // namespace holdfast::net
