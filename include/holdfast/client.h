// client.h -- one session with a storage service, and the locks made from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/inspect.h"
#include "holdfast/language.h"
#include "holdfast/lock_options.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/retry.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "holdfast/tls_options.h"
#include "holdfast/transaction.h"
#include "holdfast/zookeeper_options.h"

namespace holdfast {

class Client;

namespace lock {
class Core;
struct SessionKey;
SessionKey session_key(const Client& client);
}  // namespace lock
namespace spi {
class QueueBackend;
class Executor;
}  // namespace spi
namespace net {
class Reactor;
}  // namespace net

//   state        means                                                          next
//   connected    the first session is there                                     jeopardy, lost, closed
//   jeopardy     cannot be renewed right now; holds are still provably ours     reconnected, lost, closed
//   reconnected  renewed again, after jeopardy (holds intact) or after lost     jeopardy, lost, closed
//   lost         no hold of this client can be proven any longer; all are lost  reconnected, closed
//   closed       close() was called, or the Client destroyed; all holds ended   -
//
// An alarm belongs on `lost`, and a warning on `jeopardy`. `closed` is what the program itself has asked for.
enum class ConnectionState { connected, jeopardy, reconnected, lost, closed };

std::string_view to_string(ConnectionState state) noexcept;

// How long threads of one client may pass a name among themselves while other processes wait for it. Both bounds hold;
// a count of 0 gives every hold its own place in the queue.
struct HandOver {
  unsigned count = 64;
  std::chrono::milliseconds time{100};
};

// Whether a wait without deadline that could never end fails with `deadlock` instead. Looks at holds that only the thread which
// took them can give back (lock(), not a Lease), because no other thread can help it out.
//
//   off          lock() waits
//   this_client  circles among threads of this client are found. Costs no request
//   all_clients  also circles over clients that all asked for this, on one name space. A thread that waits while it holds something
//                reads all locks there, when it begins to wait and with every heartbeat; and every thread takes a ticket of its
//                own, so there is no hand-over. The youngest of a circle fails.
enum class DeadlockDetection { off, this_client, all_clients };

// What became of the holders that Client::revoke() asked.
struct Revocation {
  std::size_t asked = 0;   // held the name, or shared it
  std::size_t gone = 0;    // of those, gave it back, or ended, in time
  std::size_t broken = 0;  // of those, were removed by force
};

struct ClientOptions {
  // How long the service waits for a sign of life before it gives our locks away. The service may grant another one,
  // which then counts: Client::session_timeout().
  std::chrono::milliseconds session_timeout{15'000};
  // How long one attempt to reach the service may take; connect() and try_lock() do not take longer.
  std::chrono::milliseconds connection_timeout{5'000};
  // Put before every name: "billing" makes "orders/1" the path /billing/orders/1.
  std::string name_space{};
  // For zks:// only; with another URL of ZooKeeper it is refused, so that nothing travels as plain text by mistake.
  TlsOptions tls{};
  // What only services with ZooKeeper's protocol have.
  ZooKeeperOptions zookeeper{};
  RetryPolicy retry = RetryPolicy::exponential_backoff(std::chrono::milliseconds(100), 10, std::chrono::seconds(5));
  HandOver hand_over{};
  DeadlockDetection deadlocks = DeadlockDetection::this_client;
  // Called on a thread of the client, in order, never concurrently. Must not throw.
  std::function<void(ConnectionState)> listener{};
  // Shown to those who ask for the holder of a lock.
  std::string purpose{};
  // Likewise; empty: the name of the program that runs.
  std::string program{};
};

// Cheap to move, not copyable. Mutexes and Leases may outlive it; they then answer `cancelled` and `session_lost`. One that was moved
// from answers `invalid_argument`, and is `closed`.
//
// fork(): a client belongs to the process that made it, and so does all that was made from it. A child that goes on without exec()
// has none of its locks: there every call fails with `forked`, at once, a Lease is not held, has no token and is lost, and destructors,
// close() and exit() do nothing. The parent does not notice: its locks, its connection and its heartbeats go on. A child that wants
// locks connects a client of its own. (`memory:` and `embedded:` are then new in the child, as nothing of the parent's runs there.) The
// same goes for Engine. The child has copies of the parent's sockets until it calls exec() or ends, and never uses them.
//
// Threads: three for each client, named hf-loop, hf-lost and hf-listener. They block all signals, but for those of faults.
//
// Log: spdlog's logger "holdfast", if the program has registered one (spdlog::register_logger) before its first client; else warnings and
// errors go to stderr. In a child of fork() it is looked for anew.
//
// Thread safety: all members from any thread, but not against moving or destroying the object.
class Client {
 public:
  // Waits until there is a session, at most options.connection_timeout. URLs:
  //   memory:  memory:NAME                   a queue inside this process, shared by all clients of that name
  //   zk://host:port,host:port[/chroot]      Apache ZooKeeper, or `holdfast server`; without zk:// if each host has its port
  //   zks://host:port,host:port[/chroot]     the same by TLS
  //   local:                                 the engine of this user, started by itself (local.h)
  //   embedded:  embedded:/directory         an engine inside this process (engine.h)
  // Throws Error: invalid_argument (says what would be right), not_connected, refused.
  static Client connect(std::string_view url, ClientOptions options = {});

  // For those who bring another store: as connect(url), on what `make` returns.
  using BackendFactory = std::function<std::unique_ptr<spi::QueueBackend>(spi::Executor&)>;
  static Client connect(const BackendFactory& make, ClientOptions options = {});

  // The same, but not limited to one attempt: tries until `deadline`, as options.retry says, where each attempt takes at most
  // options.connection_timeout. For a program that may start before its service does; or that has less time than one attempt takes.
  static Client connect_until(std::string_view url, Clock::time_point deadline, ClientOptions options = {});
  static Client connect_until(const BackendFactory& make, Clock::time_point deadline, ClientOptions options = {});

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();  // close()

  // A name is a path such as "orders/123": up to 32 parts of printable characters, none of them "." or "..", 512 bytes of UTF-8 in all.
  // Every script and emoji will do; of private use (U+E000-F8FF) and U+FFF0-FFFF nothing. One leading slash is allowed and means
  // nothing. A part that is spelled as a ticket ("lock-0000000000", with the ten digits that ZooKeeper appends) is refused.
  // Throws Error(invalid_argument). Costs no request.
  Mutex mutex(std::string_view name, LockOptions options = {});
  NonReentrantMutex non_reentrant_mutex(std::string_view name, LockOptions options = {});
  SharedMutex shared_mutex(std::string_view name, LockOptions options = {});
  // One to kMaxNames different names. Throws Error(invalid_argument). No lock_delay.
  MultiLock multi_lock(std::vector<LockItem> items, LockOptions options = {});
  // 1 to 2^31 - 1 permits. Throws Error(invalid_argument). No lock_delay.
  Semaphore semaphore(std::string_view name, std::int64_t permits, LockOptions options = {});
  Semaphore semaphore(std::string_view name, const SharedCount& permits, LockOptions options = {});
  // One round trip, and one more if it did not exist: then it is made and set to `initial`.
  SharedCount shared_count(std::string_view name, std::int32_t initial);

  // Asks the holder of the name (all readers, if it is shared) to give it back, and waits for that at most `grace`. `force`: then
  // removes the tickets of those who have not. A holder that is broken like that learns it by its next heartbeat, or at once if it
  // listens (Lease::revoked()): until then two may believe to hold, and only a Fence knows better. Those who wait keep their places.
  // Permits of a semaphore are not asked for.
  // Throws Error: not_connected, refused, cancelled, invalid_argument.
  enum class Force { no, yes };
  Revocation revoke(std::string_view name, std::chrono::milliseconds grace, Force force = Force::no);

  // Who holds and who waits for a name: two round trips. For all names below `root` that a client wants (empty: the whole name
  // space): two for every level of names. Nothing is written. Throws Error: not_connected, refused, cancelled, invalid_argument.
  LockInfo inspect(std::string_view name);
  std::vector<LockInfo> inspect_all(std::string_view root = {});

  // Makes the changes if, and only if, the ticket of `lease` is there at that moment, in one transaction of the service: what
  // an expired holder sends is refused by the service itself. session_lost: it is not there. refused: a step cannot be made, the
  // message says which. not_connected: the connection broke, and the changes may or may not have been made.
  void commit(const Lease& lease, const Transaction& transaction);

  ConnectionState state() const noexcept;
  // How long the service waits for a sign of life of this client before it gives its locks away: what it has granted, which may be more
  // or less than options.session_timeout.
  std::chrono::milliseconds session_timeout() const;

  // Ends the session, and with it every ticket. Waiters wake with `cancelled`; leases still held are lost. Idempotent. Returns
  // when the callbacks have returned too, unless it is called by one of them. A server that does not answer is given up on
  // after a few seconds.
  void close() noexcept;

 private:
  friend lock::SessionKey lock::session_key(const Client& client);

  // A store of our own, which may watch sockets in the client's loop.
  using OwnBackendFactory = std::function<std::unique_ptr<spi::QueueBackend>(net::Reactor&)>;
  static Client open_until(const OwnBackendFactory& make, Clock::time_point deadline, ClientOptions options);

  explicit Client(std::shared_ptr<lock::Core> core) noexcept;
  // Throws Error if this object cannot be used: moved from, or made before fork().
  const std::shared_ptr<lock::Core>& core() const;

  std::shared_ptr<lock::Core> core_;
};

}  // namespace holdfast
