// engine.h -- a single-node coordination engine that speaks ZooKeeper's protocol, inside this process.
//
// Example:
//
//   holdfast::Engine engine({.data_dir = directory, .listen = {{.port = 0}}});
//   auto client = holdfast::Client::connect("zk://" + engine.addresses().front());
//   holdfast::Lease lease = client.mutex("orders/123").acquire();
//
// Every ZooKeeper 3.8 client can use it unchanged. It is one node: to go past one machine, run a ZooKeeper ensemble; the client code stays
// the same. `holdfast server` is this class and a main().
//
//   state     stop(), ~Engine()                                  stop_now()
//   serving   answers what was received, snapshot, -> stopped    -> stopped
//   stopped   no effect                                          no effect
//
// What it keeps. With a data_dir: nodes, sessions and the order of tokens survive a restart, and a kill -9 or a power failure as `durability`
// says. Clients of the life before find their sessions and locks again if they come back within their session timeout. Without: all of it ends
// with the engine. The format of the files, and what a crash leaves in them, is in docs/storage.md.
//
// What goes wrong. A disk that refuses to write does not end it: writes are refused until there is room again, reads go on. Damaged or missing
// files are found at the start, and refused with one sentence (engine_data.h).
//
// Thread safety: all members from any thread. It has a few threads of its own, and none per connection.
//
// fork(): it runs in the process that made it. In a child that goes on without exec(), sessions() and stop_if_unused() throw `forked`, the
// destructor and stop() do nothing, and the files, sockets and clients of the parent's engine are not touched. An engine that was moved from
// throws invalid_argument in the same places.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/language.h"

namespace holdfast {

namespace server {
class Runtime;
}

// What a write has survived when its reply leaves.
//
//   level     before the reply   survives kill -9   survives power loss
//   process   write()            yes                no
//   power     fdatasync()        yes                yes
enum class Durability { process, power };

// The server's certificate and key, PEM files. With `client_ca`, clients must show a certificate of that authority.
struct Tls {
  std::string certificate;
  std::string key;
  std::string client_ca{};
};

// One address to accept connections at.
struct Listen {
  // Loopback unless told otherwise; "0.0.0.0" and "::" are reached from every machine.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the kernel chooses one, see addresses()
  bool tls = false;
  // A Unix socket at this path instead, without TLS. Processes of other users are turned away.
  std::string path{};
};

// A limit on everything. A client that passes one gets the protocol's error or is disconnected; other clients do not notice.
struct EngineLimits {
  // jute.maxbuffer: the longest request, in bytes.
  std::size_t frame = 0xfffff;
  // One address may have as many connections, sessions and bytes of memory as it leaves free for others: the first address half of all at
  // most, the next one half of the rest.
  std::size_t connections = 50'000;
  // maxClientCnxns: in addition, a fixed number per address; 0 is no such limit.
  std::size_t connections_per_address = 0;
  std::size_t sessions = 100'000;
  std::size_t watches = 10'000'000;
  // Of one session, which may not have more than what is left for all others either.
  std::size_t watches_per_session = 1'000'000;
  std::size_t path_depth = 1'000;
  // The longest answer, for example to a listing of many children, in bytes.
  std::size_t answer = 64 << 20;
  // A connection whose client does not read is closed when this much waits for it...
  std::size_t unsent_bytes = 128 << 20;
  // ...and a connection that sends faster than it is served is not read from while this much waits to be served.
  std::size_t unserved_bytes = 16 << 20;
  // What all clients together may make the server keep: received bytes, requests under way, answers that are not sent. When memory is
  // short, the client that has most of it is disconnected. 0: a quarter of what the process may have (RLIMIT_AS, cgroup, the machine).
  std::size_t memory = 0;
  // The time in which the first frame of a connection must have come.
  std::chrono::milliseconds handshake{10'000};
};

// How an engine is set up. `holdfast server` reads the same settings from zoo.cfg or YAML (docs/server.md).
struct EngineOptions {
  // Where nodes and sessions are kept; created if it does not exist. Empty: in memory only.
  std::string data_dir{};
  // For the log, if it is to be on another disk. Empty: data_dir.
  std::string log_dir{};
  Durability durability = Durability::power;
  // Empty: without sockets; clients of this process reach it by `embedded:`.
  std::vector<Listen> listen{};
  // Clients in this process reach it without a socket by `embedded:NAME`, or by `embedded:DATA_DIR` if there is no name.
  std::string name{};
  Tls tls{};
  // Each "user:base64(sha1(user:password))". If there are any, every session must prove one of them (scheme digest) before any other
  // request. A client does that by Auth{"digest", "user:password"}.
  std::vector<std::string> require_auth{};
  // The digest of the superuser "super", in the same form; empty: there is none.
  std::string super_digest{};

  // The session timeout that a client may ask for is between these two; 0: 2 and 20 ticks.
  std::chrono::milliseconds tick_time{2'000};
  std::chrono::milliseconds min_session_timeout{0};
  std::chrono::milliseconds max_session_timeout{0};

  // TTL nodes are refused unless enabled, as in ZooKeeper.
  bool ttl_nodes = false;
  // How often empty containers, and TTL nodes whose time is over, are looked for.
  std::chrono::milliseconds container_check_interval{60'000};

  // A snapshot is taken after about this many writes, or this many bytes of log (which are read back in about a second), or as many as the
  // last snapshot had, if that is more.
  std::size_t snapshot_after = 100'000;
  std::size_t snapshot_after_bytes = std::size_t{64} << 20;
  std::size_t snapshots_kept = 3;

  // Which four-letter words are answered; "*" is all of them. If there is any, srvr is answered too, as in ZooKeeper.
  std::vector<std::string> four_letter_words{"srvr"};

  EngineLimits limits{};
};

// A running engine; see the top of this file.
class Engine {
 public:
  // Recovers what is in data_dir and listens; serves when it returns. Throws Error with one sentence: which file is damaged and where, which
  // address is taken, which option makes no sense.
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // "127.0.0.1:2181", or the path of a Unix socket, in the order of EngineOptions::listen.
  const std::vector<std::string>& addresses() const noexcept;

  // How many sessions there are, also of clients that are not connected just now; 0 once stopped. Waits for the engine's own thread.
  std::size_t sessions() const;

  // Answers what was received, takes a snapshot, and ends. Sessions live on in data_dir.
  void stop();
  // As stop(), but only if there has been no session for that long and no client is about to open one. False: it goes on. A client that comes
  // too late finds the connection refused or reset, never a session that is forgotten. `before` is called in the engine's own thread when
  // that is decided, and before anything is closed.
  bool stop_if_unused(std::chrono::milliseconds for_that_long, const std::function<void()>& before = {});
  // Ends immediately and without a snapshot, as kill -9 would.
  void stop_now() noexcept;

 private:
  class Impl;
  server::Runtime& runtime() const;  // throws Error

  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
