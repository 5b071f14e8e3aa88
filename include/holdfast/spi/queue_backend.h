// queue_backend.h -- what a storage service must offer so that locks can be built on it (push mode).
//
// The service keeps, for every queue, an ordered list of tickets. A ticket belongs to the session that made it and
// vanishes with it. `memory` (src/backend/memory) is this page as a program.
//
// Rules for an implementation:
//  * Everything here runs inside the client's Executor. A method never calls back before it has returned.
//  * Every callback is called exactly once, `closed` after close() at the latest. (`told` of listen(): at most once.)
//  * Requests of one session take effect in the order they were made: a list() made after an enqueue() sees it.
//  * Before the callback of a request that the service answered, Observer::acknowledged() is called with the time at
//    which the request was made.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "holdfast/clock.h"
#include "holdfast/fence.h"

namespace holdfast::spi {

// 0 is no session. A replaced session has another id.
using SessionId = std::int64_t;

enum class Status {
  ok,
  absent,       // the service says: no such ticket
  unknown,      // the connection broke: the request may or may not have taken effect
  unreachable,  // not connected: the request was not sent
  expired,      // the service has ended our session, and every ticket with it
  denied,       // the service says no, and will say no again
  closed,       // close() was called
};

template <class T>
struct Reply {
  Status status = Status::ok;
  std::string detail;  // for people, when status is not ok
  T value{};

  explicit operator bool() const noexcept { return status == Status::ok; }
};

struct Nothing {};

template <class T>
using Callback = std::function<void(Reply<T>)>;

// One place in a queue, as a listing shows it.
struct Ticket {
  std::string id;             // unique in the queue, for ever
  std::int64_t sequence = 0;  // the order in the queue; two tickets of one session never share one
  bool shared = false;        // asks for a shared hold

  bool operator==(const Ticket&) const = default;
};

// A ticket that was made by a request of ours.
struct Place {
  Ticket ticket;
  Token token = 0;        // grows with every ticket made on this service
  SessionId session = 0;  // who it belongs to, as the service sees it
};

using Listing = std::vector<Ticket>;  // in queue order

// What a listener is told, once: the ticket is gone (`absent`), or listening has failed and somebody should look.
using Told = std::function<void(Status)>;

struct Enqueued {
  Place place;    // set whenever it is known that the ticket was made, also if the rest failed
  Listing queue;  // after the ticket was made, so it is in here unless somebody removed it
};

// What a new ticket is made of.
struct Request {
  std::string uid;  // found again in the ticket's id, when the reply to enqueue() was lost
  bool shared = false;
  std::string card;
};

struct Session {
  SessionId id = 0;
  // The service gives the session up when it has heard nothing for this long.
  Clock::duration timeout{};
  // 0 if the server that we talk to keeps the sessions. Else another one does (the keeper), and is told by ours whom it has
  // heard, at intervals of this length at most.
  Clock::duration report_lag{};
  // When this session was asked for, at the earliest.
  Clock::time_point asked{};
};

class Observer {
 public:
  virtual ~Observer() = default;

  // There is a connection. The same id: the session goes on, and so do its tickets and listeners.
  virtual void connected(const Session& session) = 0;
  // It broke. Requests under way end `unknown`.
  virtual void disconnected() = 0;
  // The service says that this session is over. A new one is under way.
  virtual void expired(SessionId session) = 0;
  // The service answered a request that was made at `sent`. `by_keeper`: the one that keeps the sessions has dealt with it. On
  // an ensemble, beats only.
  virtual void acknowledged(SessionId session, Clock::time_point sent, bool by_keeper) = 0;
  // There will never be a session, for instance because the credentials were refused.
  virtual void refused(const std::string& why) = 0;
};

class QueueBackend {
 public:
  using ListenerId = std::uint64_t;

  virtual ~QueueBackend() = default;

  // Starts to connect. Called once, first.
  virtual void open(Observer& observer) = 0;

  // Makes a ticket at the end of `queue`, and lists, in one flight. Creates the queue if need be.
  virtual void enqueue(const std::string& queue, const Request& request, Callback<Enqueued> done) = 0;
  // The fate of an enqueue() that ended `unknown`: the ticket with this uid, or `absent`, which is final if our session
  // is the one that asked then.
  virtual void find(const std::string& queue, const std::string& uid, Callback<Enqueued> done) = 0;
  // The tickets in order; none if there is no such queue.
  virtual void list(const std::string& queue, Callback<Listing> done) = 0;
  // Removes a ticket. `absent` if it is gone already.
  virtual void dequeue(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // The card of a ticket.
  virtual void read(const std::string& queue, const std::string& ticket, Callback<std::string> done) = 0;
  // Asks to be told when a ticket goes. `armed` gets its card, or `absent` (then nothing else comes). A listener outlives a
  // broken connection, not a session.
  virtual ListenerId listen(const std::string& queue, const std::string& ticket, Callback<std::string> armed,
                            Told told) = 0;
  // Not interested any more: neither `armed` nor `gone` comes after this.
  virtual void ignore(ListenerId listener) = 0;
  // A sign of life that reaches the keeper of the sessions.
  virtual void beat(Callback<Nothing> done) = 0;
  // Whether a ticket is there: `ok` or `absent`.
  virtual void check(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;

  // Ends the session. Everything under way ends `closed`; no method is called after it. What may block (telling a server
  // far away) is returned, and runs outside the Executor.
  [[nodiscard]] virtual std::function<void()> close() = 0;

  // Which service, for people: "ZooKeeper at 10.0.0.1:2181".
  virtual std::string where() const = 0;
  // Where a queue is, for people and for transactions: "/app/orders/123".
  virtual std::string path(const std::string& queue) const = 0;
};

}  // namespace holdfast::spi
