// queue_backend.h -- what a storage service must offer so that locks can be built on it (push mode).
//
// For the author of another store. The service keeps an ordered list of tickets for every queue. A ticket belongs to the session that made it,
// and vanishes with it. A backend is one client's side of that: it turns the calls below into requests, and the replies into callbacks.
//
// Example:
//
//   auto store = std::make_shared<toy::Store>();
//   const auto make = [&](auto& executor) { return std::make_unique<toy::Backend>(executor, store, 10s); };
//   auto client = holdfast::Client::connect(make);
//
// `memory` (src/backend/memory) is this page as a program, examples/toy_store the same in its shortest form, and docs/backends/writing-one.md the
// way from here to a store that passes the conformance cases.
//
//            open()          connected()       disconnected()       expired()            close()
//   made     -> connecting
//   connecting               -> connected                                                -> closed
//   connected                                  -> disconnected      -> connecting        -> closed
//   disconnected             -> connected (the same session id)     -> connecting        -> closed
//   closed: nothing is called any more except the callbacks of requests, with `closed`
//
// Ownership
//  * The client owns the Executor (executor.h) and the backend. The Executor is made before the backend, and destroyed after it. Between
//    close() and the destructor of the backend the Executor runs what was posted, and then stops: what a thread of the backend's own posts
//    after that is dropped.
//  * The Observer that open() gets belongs to the client, and outlives the backend. It is not called after close().
//  * Arguments are valid only during the call: copy what is needed later. A callback is dropped when it has been called.
//
// What an implementation may assume
//  * Every call is made inside the Executor, one at a time; so a backend needs no lock of its own. (A service that several clients of one
//    process share does.) where(), path(), mark_of() and semaphore() are called from any thread, and always give the same answer.
//  * open() is called first, and once. close() is called once, and the destructor after it, when the Executor has stopped.
//  * Names of queues have been checked: parts of printable text joined by "/", no part empty, "." or "..", 512 bytes at most. Only examine()
//    gets "".
//
// What it guarantees for every request
//  * Nothing blocks. A method that needs the service returns, and calls back later.
//  * A method never calls back before it has returned. (Executor::post() helps.) close() is the one exception.
//  * Every callback is called exactly once, and inside the Executor. (`told` of a listener: see listen().)
//  * Requests of one session take effect in the order they were made: a list() made after an enqueue() sees it.
//  * If the service answered, with `ok` or `absent`, Observer::acknowledged() is called before the callback, with the time at which
//    the request was made. The validity of leases is counted from these times, so a time that is too late breaks the lock.
//
// Errors
//  Every request may end with `unknown`, `unreachable`, `expired`, `denied`, `unsupported` or `closed`; see Status. The calls below say which others they
//  have. After `unknown` the client finds out: by find() after an enqueue(), and by the same request once more otherwise, because a second
//  one has no further effect (dequeue, write, leave_mark, make_count, set_count). commit() is the exception: its caller is told that the
//  outcome is not known.
//
// Round trips
//  One for each call, except: enqueue() may take a second one when it creates a queue; listen() and its like are told without a request.
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

// 0 is no session. The session that replaces a dead one has another id.
using SessionId = std::int64_t;

// How a request ended, and whether it took effect.
enum class Status {
  ok,           // it did
  absent,       // no: the service has no such ticket
  unknown,      // not known: the connection broke, and it may still take effect
  unreachable,  // no, and it will not: there is no connection, and it was not sent
  expired,      // no: the service has ended this client's session, and every ticket with it
  denied,       // no: the service refuses it, and would refuse it again; `detail` says why
  unsupported,  // no: this kind of store cannot do that at all; `detail` says so, and what can
  closed,       // not known: close() was called
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
  none,  // not a ticket: something that another program made. It keeps no ticket waiting, but takes the place of a permit
};

// One place in a queue, as a listing shows it.
struct Ticket {
  std::string id;             // unique in the queue, and never used again
  std::int64_t sequence = 0;  // orders the queue
  Mode mode = Mode::exclusive;

  bool operator==(const Ticket&) const = default;
};

// A ticket that this client has made.
struct Place {
  Ticket ticket;
  Token token = 0;        // grows with every request that makes tickets on this service
  SessionId session = 0;  // the session that it belongs to, as the service sees it
};

using Listing = std::vector<Ticket>;  // in queue order; Mode::none comes last

// What a ticket says.
struct TicketText {
  // What its maker wrote: a card, if it is one of Holdfast's. Empty if the client that asked for it back has overwritten it.
  std::string card;
  bool revoked = false;  // another client asks its holder to give it back

  bool operator==(const TicketText&) const = default;
};

// What a listener is told. `ok`: the text has changed, and this is the new one, or the last of several; more may come. Every other status
// comes once, and nothing after it: the ticket is gone (`absent`), or listening has failed, and the client should look for itself.
using TicketListener = std::function<void(const Reply<TicketText>&)>;
using CountListener = std::function<void(std::int32_t)>;

// The two queues of a semaphore: clients wait in one for their turn to take permits in the other.
struct SemaphoreQueues {
  std::string turns;
  std::string permits;
};

// What an enqueue() has made.
struct Enqueued {
  Place place;    // set whenever it is known that the ticket was made, also if the rest failed
  Listing queue;  // after the ticket was made, so the ticket is in it unless it was removed meanwhile
};

// A ticket to make.
struct Request {
  std::string queue;
  std::string uid;  // unique in this queue; find() looks for it when the reply to enqueue() was lost
  Mode mode = Mode::exclusive;
  std::string card{};
  // The id of a ticket in this queue: the new ticket takes its place in the order instead of one at the end, and is made only if that one is
  // still there. (`absent` if it is not.) Only in an enqueue() of one request.
  std::string in_place_of{};
};

// A ticket, wherever it is.
struct TicketName {
  std::string queue;
  std::string ticket;
};

// One step of a Transaction (transaction.h): a change to data that is not a ticket.
struct Change {
  enum class What { create, set, remove, check } what = What::check;
  std::string path;
  std::string text{};
  std::optional<std::int32_t> version{};  // only if it is that one
};

// Everything about one ticket, whichever client made it.
struct Examined {
  Ticket ticket;
  std::string recipe;  // which library makes such tickets: "Holdfast", "Curator", "kazoo", ...
  TicketText text;
  Token token = 0;
  SessionId session = 0;  // 0: it stays until it is removed
  std::chrono::system_clock::time_point made{};
  bool readable = true;  // false: this client has no permission to read it; of the rest only the ticket is known
  bool apart = false;    // its recipe waits only for tickets of that recipe
};

// Everything about one queue.
struct Examination {
  std::vector<Examined> tickets;   // in queue order
  std::vector<std::string> below;  // the next part of every name that is used below this one, once each
  std::int64_t next_sequence = 0;  // of the ticket that would be made next, as far as it is known
  bool near_overflow = false;      // soon no ticket can be made here: enqueue() will answer `denied`
  bool semaphore = false;          // it has no tickets of its own: it belongs to a semaphore, see semaphore()
};

// A session, as the service has granted it.
struct Session {
  SessionId id = 0;
  // The service ends the session when it has heard nothing of the client for this long.
  Clock::duration timeout{};
  // 0 if the server that the client talks to keeps the sessions. Otherwise another server does (the keeper), and asks the client's server
  // which sessions it has heard: while the keeper runs, at least once in this time.
  Clock::duration report_lag{};
  // A moment before the service began to count: when the client asked for this session, or earlier.
  Clock::time_point asked{};
  // Proves to the service, also on another connection, that a session of this id belongs to this client. Empty: the service wants no proof.
  std::string password{};
};

// What a backend tells the client. Called inside the Executor, and never while one of the backend's methods runs.
class Observer {
 public:
  virtual ~Observer() = default;

  // There is a connection. If the id is the same as before, the session goes on, and so do its tickets and listeners; listeners are told after
  // this what changed meanwhile.
  virtual void connected(const Session& session) = 0;
  // The connection broke. Requests under way end `unknown`, before or after this.
  virtual void disconnected() = 0;
  // The service says that this session is over, or that it does not know it. Its listeners are forgotten, and will not be told. The backend
  // asks for a new session without being told to, until close().
  virtual void expired(SessionId session) = 0;
  // The service answered a request that was made at `sent`. `by_keeper`: the server that keeps the sessions has dealt with it, so the session
  // lives from that moment. Always true if one server does both; on an ensemble, only for beats.
  virtual void acknowledged(SessionId session, Clock::time_point sent, bool by_keeper) = 0;
  // There will never be a session, for instance because the credentials were refused.
  virtual void refused(const std::string& why) = 0;
  // Something other than the service listens at its address (trouble() says what), so the client's present attempt to reach it has failed. The
  // backend goes on trying, and calls this again each time it finds the same. Optional: for backends that can tell.
  virtual void no_service() {}
};

// One client's side of a storage service. See the top of this file for the rules of all its calls.
class QueueBackend {
 public:
  using ListenerId = std::uint64_t;

  virtual ~QueueBackend() = default;

  // Starts to connect, and goes on until there is a session or close() is called. Requests before that end `unreachable`.
  virtual void open(Observer& observer) = 0;

  // Makes a ticket at the end of each queue, and lists the queues, in one flight. Either all tickets are made or none, at one moment and with
  // one token: two such requests come in the same order in every queue. Creates queues that do not exist. `requests` is not empty.
  //
  // The reply has an element for every request if it is known that the tickets were made, and none otherwise.
  //   absent                 the ticket of `in_place_of` is gone
  //   denied, with elements  they were made, but this service cannot keep them in order (a counter is at its end): dequeue them
  //   unknown                find() tells. A request that is still on its way to the service must not make a ticket after that
  virtual void enqueue(const std::vector<Request>& requests, Callback<std::vector<Enqueued>> done) = 0;
  // What became of an enqueue() that ended `unknown`: the ticket with this uid, or `absent`, which is final if the session is still the one
  // that made the request.
  virtual void find(const std::string& queue, const std::string& uid, Callback<Enqueued> done) = 0;
  // The tickets in order; empty if the queue does not exist. A server that is behind others may answer, if it has seen what this session did.
  virtual void list(const std::string& queue, Callback<Listing> done) = 0;
  // Removes a ticket or a mark, whichever client made it. `absent` if it is gone.
  virtual void dequeue(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // The token of a ticket of this client, asked for when it is granted. A store that keeps no order, so that a ticket that waits has no place
  // yet, gives it here, as of the grant; all others have given it with the Place.
  virtual Token token_of(const std::string& queue, const Place& place) const {
    (void)queue;
    return place.token;
  }
  // Whether list() and listen_to_queue() show the tickets of other clients that wait. False for a store in which waiters leave no trace: there
  // every ticket is given back with its release, as it could not be seen who wants it.
  virtual bool shows_waiters() const { return true; }
  // What a ticket says. `absent` if it is gone.
  virtual void read(const std::string& queue, const std::string& ticket, Callback<TicketText> done) = 0;
  // Listens to a ticket: `told` is called when it changes or goes. First `armed` gets its text; `told` misses no change since. If `armed` gets
  // `absent` or another failure, nothing comes after it. A listener outlives a broken connection but not a session: it then ends in silence.
  virtual ListenerId listen(const std::string& queue, const std::string& ticket, Callback<TicketText> armed,
                            TicketListener told) = 0;
  // As list(), and calls `told` once, when the queue differs from that list. A ticket that came and went again need not be told.
  virtual ListenerId listen_to_queue(const std::string& queue, Callback<Listing> armed, TicketListener told) = 0;
  // Ends listening: neither `armed` nor `told` is called after this. A listener that has ended may be ignored again.
  virtual void ignore(ListenerId listener) = 0;
  // A sign of life that reaches the keeper of the sessions. The client calls this several times in every Session::timeout.
  virtual void beat(Callback<Nothing> done) = 0;
  // Whether a ticket is there: `ok` or `absent`.
  virtual void check(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // Replaces the text of a ticket, whichever client made it. `absent` if it is gone.
  virtual void write(const std::string& queue, const std::string& ticket, const TicketText& text,
                     Callback<Nothing> done) = 0;

  // Marks are for the lock delay. A mark is left beside a ticket of this client, if that is there (`absent` if not). It stays when the ticket
  // goes with its session, and takes part in nothing else: it is in no listing and no examination. Leaving it again has no effect.
  virtual void leave_mark(const std::string& queue, const std::string& ticket, Callback<Nothing> done) = 0;
  // The id of the mark of that ticket, for dequeue(). No ticket has it.
  virtual std::string mark_of(const std::string& ticket) const = 0;
  // The ids of the marks whose tickets are gone.
  virtual void abandoned_marks(const std::string& queue, Callback<std::vector<std::string>> done) = 0;

  // A count is a number that all clients see under a name, and that stays when they have gone. `absent`: there is none. `denied`: something
  // else has that name. make_count() does not change a count that exists, and is then `ok`.
  virtual void make_count(const std::string& name, std::int32_t initial, Callback<Nothing> done) = 0;
  virtual void read_count(const std::string& name, Callback<std::int32_t> done) = 0;
  virtual void set_count(const std::string& name, std::int32_t count, Callback<Nothing> done) = 0;
  // As listen(). `told` gets every number that is set later, or the last of several, and nothing when the count is removed.
  virtual ListenerId listen_to_count(const std::string& name, Callback<std::int32_t> armed, CountListener told) = 0;

  // Everything about a queue and its tickets, for people. Changes nothing. A queue that does not exist is empty, which is not an error. "" is
  // the root, which has queues but no tickets: `below` has the first parts of all names in use, once each ("orders" for "orders/1" and
  // "orders/2"), and `tickets` is empty.
  virtual void examine(const std::string& queue, Callback<Examination> done) = 0;
  // Makes all of the changes or none, and only if all of those tickets are there (`absent` if not). Paths are those of path(). `denied`: a
  // change cannot be made; the detail says which and why.
  virtual void commit(const std::vector<TicketName>& guards, const std::vector<Change>& changes,
                      Callback<Nothing> done) = 0;

  // Ends the session, and with it every ticket. Requests under way end `closed`, inside this call (the one exception to the rule) or later, by
  // a posted function; so do requests made after it, and ignore() does nothing. Work that may block (telling a server far away) is returned,
  // and runs outside the Executor on a thread of the client; empty if there is none.
  [[nodiscard]] virtual std::function<void()> close() = 0;

  // The service, for people: "ZooKeeper at 10.0.0.1:2181".
  virtual std::string where() const = 0;
  // Why there is no connection, for people, as far as it is known: "connection refused; is the server running?". Empty if there is one.
  virtual std::string trouble() const { return {}; }
  // Where a queue is, for people and for transactions: "/app/orders/123".
  virtual std::string path(const std::string& queue) const = 0;
  // The queues of the semaphore of that name. They differ, and are below the name, so that examine(name) can tell that it is a semaphore.
  virtual SemaphoreQueues semaphore(const std::string& name) const = 0;
};

}  // namespace holdfast::spi
