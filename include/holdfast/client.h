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
#include "holdfast/lock_settings.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/redis_options.h"
#include "holdfast/retry.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "holdfast/tls_options.h"
#include "holdfast/transaction.h"
#include "holdfast/zookeeper_options.h"

namespace holdfast {

class Client;
class LockHandler;
struct ClientSettings;

namespace lock {
class Core;
struct SessionKey;
SessionKey session_key(const Client& client);
}  // namespace lock
namespace declare {
class Locks;
}
namespace spi {
class QueueBackend;
class Executor;
}  // namespace spi
namespace net {
class Reactor;
}  // namespace net

// What a client knows about its session:
//
//   state        means                                                           next
//   connected    there is a first session                                        jeopardy, lost, closed
//   jeopardy     it cannot be renewed right now; holds are still provably good   reconnected, lost, closed
//   reconnected  renewed again, after jeopardy (holds intact) or after lost      jeopardy, lost, closed
//   lost         no hold of this client can be proven any longer; all are lost   reconnected, closed
//   closed       by close() or the destructor; all holds have ended              -
//
// Raise an alarm on `lost`, and a warning on `jeopardy`. `closed` is what the program itself asked for.
enum class ConnectionState { connected, jeopardy, reconnected, lost, closed };

// "jeopardy", and so on.
std::string_view to_string(ConnectionState state) noexcept;

// Whether a wait without a deadline that could never end fails with `deadlock` instead. Only holds that no other thread can give back count:
// those taken with lock(), not Leases.
//
//   off          lock() waits for ever
//   this_client  finds circles among the threads of this client. Costs no request
//   all_clients  finds circles over clients as well, if all of them chose this and have one name space. A thread that waits while it holds
//                something reads all locks there when it begins to wait, and again with every heartbeat. Every thread takes a ticket of its
//                own, so there is no hand-over. The youngest waiter of a circle fails
enum class DeadlockDetection { off, this_client, all_clients };

// What became of the holders that Client::revoke() asked.
struct Revocation {
  std::size_t asked = 0;   // how many held the name, or shared it
  std::size_t gone = 0;    // how many of those gave it back, or ended, in time
  std::size_t broken = 0;  // how many of those were removed by force
};

// How a client behaves. The defaults suit a service in the same data centre.
struct ClientOptions {
  // How long the service waits for a sign of life before it gives this client's locks away. A short one lets rivals go on sooner after a
  // crash; a long one survives longer pauses and outages. The service may grant another one, which then counts: Client::session_timeout().
  std::chrono::milliseconds session_timeout{15'000};
  // How long one attempt to reach the service may take; connect() and try_lock() do not take longer.
  std::chrono::milliseconds connection_timeout{5'000};
  // Put before every name: "billing" makes "orders/1" the path /billing/orders/1.
  std::string name_space{};
  // For zks:// and rediss://; with a URL of ZooKeeper or Redis that goes without TLS it is refused.
  TlsOptions tls{};
  // For Redis and Valkey.
  RedisOptions redis{};
  // For services that speak ZooKeeper's protocol.
  ZooKeeperOptions zookeeper{};
  // How often, and how fast, a call tries again when the service cannot be reached.
  RetryPolicy retry = RetryPolicy::exponential_backoff(std::chrono::milliseconds(100), 10, std::chrono::seconds(5));
  HandOver hand_over{};
  // What counts for locks by their names, where code says nothing. May be replaced while the client lives (LockRules::replace).
  std::shared_ptr<LockRules> locks{};
  DeadlockDetection deadlocks = DeadlockDetection::this_client;
  // Called for every change of the state, on a thread of the client, in order, never concurrently. Must not throw.
  std::function<void(ConnectionState)> listener{};
  // Both are shown to a client or operator that asks for the holder of a lock. Empty program: the name of the running program.
  std::string purpose{};
  std::string program{};
  // Code of yours around every acquire and release, the outermost first (handler.h).
  std::vector<std::shared_ptr<LockHandler>> handlers{};
};

// One session with a storage service. The locks of one client live and die with that session, so most programs have one client.
//
// Example:
//
//   using namespace std::chrono_literals;
//   auto client = holdfast::Client::connect("memory:", {.session_timeout = 10s, .purpose = "monthly run"});
//   holdfast::Lease lease = client.mutex("orders/123").acquire();
//
// Ownership: cheap to move, not copyable. Locks and Leases may outlive it; they then answer `cancelled` and `session_lost`. A client that
// was moved from answers `invalid_argument`, and is `closed`.
//
// Thread safety: all members from any thread. Moving or destroying the object only while no other thread uses it.
//
// Cost: three threads, named hf-loop, hf-lost and hf-listener, which block all signals except those of faults; one connection; one request
// per sixth of the session timeout (fifteenth, on an ensemble), however many locks are held. Making a lock object costs no request.
//
// Deadlines: no acquire outlives its deadline, whatever the network does. Every other request takes at most options.connection_timeout.
//
// fork(): a client belongs to the process that made it, and so does everything made from it. A child that goes on without exec() has none of
// its locks: there every call fails immediately with `forked`; a Lease is not held, has no token and is lost; destructors, close() and
// exit() do nothing. The parent does not notice: its locks, connection and heartbeats go on. A child that wants locks connects a client of
// its own (`memory:` and `embedded:` are then new, as nothing of the parent's runs there). The same goes for Engine. The child has copies of
// the parent's sockets until it calls exec() or ends, and never uses them.
//
// Log: spdlog's logger "holdfast", if the program has registered one (spdlog::register_logger) before its first client; otherwise warnings
// and errors go to stderr. A child of fork() looks for it anew.
class Client {
 public:
  // Waits until there is a session, at most options.connection_timeout.
  //
  //   URL                                    service
  //   memory:  memory:NAME                   a queue inside this process, shared by all its clients of that name
  //   zk://host:port,host:port[/chroot]      Apache ZooKeeper, or `holdfast server`; zk:// may be left out if every host has a port
  //   zks://host:port,host:port[/chroot]     the same by TLS
  //   redis://[user:password@]host:port[/db] Redis 6.0 or newer, or Valkey; rediss:// by TLS; of several hosts, that which is the master
  //   redis+unix:///run/redis.sock[?db=1]    the same at a Unix socket
  //   redis+sentinel://host,host/master[/db] the same, found by its Sentinels; rediss+sentinel:// by TLS
  //   local:                                 the engine of this user, started on first use (local.h)
  //   embedded:  embedded:/directory         an engine inside this process (engine.h)
  //
  // Throws Error: invalid_argument (the message says what would be right), not_connected, refused.
  static Client connect(std::string_view url, ClientOptions options = {});

  // As connect(url), on the backend that `make` returns: for a store of your own (spi/queue_backend.h).
  using BackendFactory = std::function<std::unique_ptr<spi::QueueBackend>(spi::Executor&)>;
  static Client connect(const BackendFactory& make, ClientOptions options = {});

  // As connect(), but tries until `deadline`, as often as options.retry says; each attempt takes at most options.connection_timeout. For a
  // program that may start before its service does, or that has less time than one attempt takes.
  static Client connect_until(std::string_view url, Clock::time_point deadline, ClientOptions options = {});
  static Client connect_until(const BackendFactory& make, Clock::time_point deadline, ClientOptions options = {});

  // Connects by the settings of a file (settings.h), and follows what that says about locks as long as the client lives: a new version counts
  // for every acquire that begins after it was read; one that is wrong changes nothing, and is told. What the file says about the service counts
  // only here. `adjust` may change what was read before it is used: code wins. Throws as load_settings() and connect().
  //
  //   auto client = holdfast::Client::from_file("/etc/app/locks.yaml");
  static Client from_file(const std::string& path, const std::function<void(ClientSettings&)>& adjust = {});

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();  // close()

  // Lock objects. None of these costs a request, but for shared_count(). They throw Error(invalid_argument) if a name or an option makes no
  // sense.
  //
  // A name is a path such as "orders/123": up to 32 parts of printable characters, none of them "." or "..", 512 bytes of UTF-8 in all.
  // Every script and emoji is allowed; characters of private use (U+E000-F8FF) and U+FFF0-FFFF are not. One leading slash is allowed and
  // means nothing. A part that is spelled as a ticket ("lock-0000000000", with the ten digits that ZooKeeper appends) is refused.
  Mutex mutex(std::string_view name, LockOptions options = {});
  NonReentrantMutex non_reentrant_mutex(std::string_view name, LockOptions options = {});
  SharedMutex shared_mutex(std::string_view name, LockOptions options = {});
  // One to kMaxNames different names. No lock_delay.
  MultiLock multi_lock(std::vector<LockItem> items, LockOptions options = {});
  // 1 to 2^31 - 1 permits. No lock_delay.
  Semaphore semaphore(std::string_view name, std::int64_t permits, LockOptions options = {});
  Semaphore semaphore(std::string_view name, const SharedCount& permits, LockOptions options = {});
  // One round trip; if the count does not exist, two more, which make it and set it to `initial`.
  SharedCount shared_count(std::string_view name, std::int32_t initial);

  // What ClientOptions::locks says about this name right now. Costs no request. Throws Error(invalid_argument) if it is not a name.
  LockSettings lock_settings(std::string_view name) const;

  // Asks the holder of the name (or all its readers) to give it back, and waits for that at most `grace`. With `force`, then removes the
  // tickets of the holders that have not. A holder whose ticket is removed learns that with its next heartbeat, or immediately if it listens
  // (Lease::revoked()): until then two clients may believe that they hold the lock, and only a Fence knows better. Waiters keep their places.
  // Holders of a Semaphore's permits are not asked. Throws Error: not_connected, refused, cancelled, invalid_argument.
  enum class Force { no, yes };
  Revocation revoke(std::string_view name, std::chrono::milliseconds grace, Force force = Force::no);

  // Who holds and who waits for a name, in two round trips; or for all names in use below `root` (empty: the whole name space), in two round
  // trips for every level of names. Nothing is written. Throws Error: not_connected, refused, cancelled, invalid_argument.
  LockInfo inspect(std::string_view name);
  std::vector<LockInfo> inspect_all(std::string_view root = {});

  // Makes the changes if, and only if, the ticket of `lease` is there at that moment, in one transaction of the service: what an expired
  // holder sends is refused by the service itself. One round trip. Throws Error:
  //   session_lost   the ticket is not there; nothing was changed
  //   refused        a step cannot be made, and the message says which; nothing was changed
  //   not_connected  the connection broke; the message says whether the changes may have been made
  void commit(const Lease& lease, const Transaction& transaction);

  // What is known right now, without a request. A listener (ClientOptions) is told of every change.
  ConnectionState state() const noexcept;
  // What the service has granted, which may be more or less than options.session_timeout.
  std::chrono::milliseconds session_timeout() const;

  // Ends the session, and with it every ticket. Waiters wake with `cancelled`; leases still held are lost. May be called again, and then does
  // nothing. Returns when the callbacks have returned too, unless one of them calls it. Gives up after a few seconds on a server that does
  // not answer.
  void close() noexcept;

 private:
  friend lock::SessionKey lock::session_key(const Client& client);
  friend class declare::Locks;

  // For the stores that come with the library, which may watch sockets in the client's loop.
  using OwnBackendFactory = std::function<std::unique_ptr<spi::QueueBackend>(net::Reactor&)>;
  static Client open_until(const OwnBackendFactory& make, Clock::time_point deadline, ClientOptions options);

  explicit Client(std::shared_ptr<lock::Core> core) noexcept;
  // Throws Error if this object cannot be used: moved from, or made before fork().
  const std::shared_ptr<lock::Core>& core() const;

  std::shared_ptr<lock::Core> core_;
  // Made by the first declared lock (declared.h).
  std::shared_ptr<declare::Locks> declared_;
};

}  // namespace holdfast
