#include "zk/left_session.h"

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "net/frame_socket.h"
#include "wire/records.h"

namespace holdfast::zk {
namespace {

net::FrameSocket connect_to(const std::string& server, net::ClientTls* tls) {
  if (server.starts_with('/')) return net::FrameSocket(server);
  return net::FrameSocket(net::Endpoint::parse(server), tls);
}

// Nothing if the server hangs up, or is silent until then.
std::optional<std::string> next_frame(net::FrameSocket& socket, Clock::time_point deadline) {
  for (;;) {
    if (auto frame = socket.next_frame()) return frame;
    if (socket.closed()) return std::nullopt;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    const short wanted = socket.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd polled{socket.fd(), wanted, 0};
    (void)::poll(&polled, 1, static_cast<int>(left));
    socket.on_ready();
  }
}

void send(net::FrameSocket& socket, std::int32_t xid, wire::Op op, std::string_view body) {
  wire::Writer frame;
  frame.i32(xid);
  frame.i32(static_cast<std::int32_t>(op));
  frame.raw(body);
  socket.send(frame.bytes());
}

constexpr std::int32_t kCloseXid = 1;

bool end_at(const std::string& server, const LeftSession& session, const std::vector<Auth>& auth, net::ClientTls* tls,
            Clock::time_point deadline) {
  auto socket = connect_to(server, tls);
  wire::Writer hello;
  encode(hello, wire::ConnectRequest{.timeout = static_cast<std::int32_t>(session.timeout.count()),
                                     .session = session.id,
                                     .password = session.password,
                                     .has_read_only = true});
  socket.send(hello.bytes());
  const auto welcome = next_frame(socket, deadline);
  if (!welcome) return false;
  wire::Reader reader(*welcome);
  wire::ConnectResponse response;
  if (!decode(reader, response)) return false;
  if (response.session != session.id || response.timeout <= 0) return true;  // it has ended already
  // A server may hear nothing of a client that has not logged in.
  for (const auto& each : auth) {
    wire::Writer body;
    encode(body, wire::AuthRequest{each.scheme, each.credentials});
    send(socket, wire::kAuthXid, wire::Op::auth, body.bytes());
  }
  send(socket, kCloseXid, wire::Op::close_session, {});
  while (const auto frame = next_frame(socket, deadline)) {
    wire::Reader reply(*frame);
    if (reply.i32() != kCloseXid) continue;
    (void)reply.i64();
    return static_cast<wire::Code>(reply.i32()) == wire::Code::ok && reply.ok();
  }
  return false;
}

}  // namespace

bool end_left_session(const std::vector<std::string>& servers, const LeftSession& session,
                      const std::vector<Auth>& auth, net::ClientTls* tls, Clock::time_point deadline) {
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto now = Clock::now();
    const auto share = (deadline - now) / static_cast<int>(servers.size() - i);
    if (end_at(servers[i], session, auth, tls, now + share)) return true;
  }
  return false;
}

}  // namespace holdfast::zk
