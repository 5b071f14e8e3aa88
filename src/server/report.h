// report.h -- what a server tells of itself: the answers to the four-letter words are made of this alone.
//
// The service fills in what the word at hand needs; the rest may stay empty. Times are milliseconds: since the epoch if they
// are points in time, as ZooKeeper prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::server {

// Of requests, in milliseconds.
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

// cons, stat, dump
struct ConnectionReport {
  std::string address{};  // "127.0.0.1:40312"
  bool reading = true;    // false: held back
  bool writing = false;   // something waits to be sent
  std::int64_t queued = 0;
  std::int64_t received = 0;  // packets
  std::int64_t sent = 0;

  // The rest is told only of a connection with a session.
  std::int64_t session = 0;
  std::string last_operation = "NA";  // ZooKeeper's four letters: CREA, GETD, PING, ...
  std::int64_t established = 0;
  std::int64_t timeout = 0;
  std::int64_t last_cxid = -1;
  std::int64_t last_zxid = -1;
  std::int64_t last_response_time = 0;
  std::int64_t last_latency = 0;
  Latency latency{};
  std::int64_t expires_at = 0;
};

// dump
struct SessionReport {
  std::int64_t id = 0;
  std::int64_t expires_at = 0;
  std::vector<std::string> ephemerals{};
};

// wchp, wchc: watches on the data of one path, as ZooKeeper tells of no others there.
struct WatchReport {
  std::string path{};
  std::vector<std::int64_t> sessions{};
};

// wchs
struct WatchSummary {
  std::size_t connections = 0;
  std::size_t paths = 0;
  std::size_t watches = 0;
};

// conf
struct ConfigurationReport {
  int client_port = -1;
  int secure_client_port = -1;
  std::string data_dir{};
  std::string log_dir{};
  std::int64_t data_size = 0;  // dirs, too
  std::int64_t log_size = 0;
  std::int64_t tick_time = 0;
  std::int64_t connections_per_address = 0;
  std::int64_t min_session_timeout = 0;
  std::int64_t max_session_timeout = 0;
};

struct Report {
  // srvr, stat, mntr
  Latency latency{};
  std::int64_t received = 0;  // packets
  std::int64_t sent = 0;
  std::int64_t connection_count = 0;
  std::int64_t outstanding = 0;
  std::int64_t zxid = 0;
  std::int64_t nodes = 0;

  // mntr
  std::int64_t uptime = 0;
  std::int64_t watches = 0;  // of all kinds
  std::int64_t ephemerals = 0;
  std::int64_t data_size = 0;  // of paths and data, approximately
  std::int64_t sessions = 0;
  std::int64_t auth_failed = 0;
  std::int64_t connections_rejected = 0;
  std::int64_t sessions_expired = 0;
  std::int64_t bytes_received = 0;
  std::int64_t response_bytes = 0;
  std::int64_t last_response_size = -1;  // -1: none yet
  std::int64_t min_response_size = -1;
  std::int64_t max_response_size = -1;
  Latency read_latency{};
  Latency update_latency{};
  Latency sync_time{};      // of the log's fdatasync
  Latency snapshot_time{};  // of writing one
  // More of them, without "zk_".
  std::vector<std::pair<std::string, std::string>> counters{};

  std::vector<ConnectionReport> connections{};
  std::vector<SessionReport> session_list{};
  std::vector<WatchReport> watch_list{};
  WatchSummary watch_summary{};
  ConfigurationReport configuration{};

  // Of the process; the listener fills these in, see environment.h.
  std::int64_t open_files = -1;
  std::int64_t max_files = -1;
  std::vector<std::pair<std::string, std::string>> environment{};
};

}  // namespace holdfast::server
