// fault_proxy.h -- a network that fails exactly where a test wants it to.
//
// A TCP proxy on a loopback port in front of one ZooKeeper server. It understands the protocol well enough
// to fail on one chosen request, or on its reply, and keeps a record of everything that passed.
//
//   client --- to_server ---> [ proxy ] --- to_server ---> server
//          <-- to_client ---            <-- to_client ---
//
// Order is kept: what is held back holds back everything behind it in the same direction of the same
// connection, also the end of that connection. So a request that was delayed still reaches the server after
// its client has given up on it, as it does in a real network. (Not after the session has come back on a new
// connection to the same server: ZooKeeper then closes the old one by itself.)
//
// A black hole is a partition without a word: connections stay open, new ones are accepted, nothing arrives,
// not even the end of a connection. heal() closes the connections that lost something in it, as nothing can
// be resumed on them; those that lost nothing go on.
//
// Thread safety: all members from any thread. They take effect before they return, but for bytes that are
// already in a socket's buffer behind the proxy.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fault_rule.h"
#include "proxy_trace.h"

namespace holdfast::testing {

class FaultProxy {
 public:
  explicit FaultProxy(std::uint16_t server_port);
  // Closes every connection.
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::uint16_t port() const noexcept;
  std::string address() const;  // "127.0.0.1:port"
  // For connections accepted from now on.
  void set_target(std::uint16_t server_port);

  // --- the record ---

  // In order. Throws std::length_error once there were more than a million since the last clear().
  std::vector<Seen> trace() const;
  std::size_t count(const std::function<bool(const Seen&)>& predicate) const;
  // Requests that are neither ping nor handshake.
  std::size_t count_requests() const;
  std::size_t count_requests(Op op) const;
  void clear();
  // Connections accepted so far; and those open towards the client now.
  std::size_t accepted() const;
  std::size_t open() const;

  // --- faults on one request; each strikes once unless the match says otherwise ---
  // The first rule that strikes, in order of their creation, decides a request, and later rules do not count
  // it: cut_before(m) and then cut_after(m) lose the first such request and the reply to the second.
  // Requests that a black hole swallows are not put to any rule.

  // The connection ends; the server never sees the request.
  Rule cut_before(RequestMatch match);
  // The connection ends when the reply to this request arrives; the client sees neither it nor what follows.
  Rule cut_after(RequestMatch match);
  // The request and everything behind it reaches the server so much later.
  Rule delay(RequestMatch match, std::chrono::milliseconds duration);
  // The reply and everything behind it waits for Rule::release(), or heal().
  Rule hold_reply(RequestMatch match);
  // black_hole() instead of passing the request on, or instead of passing its reply on.
  Rule black_hole_before(RequestMatch match);
  Rule black_hole_after(RequestMatch match);

  // Asked about every request but handshakes and pings that no rule has struck; runs on the proxy's thread.
  // An empty function ends it.
  void on_request(std::function<Verdict(const Request&)> hook);

  // --- faults on everything ---

  void black_hole();
  // Half a partition. New connections are swallowed as in a full one: TCP cannot connect one way.
  void black_hole_server_to_client();
  void black_hole_client_to_server();
  // Ends black holes, and releases every reply held back. Rules that have not struck stay.
  void heal();
  // Ends every connection now; what was held back is dropped.
  void cut_all();
  // While true, new connections are accepted and closed at once.
  void refuse(bool on);

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace holdfast::testing
