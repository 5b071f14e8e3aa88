// peer.h -- what the service and one connection know of each other.
//
// A connection may be a TCP or TLS socket, or a client in this process. Everything here happens in the service's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "server/quotas.h"

namespace holdfast::server {

using ConnectionId = std::uint64_t;

// The connection, as the service sees it.
class Peer {
 public:
  virtual ~Peer() = default;

  // A whole frame, length included. Queued; never blocks.
  virtual void send(std::string frame) = 0;
  // Once what was sent is out; nothing is received from now on, and Service::disconnected() is not called.
  virtual void close() = 0;
  // Stop and go on receiving: too much of this client waits to be served.
  virtual void hold_back(bool held) = 0;
  // While it is held back for long: an end of the client's side is the end of the connection, also behind what it has sent. Requests
  // that would be read later are not worth waiting for.
  virtual void look_for_the_end(bool) {}
  // How much send() was given that is not out yet.
  virtual std::size_t unsent() const = 0;
  // Of what is kept because of this client.
  virtual std::shared_ptr<Account> account() { return std::make_shared<Account>(); }
  // Something has come from the client that was not read yet: it is not silent, we are late.
  virtual bool has_unread() const { return false; }
};

// What is known of a client before it said anything.
struct Origin {
  std::string address;     // "127.0.0.1:40312", "unix", or "embedded"
  std::string ip;          // "127.0.0.1", for the ip scheme
  std::uint16_t port = 0;  // of the client
  bool tls = false;
  std::shared_ptr<Address> source{};  // none: a client in this process
};

// The service, as a connection sees it.
class Host {
 public:
  virtual ~Host() = default;

  virtual std::shared_ptr<Quotas> quotas() = 0;

  // Something has come, of which a part of a frame may stay: if memory is short, the greediest clients go first.
  virtual void make_room() {}

  // 0: refused, there are too many; the connection closes itself.
  virtual ConnectionId connected(std::shared_ptr<Peer> peer, Origin origin) = 0;
  // One frame, without its length.
  virtual void received(ConnectionId connection, std::string frame) = 0;
  // The other side is gone, or broke the rules of framing.
  virtual void disconnected(ConnectionId connection) = 0;
  // Peer::unsent() has become less.
  virtual void sent(ConnectionId) {}
};

}  // namespace holdfast::server
