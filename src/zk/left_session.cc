#include "zk/left_session.h"

#include <cstdint>

#include "net/frame_socket.h"
#include "wire/records.h"
#include "zk/sasl_steps.h"

namespace holdfast::zk {
namespace {

constexpr std::int32_t kCloseXid = 1;

bool end_at(const net::ServerAddress& server, const LeftSession& session, const ZooKeeperOptions& options,
            net::ClientTls* tls, Clock::time_point deadline) {
  net::FrameSocket socket(server, tls);
  wire::Writer hello;
  encode(hello, wire::ConnectRequest{.timeout = static_cast<std::int32_t>(session.timeout.count()),
                                     .session = session.id,
                                     .password = session.password,
                                     .has_read_only = true});
  socket.send(hello.bytes());
  const auto welcome = socket.wait_for_frame(deadline);
  if (!welcome) return false;
  wire::Reader reader(*welcome);
  wire::ConnectResponse response;
  if (!decode(reader, response)) return false;
  if (response.session != session.id || response.timeout <= 0) return true;  // it has ended already
  // A server may ignore a client that has not logged in.
  if (!server.is_path() && !options.sasl.mechanism.empty() &&
      !log_in_by_sasl(socket, options.sasl, server.name_or_host(), kCloseXid + 1, deadline)) {
    return false;
  }
  for (const auto& each : options.auth) {
    wire::Writer body;
    encode(body, wire::AuthRequest{each.scheme, each.credentials});
    socket.send(wire::request(wire::kAuthXid, wire::Op::auth, body.bytes()));
  }
  socket.send(wire::request(kCloseXid, wire::Op::close_session));
  while (const auto frame = socket.wait_for_frame(deadline)) {
    wire::Reader reply(*frame);
    if (reply.i32() != kCloseXid) continue;
    (void)reply.i64();
    return static_cast<wire::Code>(reply.i32()) == wire::Code::ok && reply.ok();
  }
  return false;
}

}  // namespace

bool end_left_session(const net::ServerAddresses& servers, const LeftSession& session, const ZooKeeperOptions& options,
                      net::ClientTls* tls, Clock::time_point deadline) {
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto now = Clock::now();
    const auto share = (deadline - now) / static_cast<int>(servers.size() - i);
    if (end_at(servers[i], session, options, tls, now + share)) return true;
  }
  return false;
}

}  // namespace holdfast::zk
