// engine.h -- a single-node coordination engine that speaks ZooKeeper's protocol, inside this process.
//
//   holdfast::Engine engine({.data_dir = "/var/lib/orders", .listen = {{.port = 2181}}});
//   auto client = holdfast::Client::connect("zk://" + engine.addresses().front());
//
// Every ZooKeeper 3.8 client can use it unchanged. It is one node: past one machine, run a ZooKeeper ensemble; the
// client code stays the same. `holdfast server` is this class and a main().
//
//              stop(), ~Engine()
//   serving    drains what was received, takes a snapshot, -> stopped
//   stopped    nothing
//
// A disk that refuses to write does not end it: writes are refused until there is room again, reads go on.
//
// fork(): it runs in the process that made it. In a child that goes on without exec(), sessions() and stop_if_unused() throw `forked`, the
// destructor and stop() do nothing, and the files, sockets and clients of the parent's engine are not touched. One that was moved
// from throws invalid_argument in the same places.
//
// Thread safety: all members from any thread.
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

// Where certificates are; PEM files. Client certificates are asked for if there is a `client_ca`.
struct Tls {
  std::string certificate;
  std::string key;
  std::string client_ca{};
};

struct Listen {
  // Loopback unless told otherwise; "0.0.0.0" and "::" are everybody.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: one the kernel chooses, see addresses()
  bool tls = false;
  // A Unix socket at this path instead, without TLS. Processes of other users are turned away.
  std::string path{};
};

// A limit on everything. A client that passes one gets the protocol's error or is disconnected; other clients do not notice.
struct EngineLimits {
  // jute.maxbuffer: the longest request.
  std::size_t frame = 0xfffff;
  // Of connections, sessions and memory one address may have as much as it leaves free for others: the first one half of all at
  // most, the next half of the rest.
  std::size_t connections = 50'000;
  // maxClientCnxns: from one address, as a fixed number besides; 0 is none.
  std::size_t connections_per_address = 0;
  std::size_t sessions = 100'000;
  std::size_t watches = 10'000'000;
  // Of one session; nor may one have more than what is left for all others.
  std::size_t watches_per_session = 1'000'000;
  std::size_t path_depth = 1'000;
  // The longest answer, for example to a listing of many children.
  std::size_t answer = 64 << 20;
  // A connection whose client does not read is closed when this much waits for it...
  std::size_t unsent_bytes = 128 << 20;
  // ...and one that sends faster than it is served is not read from while this much waits to be served.
  std::size_t unserved_bytes = 16 << 20;
  // What all clients together may make the server keep: received bytes, requests under way, answers that are not sent. When it is
  // short, the greediest client is disconnected. 0: a quarter of what the process may have (RLIMIT_AS, cgroup, the machine).
  std::size_t memory = 0;
  // Within which the first frame must have come (slow clients).
  std::chrono::milliseconds handshake{10'000};
};

struct EngineOptions {
  // Where nodes and sessions are kept; created if it is not there. Empty: in memory only.
  std::string data_dir{};
  // For the log, if it is to be on another disk. Empty: data_dir.
  std::string log_dir{};
  Durability durability = Durability::power;
  // None: reached by `embedded:` only, without sockets.
  std::vector<Listen> listen{};
  // Clients in this process reach it without a socket by `embedded:NAME`, or by `embedded:DATA_DIR` if there is no name.
  std::string name{};
  Tls tls{};
  // "user:base64(sha1(user:password))" each. Not empty: every session must add one of these (scheme digest) before it asks for
  // anything else. A client does that by Auth{"digest", "user:password"}.
  std::vector<std::string> require_auth{};
  // Of the superuser "super", in the same form; empty: there is none.
  std::string super_digest{};

  // Sessions: what a client may ask for, 2 to 20 ticks unless set.
  std::chrono::milliseconds tick_time{2'000};
  std::chrono::milliseconds min_session_timeout{0};
  std::chrono::milliseconds max_session_timeout{0};

  // Nodes that vanish: TTL nodes are refused unless enabled, as in ZooKeeper; how often empty containers are looked for.
  bool ttl_nodes = false;
  std::chrono::milliseconds container_check_interval{60'000};

  // A snapshot is taken after about this many writes, or this many bytes of log (what is read back in about a second), or as
  // many as the last snapshot had if that is more; that many are kept.
  std::size_t snapshot_after = 100'000;
  std::size_t snapshot_after_bytes = std::size_t{64} << 20;
  std::size_t snapshots_kept = 3;

  // Which four-letter words are answered; "*" is all of them. With any other, srvr is, too, as in ZooKeeper; without one, none is.
  std::vector<std::string> four_letter_words{"srvr"};

  EngineLimits limits{};
};

class Engine {
 public:
  // Recovers what is in data_dir and listens. Throws holdfast::Error with one sentence: which file is damaged and where, which
  // address is taken, which option makes no sense.
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // "127.0.0.1:2181", or the path of a Unix socket, in the order of EngineOptions::listen.
  const std::vector<std::string>& addresses() const noexcept;

  // How many there are, those whose client is away just now included; 0 once stopped. A moment of the engine's own thread.
  std::size_t sessions() const;

  // Orderly: answers what was received, takes a snapshot. Sessions live on in data_dir.
  void stop();
  // The same, but only if there has been no session for that long and no client is about to open one. False: it goes on. A client that comes
  // too late finds the connection refused or reset, never a session that is forgotten.
  // `before` is called, in the engine's own thread, when it is decided and while nothing is closed yet.
  bool stop_if_unused(std::chrono::milliseconds for_that_long, const std::function<void()>& before = {});
  // As kill -9 would: at once, without a snapshot.
  void stop_now() noexcept;

 private:
  class Impl;
  server::Runtime& runtime() const;  // throws Error

  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
