// statistics.h -- what a server counts. Each part has one owner, which fills it; the four-letter words print them (report.h).
//
//   part                 owner             back to nothing by srst
//   TrafficStatistics    ConnectionTable   yes
//   SessionStatistics    SessionRegistry   yes
//   LoginStatistics      Logins            yes
//   PipelineStatistics   Pipeline          no
//   QuotaStatistics      Quotas            no
//   StateStatistics      the engine        no
//
// Times are milliseconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "server/refusals.h"

namespace holdfast::engine {
class Engine;
}

namespace holdfast::server {

struct Latency {
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t total = 0;
  std::int64_t count = 0;

  void add(std::int64_t milliseconds) {
    min = count == 0 || milliseconds < min ? milliseconds : min;
    max = milliseconds > max ? milliseconds : max;
    total += milliseconds;
    ++count;
  }
};

// Of all connections together, those that are gone included.
struct TrafficStatistics {
  std::int64_t received = 0;  // packets
  std::int64_t sent = 0;
  std::int64_t bytes_received = 0;
  std::int64_t response_bytes = 0;
  std::int64_t last_response_size = -1;  // -1: none yet
  std::int64_t min_response_size = -1;
  std::int64_t max_response_size = -1;
  Latency latency{};
  Latency read_latency{};
  Latency update_latency{};

  void arrived(std::size_t frame) {
    ++received;
    bytes_received += static_cast<std::int64_t>(frame);
  }
  void answered(std::int64_t milliseconds, bool write, std::size_t body) {
    constexpr std::int64_t kHeader = 16;
    const auto bytes = static_cast<std::int64_t>(body) + kHeader;
    latency.add(milliseconds);
    (write ? update_latency : read_latency).add(milliseconds);
    response_bytes += bytes;
    last_response_size = bytes;
    min_response_size = min_response_size < 0 ? bytes : std::min(min_response_size, bytes);
    max_response_size = std::max(max_response_size, bytes);
  }
};

struct SessionStatistics {
  std::int64_t expired = 0;
};

struct LoginStatistics {
  std::int64_t failed = 0;
};

struct PipelineStatistics {
  std::int64_t outstanding = 0;  // work that waits or is under way
  std::int64_t zxid = 0;         // of the last write that is safe
  Latency sync_time{};           // of the log's fdatasync
};

struct QuotaStatistics {
  std::uint64_t memory_used = 0;  // for clients
  std::uint64_t memory_limit = 0;
  std::array<std::uint64_t, kRefusals> refused{};

  std::uint64_t& of(Refusal why) { return refused[static_cast<std::size_t>(why)]; }
  std::uint64_t of(Refusal why) const { return refused[static_cast<std::size_t>(why)]; }
};

struct StateStatistics {
  std::int64_t nodes = 0;
  std::int64_t ephemerals = 0;
  std::int64_t data_size = 0;  // of paths and data, approximately
  std::int64_t watches = 0;    // of all kinds
  std::int64_t sessions = 0;
};

StateStatistics statistics_of(const engine::Engine& engine);

struct Statistics {
  std::int64_t uptime = 0;
  std::int64_t connections = 0;
  TrafficStatistics traffic{};
  SessionStatistics sessions{};
  LoginStatistics logins{};
  PipelineStatistics pipeline{};
  QuotaStatistics quotas{};
  StateStatistics state{};
  Latency snapshot_time{};  // of writing one
};

}  // namespace holdfast::server
