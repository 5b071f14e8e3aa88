// redis_failover.h -- a Redis with replicas, and the Sentinels that make one of them the master when it is gone.
//
// Real ones, all on loopback. Start it from a thread that outlives it. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "redis_server.h"
#include "tcp_relay.h"

namespace holdfast::testing {

struct RedisFailoverOptions {
  std::size_t replicas = 0;
  std::size_t sentinels = 1;
  // A master that is silent this long is down.
  std::chrono::milliseconds down_after{500};
  // Replicas and Sentinels reach the first server, and name it to clients, by a wire that can fall silent.
  bool relayed = false;
  std::vector<std::string> config_lines{};  // of the servers
};

class RedisFailover {
 public:
  // Returns once the replicas follow, and every Sentinel knows them and the other Sentinels; throws std::runtime_error if that takes too long.
  explicit RedisFailover(RedisFailoverOptions options = {});

  static constexpr const char* kMaster = "locks";
  // "redis+sentinel://127.0.0.1:1,127.0.0.1:2/locks"
  std::string url() const;
  // "127.0.0.1:1,127.0.0.1:2"
  std::string sentinel_addresses() const;

  std::size_t servers() const { return servers_.size(); }
  RedisServer& server(std::size_t number) { return *servers_.at(number); }
  RedisServer& sentinel(std::size_t number) { return *sentinels_.at(number); }
  TcpRelay& relay() { return *relay_; }
  // The server that is the master by the word of a Sentinel.
  std::size_t master(std::size_t sentinel = 0) const;
  // As an operator asks for it (SENTINEL FAILOVER): waits for the new master. Its number.
  std::size_t fail_over();
  // Waits until all Sentinels that are up name a server that says it is the master, and is not `former`. Its number.
  std::size_t wait_for_master_other_than(std::size_t former) const;

  // Enough for the 30 s that a Sentinel takes no part after it was starved of the processor (TILT).
  static constexpr std::chrono::milliseconds kFailoverTimeout{90'000};

 private:
  std::uint16_t known_port(std::size_t server) const;
  void wait_until_watched() const;

  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::unique_ptr<TcpRelay> relay_;
  std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

}  // namespace holdfast::testing
