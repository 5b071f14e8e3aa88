// queue_backend.h -- what a storage service must offer so that locks can be built on it (push mode).
//
// The service keeps, for every queue, an ordered list of tickets. A ticket belongs to the session that made it and vanishes with it.
// A backend is one client's side of that: it turns the calls below into requests, and the replies into callbacks. `memory`
// (src/backend/memory) is this page as a program, examples/toy_store the same in its shortest form, and docs/backends/writing-one.md the way
// from here to a store that passes the conformance cases.
//
//            open()          connected()       disconnected()       expired()            close()
//   made     -> connecting
//   connecting               -> connected                                                -> closed
//   connected                                  -> disconnected      -> connecting        -> closed
//   disconnected             -> connected (the same session id)     -> connecting        -> closed
//   closed: nothing is called any more but the callbacks of requests, with `closed`
//
// Who owns what, and for how long
//  * The client owns the Executor (executor.h) and the backend. The Executor is there before the backend is made with it, and until after
//    the backend has been destroyed. Between close() and the destructor the Executor runs what was posted, and then stops: what a thread of
//    the backend's own posts after that is dropped.
//  * The Observer that open() gets is the client's, and outlives the backend. After close() it is not called.
//  * Arguments are only there during the call: what is needed later is copied. A callback is dropped when it has been called.
//
// What an implementation may assume
//  * Every call is made inside the Executor, one at a time; so a backend needs no lock of its own. A service that several clients of one
//    process share does. where(), path(), mark_of() and semaphore() come from any thread, and always say the same.
//  * open() comes first and once. close() comes once, and the destructor after it, when the Executor has stopped.
//  * Names of queues are checked: parts of printable text joined by "/", no part empty, "." or "..", 512 bytes at most. Only examine() gets "".
//
// What it guarantees for every request
//  * Nothing blocks. What waits for the service returns, and calls back later.
//  * A method never calls back before it has returned. (Executor::post() does what is needed.) close() is the one exception.
//  * Every callback is called exactly once, and inside the Executor. (`told` of a listener: see listen().)
//  * Requests of one session take effect in the order they were made: a list() made after an enqueue() sees it.
//  * If the service answered, with `ok` or `absent`, Observer::acknowledged() is called before the callback, with the time at which
//    the request was made. Leases are as long as these times say, so a time that is too late breaks the lock.
//
// Which status
//  Every request may end `unknown`, `unreachable`, `expired`, `denied` or `closed`, as Status says; the calls below say which other they
//  have. After `unknown` the client does not know, and looks: find() after an enqueue(), and everything else once more, because to do
//  it twice is to do it once (dequeue, write, leave_mark, make_count, set_count). commit() is the exception: its caller is told that it
//  is not known.
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
  unknown,      // the connection broke: the request may or may not have taken effect, or may still do so
  unreachable,  // not connected: the request was not sent, and will not take effect
  expired,      // the service has ended our session, and every ticket with it
  denied,       // the service says no, and will say no again; `detail` says why
  closed,       // close() was called; what became of the request is not known
};

template <class T>
struct Reply {
  Status status = Status::ok;
  std::string detail{};  // for people, when status is not ok
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
  none,       // not a ticket: made by another program. Is in no ticket's way, but takes the place of a permit
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
  // What its maker wrote: of a ticket of ours its card. Empty if the client that asked for it back wrote over it.
  std::string card;
  bool asked_back = false;  // another client asks its holder to give it back

  bool operator==(const TicketText&) const = default;
};

// What a listener is told. `ok`: the text changed, and this is the new one, or the last of several; more may come. Anything else comes
// once and is the last: the ticket is gone (`absent`), or listening has failed, and the listener's owner should look.
using Told = std::function<void(const Reply<TicketText>&)>;
using CountTold = std::function<void(std::int32_t)>;

// Where a semaphore of a name keeps its tickets: clients stand in line for their turn in the one, and take permits in the other.
struct SemaphoreQueues {
  std::string turns;
  std::string permits;
};

struct Enqueued {
  Place place;    // set whenever it is known that the ticket was made, also if the rest failed
  Listing queue;  // after the ticket was made, so it is in here unless it was removed meanwhile
};

// What a new ticket is made of.
struct Request {
  std::string queue;
  std::string
      uid;  // by which find() finds the ticket when the reply to enqueue() was lost; no other in this queue has it
  Mode mode = Mode::exclusive;
  std::string card{};
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
  std::string recipe;  // which library makes such tickets: "Holdfast" of ours; "Curator", "kazoo", ...
  TicketText text;
  Token token = 0;
  SessionId session = 0;  // 0: it stays until it is removed
  std::chrono::system_clock::time_point made{};
  bool readable = true;  // false: we may not read the text, and the rest but the ticket is unknown
  bool apart = false;    // its recipe waits for tickets of that recipe alone
};

struct Examination {
  std::vector<Examined> tickets;   // in queue order
  std::vector<std::string> below;  // the next part of every name that is used below this one, once each
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

// What a backend tells the client, from inside, and never while one of its methods runs.
class Observer {
 public:
  virtual ~Observer() = default;

  // There is a connection. The same id: the session goes on, and so do its tickets and listeners. What changed meanwhile is told to the
  // listeners after this.
  virtual void connected(const Session& session) = 0;
  // It broke. Requests under way end `unknown`, before or after this.
  virtual void disconnected() = 0;
  // The service says that this session is over, or that it knows none of that id; its listeners are forgotten, and will not be told. A new
  // session is under way: the backend asks for one by itself, until close().
  virtual void expired(SessionId session) = 0;
  // The service answered a request that was made at `sent`. `by_keeper`: the server that keeps the sessions has dealt with it, so that the
  // session lasts from then on. Always true where one server does both; on an ensemble, of beats only.
  virtual void acknowledged(SessionId session, Clock::time_point sent, bool by_keeper) = 0;
  // There will never be a session, for instance because the credentials were refused.
  virtual void refused(const std::string& why) = 0;
  // What listens where the service should be is something else (trouble() says what), so that the attempt that a client is making to reach it has
  // failed already. The backend goes on trying, and tells this again when it has tried in vain. One that does not know such a thing never tells it.
  virtual void no_service() {}
};

class QueueBackend {
 public:
  using ListenerId = std::uint64_t;

  virtual ~QueueBackend() = default;

  // Starts to connect, and goes on until there is a session or close() is called. Requests before that end `unreachable`.
  virtual void open(Observer& observer) = 0;

  // Makes a ticket at the end of each queue, and lists them, in one flight. All of the tickets or none are made, at one moment
  // and with one token: two such requests come in the same order in every queue. Creates queues if need be. `requests` is not empty.
  // The reply has an element for every request if it is known that they were made, none otherwise. `absent`: there is nothing in whose place
  // to come. `denied` with elements: they were made, but this service cannot keep them in order (a counter has come to its end), and they
  // are to be dequeued. `unknown`: find() tells; a request that may still be on its way to the service must not make a ticket after that.
  virtual void enqueue(const std::vector<Request>& requests, Callback<std::vector<Enqueued>> done) = 0;
  // The fate of an enqueue() that ended `unknown`: the ticket with this uid, or `absent`, which is final if our session
  // is the one that asked then.
  virtual void find(const std::string& queue, const std::string& uid, Callback<Enqueued> done) = 0;
  // The tickets in order; none if there is no such queue. By a server that is behind the others, if it is not behind what this session did.
  virtual void list(const std::string& queue, Callback<Listing> done) = 0;
  // Removes a ticket, or a mark, whichever client made it. `absent` if it is gone already.
  virtual void dequeue(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // `absent` if it is gone.
  virtual void read(const std::string& queue, const std::string& ticket, Callback<TicketText> done) = 0;
  // Asks to be told when a ticket changes or goes. `armed` gets its text, or `absent` or another failure, and then nothing else comes; it comes
  // before `told`, which misses no change since. A listener outlives a broken connection, not a session: it is then forgotten in silence.
  virtual ListenerId listen(const std::string& queue, const std::string& ticket, Callback<TicketText> armed,
                            Told told) = 0;
  // list(), and asks to be told, once, when the queue is not as that list any more. What came and went again meanwhile need not be told.
  virtual ListenerId listen_to_queue(const std::string& queue, Callback<Listing> armed, Told told) = 0;
  // Not interested any more: neither `armed` nor `told` comes after this. One that has ended is ignored already.
  virtual void ignore(ListenerId listener) = 0;
  // A sign of life that reaches the keeper of the sessions. The client makes one several times in every Session::timeout.
  virtual void beat(Callback<Nothing> done) = 0;
  // Whether a ticket is there: `ok` or `absent`.
  virtual void check(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // Puts another text into a ticket, whichever client made it. `absent` if it is gone.
  virtual void write(const std::string& queue, const std::string& ticket, const TicketText& text,
                     Callback<Nothing> done) = 0;

  // A mark is left beside a ticket of ours, and only if that is there (`absent` if not). It stays when the ticket goes with its session, and
  // takes part in nothing: it is in no listing and no examination. To leave it twice is to leave it once.
  virtual void leave_mark(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // What dequeue() calls the mark of that ticket. No ticket has that id.
  virtual std::string mark_of(const std::string& ticket) const = 0;
  // The marks whose tickets are gone, as mark_of() calls them.
  virtual void abandoned_marks(const std::string& queue, Callback<std::vector<std::string>> done) = 0;

  // A count is a number that all clients see under a name, and that stays when they have gone. `absent`: there is none. `denied`: something
  // else is there. make_count() leaves one that is there as it is, and is `ok`.
  virtual void make_count(const std::string& name, std::int32_t initial, Callback<Nothing> done) = 0;
  virtual void read_count(const std::string& name, Callback<std::int32_t> done) = 0;
  virtual void set_count(const std::string& name, std::int32_t count, Callback<Nothing> done) = 0;
  // As listen(). `told` gets every number that is set later, or the last of several; nothing when the count is removed.
  virtual ListenerId listen_to_count(const std::string& name, Callback<std::int32_t> armed, CountTold told) = 0;

  // Everything in a queue, as it lies there. Changes nothing. A queue that is not there is empty, which is not an error. "" is the root, in
  // which queues lie but no tickets: `below` has the first parts of all names that are in use, once each ("orders" for "orders/1" and
  // "orders/2"), and `tickets` is empty.
  virtual void examine(const std::string& queue, Callback<Examination> done) = 0;
  // All of the changes or none, and only if all of those tickets are there (`absent` if not). Paths are those of path().
  // `denied`: a change cannot be made; the detail says which and why.
  virtual void commit(const std::vector<TicketName>& guards, const std::vector<Change>& changes,
                      Callback<Nothing> done) = 0;

  // Ends the session, and with it every ticket. Everything under way ends `closed`, in here (the one exception to the rule) or later, by what is
  // posted; so does what is asked after it, and ignore() does nothing. What may block (telling a server far away) is returned, and runs
  // outside the Executor, on a thread of the client; empty if there is nothing.
  [[nodiscard]] virtual std::function<void()> close() = 0;

  // Which service, for people: "ZooKeeper at 10.0.0.1:2181".
  virtual std::string where() const = 0;
  // Why there is no connection, for people and as far as it is known: "connection refused; is the server running?". Empty if there is one.
  virtual std::string trouble() const { return {}; }
  // Where a queue is, for people and for transactions: "/app/orders/123".
  virtual std::string path(const std::string& queue) const = 0;
  // The two are different, and below the name, so that examine(name) can see by them that it is a semaphore's.
  virtual SemaphoreQueues semaphore(const std::string& name) const = 0;
};

}  // namespace holdfast::spi
