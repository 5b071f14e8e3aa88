// listeners.h -- who of this client listens to which node, and the watches on the server for that.
//
// A watch is used up when it fires, and the server keeps one per node and session, whichever part of us asked for it. So what looks
// like one lasting listener each is this: a watch that is set again after every change of the text, and that is removed when the
// last listener of a node has lost interest.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/zookeeper/connection.h"
#include "holdfast/spi/queue_backend.h"
#include "zk/client.h"

namespace holdfast::zookeeper {

class Listeners {
 public:
  using Id = std::uint64_t;
  static constexpr Id kNone = 0;

  // As spi::TicketListener, with the data of the node.
  using Told = std::function<void(const spi::Reply<std::string>&)>;
  struct Listener {
    std::string path;
    Told told;
    bool of_children = false;  // of a queue, not of a ticket
    bool armed = false;        // there is a watch on the server
  };
  // Wraps what a request is answered with.
  using Acknowledged = std::function<zk::Client::Done(zk::Client::Done)>;

  Listeners(Connection& connection, Acknowledged acknowledged)
      : connection_(connection), acknowledged_(std::move(acknowledged)) {}

  // While connected only. `armed` gets what the node holds, or why there is no listener; not if it is ignored meanwhile.
  Id add(Listener listener, zk::Client::Done armed);
  void ignore(Id id);
  void fired(Id id, wire::EventType type);
  // The library sets its watches again by itself, but not one that was being set anew when the connection broke.
  void session_connected();
  // The session is over, and every watch with it. No listener is told.
  void clear();

 private:
  void watch(Id id, zk::Client::Done done);
  void watch_again(Id id);
  // Nothing if there is no such listener.
  std::optional<Listener> take(Id id);
  void drop_watch(const Listener& listener);
  void tell(Id id, spi::Status status);

  Connection& connection_;
  const Acknowledged acknowledged_;
  std::map<Id, Listener> listeners_;
  // How many there are of each node, of its text and of its children. A client that holds many locks has as many listeners.
  using Node = std::pair<std::string, bool>;
  std::map<Node, std::size_t> nodes_;
  Id last_ = kNone;
};

}  // namespace holdfast::zookeeper
