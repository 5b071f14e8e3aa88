#include "socket_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace holdfast::testing {
namespace {

constexpr std::size_t kAtOnce = 64 * 1024;

int connect_to(const sockaddr* address, socklen_t size) {
  const int fd = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "socket");
  const timeval patience{kClientPatience.count(), 0};
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (address->sa_family == AF_INET) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, address, size) != 0) {
    const int error = errno;
    ::close(fd);
    throw std::system_error(error, std::generic_category(), "connect");
  }
  return fd;
}

int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::invalid_argument(path + " is too long");
  std::copy(path.begin(), path.end(), address.sun_path);
  return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

std::runtime_error tls_error(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return std::runtime_error(what + ": " + text.data());
}

}  // namespace

std::string framed(std::string_view body) {
  const auto size = static_cast<std::uint32_t>(body.size());
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(size >> shift & 0xff);
  return frame.append(body);
}

void SocketClient::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }
void SocketClient::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

SocketClient::SocketClient(std::uint16_t port) : socket_(connect_to(port)) {}
SocketClient::SocketClient(const std::string& path) : socket_(connect_to(path)) {}

SocketClient::SocketClient(std::uint16_t port, const TlsClientOptions& options) : SocketClient(port) {
  ERR_clear_error();
  context_.reset(SSL_CTX_new(TLS_client_method()));
  if (!context_) throw tls_error("SSL_CTX_new");
  SSL_CTX_set_security_level(context_.get(), 0);  // so that an old version is refused by the server, not by us
  if (options.version != 0) {
    SSL_CTX_set_min_proto_version(context_.get(), options.version);
    SSL_CTX_set_max_proto_version(context_.get(), options.version);
  }
  if (!options.certificate.empty() &&
      (SSL_CTX_use_certificate_chain_file(context_.get(), options.certificate.c_str()) != 1 ||
       SSL_CTX_use_PrivateKey_file(context_.get(), options.key.c_str(), SSL_FILETYPE_PEM) != 1)) {
    throw tls_error("certificate");
  }
  ssl_.reset(SSL_new(context_.get()));
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket_) != 1) throw tls_error("SSL_new");
  if (SSL_connect(ssl_.get()) != 1) throw tls_error("handshake");
}

SocketClient::~SocketClient() {
  if (socket_ >= 0) ::close(socket_);
}

SocketClient::SocketClient(SocketClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      ended_(other.ended_),
      context_(std::move(other.context_)),
      ssl_(std::move(other.ssl_)) {}

bool SocketClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.substr(0, kAtOnce);
    const long sent = ssl_ ? SSL_write(ssl_.get(), part.data(), static_cast<int>(part.size()))
                           : ::send(socket_, part.data(), part.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

long SocketClient::receive_some(char* data, std::size_t size) {
  if (ended_) return 0;
  long got = 0;
  if (ssl_) {
    ERR_clear_error();
    errno = 0;
    got = SSL_read(ssl_.get(), data, static_cast<int>(size));
    const bool too_slow = got <= 0 && SSL_get_error(ssl_.get(), static_cast<int>(got)) == SSL_ERROR_WANT_READ;
    if (got <= 0 && !too_slow) got = 0;
  } else {
    got = ::recv(socket_, data, size, 0);
    if (got < 0 && errno == ECONNRESET) got = 0;
  }
  if (got == 0) ended_ = true;
  return got;
}

std::string SocketClient::receive(std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t here = 0;
  while (here < size) {
    const long got = receive_some(bytes.data() + here, std::min(kAtOnce, size - here));
    if (got <= 0) break;
    here += static_cast<std::size_t>(got);
  }
  bytes.resize(here);
  return bytes;
}

std::string SocketClient::receive_frame() {
  const std::string header = receive(4);
  if (header.size() < 4) return {};
  std::size_t size = 0;
  for (const char byte : header) size = size << 8 | static_cast<unsigned char>(byte);
  return receive(size);
}

std::string SocketClient::receive_all() {
  std::string bytes;
  std::string part(kAtOnce, '\0');
  for (;;) {  // ends with the connection, or with our patience
    const long got = receive_some(part.data(), part.size());
    if (got <= 0) return bytes;
    bytes.append(part, 0, static_cast<std::size_t>(got));
  }
}

bool SocketClient::ended() {
  receive_all();
  return ended_;
}

void SocketClient::half_close() { ::shutdown(socket_, SHUT_WR); }

}  // namespace holdfast::testing
