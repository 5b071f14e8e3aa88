// report.h -- what a server tells of itself: the answers to the four-letter words are made of this alone.
//
// The statistics are always there; the service fills in what lists the word at hand needs, the others may stay empty. Times are
// milliseconds: since the epoch if they are points in time, as ZooKeeper prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/statistics.h"

namespace holdfast::server {

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
  Statistics statistics{};

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
