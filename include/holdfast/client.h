// client.h -- one session with a storage service, and the locks made from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/mutex.h"
#include "holdfast/retry.h"

namespace holdfast {

namespace lock {
class Core;
}
namespace spi {
class QueueBackend;
class Executor;
}  // namespace spi

//   state        means                                                          next
//   connected    the first session is there                                     jeopardy, lost
//   jeopardy     cannot be renewed right now; holds are still provably ours     reconnected, lost
//   reconnected  renewed again, after jeopardy (holds intact) or after lost     jeopardy, lost
//   lost         no hold of this client can be proven any longer; all are lost  reconnected
enum class ConnectionState { connected, jeopardy, reconnected, lost };

std::string_view to_string(ConnectionState state) noexcept;

// Who may do what with the nodes we create. ZooKeeper's schemes and permission bits.
struct AclEntry {
  std::string scheme;  // "world", "auth", "digest", "ip"
  std::string id;      // "anyone", "", "user:hash", "10.0.0.0/8"
  std::uint32_t permissions = 31;
};

struct Auth {
  std::string scheme;       // "digest"
  std::string credentials;  // "user:password"
};

// How long threads of one client may pass a name among themselves while other processes wait for it. Both bounds hold;
// a count of 0 gives every hold its own place in the queue.
struct HandOver {
  unsigned count = 64;
  std::chrono::milliseconds time{100};
};

struct ClientOptions {
  // How long the service waits for a sign of life before it gives our locks away. The service may grant another one,
  // which then counts.
  std::chrono::milliseconds session_timeout{15'000};
  // How long one attempt to reach the service may take; connect() and try_lock() do not take longer.
  std::chrono::milliseconds connection_timeout{5'000};
  // Put before every name: "billing" makes "orders/1" the path /billing/orders/1.
  std::string name_space{};
  std::vector<Auth> auth{};
  // Empty: world:anyone may do everything, as Curator does by default.
  std::vector<AclEntry> acl{};
  RetryPolicy retry = RetryPolicy::exponential_backoff(std::chrono::milliseconds(100), 10, std::chrono::seconds(5));
  HandOver hand_over{};
  // tickTime of the ensemble's servers: must not be smaller than theirs. A follower reports the sessions it has heard to the
  // leader every half tick, so leases end that much earlier. Not used on a single server.
  std::chrono::milliseconds ensemble_tick_time{2'000};
  // Called on a thread of the client, in order, never concurrently. Must not throw.
  std::function<void(ConnectionState)> listener{};
  // Shown to whoever asks who holds a lock of this client.
  std::string purpose{};
};

// Cheap to move, not copyable. Mutexes and Leases may outlive it; they then answer `cancelled` and `session_lost`.
//
// Thread safety: all members from any thread, but not against moving or destroying the object.
class Client {
 public:
  // Waits until there is a session, at most options.connection_timeout. URLs:
  //   memory:  memory:NAME                   a queue inside this process, shared by all clients of that name
  //   zk://host:port,host:port[/chroot]      Apache ZooKeeper
  // Throws Error: invalid_argument (says what would be right), not_connected, refused.
  static Client connect(std::string_view url, ClientOptions options = {});

  // For those who bring another store: as connect(url), on what `make` returns.
  using BackendFactory = std::function<std::unique_ptr<spi::QueueBackend>(spi::Executor&)>;
  static Client connect(const BackendFactory& make, ClientOptions options = {});

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();  // close()

  // A name is a path such as "orders/123": parts of printable characters, none of them "." or "..". One leading slash
  // is allowed and means nothing. Throws Error(invalid_argument). Costs no request.
  Mutex mutex(std::string_view name);
  NonReentrantMutex non_reentrant_mutex(std::string_view name);

  ConnectionState state() const noexcept;

  // Ends the session, and with it every ticket. Waiters wake with `cancelled`; leases still held are lost. Idempotent. Returns
  // when the callbacks have returned too, unless it is called by one of them. A server that does not answer is given up on
  // after a few seconds.
  void close() noexcept;

 private:
  explicit Client(std::shared_ptr<lock::Core> core) noexcept;

  std::shared_ptr<lock::Core> core_;
};

}  // namespace holdfast
