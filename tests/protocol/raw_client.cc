#include "raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace holdfast::testing {

std::string Handshake::bytes() const {
  JuteWriter out;
  out.i32(protocol).i64(last_zxid).i32(timeout).i64(session).text(password);
  if (read_only) out.boolean(*read_only);
  return out.bytes();
}

HandshakeReply parse_handshake_reply(std::string_view frame) {
  JuteReader in(frame);
  HandshakeReply reply;
  reply.protocol = in.i32();
  reply.timeout = in.i32();
  reply.session = in.i64();
  reply.password = in.text();
  if (!in.ok()) throw std::runtime_error("a connect reply of " + std::to_string(frame.size()) + " bytes");
  if (!in.rest().empty()) reply.read_only = in.boolean();
  reply.rest = std::string(in.rest());
  return reply;
}

RawClient::RawClient(std::uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    if (socket_ >= 0) ::close(socket_);
    throw std::system_error(error, std::generic_category(), "connect to port " + std::to_string(port));
  }
  const int yes = 1;
  (void)::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

RawClient::~RawClient() { ::close(socket_); }

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void RawClient::send_request(std::int32_t xid, std::int32_t op, std::string_view payload) {
  send_frame(JuteWriter().i32(xid).i32(op).raw(payload).bytes());
}

RawClient::Received RawClient::receive(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (buffer_.size() >= 4) {
      const auto size = static_cast<std::size_t>(static_cast<std::uint32_t>(JuteReader(buffer_).i32()));
      if (buffer_.size() - 4 >= size) {
        Received received{Outcome::frame, buffer_.substr(4, size)};
        buffer_.erase(0, 4 + size);
        return received;
      }
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return {Outcome::silence, {}};
    pollfd readable{socket_, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(left.count())) <= 0) continue;
    std::array<char, 65536> bytes;
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {Outcome::closed, {}};
    buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

bool RawClient::readable() const {
  pollfd waiting{socket_, POLLIN, 0};
  return !buffer_.empty() || ::poll(&waiting, 1, 0) > 0;
}

std::string RawClient::framed(std::string_view frame) {
  return JuteWriter().i32(static_cast<std::int32_t>(frame.size())).raw(frame).bytes();
}

}  // namespace holdfast::testing
