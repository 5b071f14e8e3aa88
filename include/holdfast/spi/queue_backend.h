// queue_backend.h -- what a storage service must offer so that locks can be built on it (push mode).
//
// The service keeps, for every queue, an ordered list of tickets. A ticket belongs to the session that made it and
// vanishes with it. `memory` (src/backend/memory) is this page as a program.
//
// Rules for an implementation:
//  * Everything here runs inside the client's Executor. A method never calls back before it has returned.
//  * Every callback is called exactly once, `closed` after close() at the latest. (`told` of a listener: see there.)
//  * Requests of one session take effect in the order they were made: a list() made after an enqueue() sees it.
//  * Before the callback of a request that the service answered, Observer::acknowledged() is called with the time at
//    which the request was made.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/clock.h"
#include "holdfast/fence.h"
#include "holdfast/language.h"

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

// What a ticket asks for.
enum class Mode {
  exclusive,  // to be alone
  write,      // to be alone; and may leave a shared ticket in its own place when it goes
  shared,     // to be with others that are shared
  permit,     // one of a number of permits, in any order
  none,       // not a ticket: somebody else's. Stands in nobody's way, but takes the place of a permit
};

// One place in a queue, as a listing shows it.
struct Ticket {
  std::string id;             // unique in the queue, for ever
  std::int64_t sequence = 0;  // the order in the queue
  Mode mode = Mode::exclusive;

  bool operator==(const Ticket&) const = default;
};

// A ticket that was made by a request of ours.
struct Place {
  Ticket ticket;
  Token token = 0;        // grows with every request that made tickets on this service
  SessionId session = 0;  // who it belongs to, as the service sees it
};

using Listing = std::vector<Ticket>;  // in queue order; those that are none come last

// What a ticket says.
struct TicketText {
  std::string
      card;  // what its maker wrote: of a ticket of ours its card. Empty if the one that asked for it back wrote over it
  bool asked_back = false;  // another client asks its holder to give it back

  bool operator==(const TicketText&) const = default;
};

// What a listener is told. `ok`: its text changed, and this is the new one; more may come. Anything else comes once and is
// the last: the ticket is gone (`absent`), or listening has failed, and the listener's owner should look.
using Told = std::function<void(const Reply<TicketText>&)>;
using CountTold = std::function<void(std::int32_t)>;

// Where a semaphore of a name keeps its tickets: clients stand in line for their turn in the one, and take permits in the other.
struct SemaphoreQueues {
  std::string turns;
  std::string permits;
};

struct Enqueued {
  Place place;    // set whenever it is known that the ticket was made, also if the rest failed
  Listing queue;  // after the ticket was made, so it is in here unless somebody removed it
};

// What a new ticket is made of.
struct Request {
  std::string queue;
  std::string
      uid;  // found again in the ticket's id, when the reply to enqueue() was lost; no other in this queue has it
  Mode mode = Mode::exclusive;
  std::string card;
  // The id of a ticket in this queue: the new one gets its place in the order instead of one at the end, and is made only
  // if that one is still there. (`absent` if it is not.) For one request alone.
  std::string in_place_of{};
};

struct TicketName {
  std::string queue;
  std::string ticket;
};

// One change to what else the service stores, for those who keep their data beside their locks.
struct Change {
  enum class What { create, set, remove, check } what = What::check;
  std::string path;
  std::string text{};
  std::optional<std::int32_t> version{};  // only if it is that one
};

// A ticket as it lies there, whichever client made it.
struct Examined {
  Ticket ticket;
  std::string recipe;  // which library makes such tickets: "Curator", "kazoo", ...
  TicketText text;
  Token token = 0;
  SessionId session = 0;  // 0: it stays until it is removed
  std::chrono::system_clock::time_point made{};
  bool readable = true;  // false: we may not read the text, and the rest but the ticket is unknown
};

struct Examination {
  std::vector<Examined> tickets;   // in queue order
  std::vector<std::string> below;  // what else is in there, and may be queues itself
  std::int64_t next_sequence = 0;  // of the ticket that would be made next, as far as is known
  bool near_its_end = false;       // soon no ticket can be made here: enqueue() will answer `denied`
  bool semaphore = false;          // it has no tickets of its own: it is a semaphore's, see semaphore()
};

struct Session {
  SessionId id = 0;
  // The service gives the session up when it has heard nothing for this long.
  Clock::duration timeout{};
  // 0 if the server that we talk to keeps the sessions. Else another one does (the keeper), and asks ours which sessions it has heard: while
  // the keeper runs, twice in this time, the second half of which is for an asking that is late.
  Clock::duration report_lag{};
  // When this session was asked for, at the earliest.
  Clock::time_point asked{};
  // What proves to the service that a session of this id is ours, also on another connection. Empty: it asks for nothing of the kind.
  std::string password{};
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

  // Makes a ticket at the end of each queue, and lists them, in one flight. All of the tickets or none are made, at one moment
  // and with one token: two such requests come in the same order in every queue. Creates queues if need be. The reply has an
  // element for every request if it is known that they were made, none otherwise. `denied` with elements: they were made, but this
  // service cannot keep them in order (a counter has come to its end), and they are to be dequeued.
  virtual void enqueue(const std::vector<Request>& requests, Callback<std::vector<Enqueued>> done) = 0;
  // The fate of an enqueue() that ended `unknown`: the ticket with this uid, or `absent`, which is final if our session
  // is the one that asked then.
  virtual void find(const std::string& queue, const std::string& uid, Callback<Enqueued> done) = 0;
  // The tickets in order; none if there is no such queue.
  virtual void list(const std::string& queue, Callback<Listing> done) = 0;
  // Removes a ticket, or a mark. `absent` if it is gone already.
  virtual void dequeue(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  virtual void read(const std::string& queue, const std::string& ticket, Callback<TicketText> done) = 0;
  // Asks to be told when a ticket changes or goes. `armed` gets its text, or `absent` (then nothing else comes). A listener
  // outlives a broken connection, not a session.
  virtual ListenerId listen(const std::string& queue, const std::string& ticket, Callback<TicketText> armed,
                            Told told) = 0;
  // list(), and asks to be told, once, when anything has come or gone since.
  virtual ListenerId listen_to_queue(const std::string& queue, Callback<Listing> armed, Told told) = 0;
  // Not interested any more: neither `armed` nor `told` comes after this.
  virtual void ignore(ListenerId listener) = 0;
  // A sign of life that reaches the keeper of the sessions.
  virtual void beat(Callback<Nothing> done) = 0;
  // Whether a ticket is there: `ok` or `absent`.
  virtual void check(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // Puts another text into a ticket. `absent` if it is gone.
  virtual void write(const std::string& queue, const std::string& ticket, const TicketText& text,
                     Callback<Nothing> done) = 0;

  // A mark is left beside a ticket of ours, and only if that is there (`absent` if not). It stays when the ticket goes with its session, and
  // takes part in nothing. To leave it twice is to leave it once.
  virtual void leave_mark(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // What dequeue() calls the mark of that ticket.
  virtual std::string mark_of(const std::string& ticket) const = 0;
  // The marks whose tickets are gone.
  virtual void abandoned_marks(const std::string& queue, Callback<std::vector<std::string>> done) = 0;

  // A count is a number that all clients see under a name, and that stays when they have gone. `denied`: something else is there.
  // make_count() leaves one that is there as it is.
  virtual void make_count(const std::string& name, std::int32_t initial, Callback<Nothing> done) = 0;
  virtual void read_count(const std::string& name, Callback<std::int32_t> done) = 0;
  virtual void set_count(const std::string& name, std::int32_t count, Callback<Nothing> done) = 0;
  // As listen(). `told` gets every number that is set later, or the last of several.
  virtual ListenerId listen_to_count(const std::string& name, Callback<std::int32_t> armed, CountTold told) = 0;

  // Everything in a queue, as it lies there. Changes nothing. A queue that is not there is empty, which is not an error. "" is the root, in
  // which queues lie but no tickets: `below` has the first parts of all names.
  virtual void examine(const std::string& queue, Callback<Examination> done) = 0;
  // All of the changes or none, and only if all of those tickets are there (`absent` if not). Paths are those of path().
  // `denied`: a change cannot be made; the detail says which and why.
  virtual void commit(const std::vector<TicketName>& guards, const std::vector<Change>& changes,
                      Callback<Nothing> done) = 0;

  // Ends the session. Everything under way ends `closed`, in here (the one exception to the first rule) or later; so does what
  // is asked after it, and ignore() does nothing. What may block (telling a server far away) is returned, and runs outside the
  // Executor.
  [[nodiscard]] virtual std::function<void()> close() = 0;

  // Which service, for people: "ZooKeeper at 10.0.0.1:2181".
  virtual std::string where() const = 0;
  // Why there is no connection, for people and as far as it is known: "connection refused; is the server running?". Empty if there is one.
  virtual std::string trouble() const { return {}; }
  // Where a queue is, for people and for transactions: "/app/orders/123".
  virtual std::string path(const std::string& queue) const = 0;
  virtual SemaphoreQueues semaphore(const std::string& name) const = 0;
};

}  // namespace holdfast::spi
