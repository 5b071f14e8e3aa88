// zookeeper_options.h -- which server a test runs against, and how it is set up.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::testing {

// Who made the server: Apache ZooKeeper, or our own engine that speaks its protocol.
enum class ServerMake { apache, engine };

const char* to_string(ServerMake make) noexcept;

// "apache" or "engine", nothing else: a misspelt name must not pass for a run on the other server.
// Throws std::invalid_argument.
ServerMake parse_server_make(std::string_view name);

// What the environment variable HOLDFAST_TEST_SERVER names; Apache if there is none. Throws as above.
ServerMake server_make_under_test();

struct ZooKeeperOptions {
  ServerMake make = server_make_under_test();
  // Sessions expire on multiples of this, so it is also how late an expiry may be.
  std::chrono::milliseconds tick_time{500};
  // What clients may ask for. Wide, so that tests get the timeout they name.
  std::chrono::milliseconds min_session_timeout{500};
  std::chrono::milliseconds max_session_timeout{60'000};
  // How often empty containers are reaped; ZooKeeper's own default.
  std::chrono::milliseconds container_check_interval{60'000};
  // Off: a test does not pull the power plug, and fsync costs milliseconds on a shared disk.
  bool force_sync = false;
  // Added at the end of zoo.cfg, one line each.
  std::vector<std::string> config_lines{};
  // Added to the command line of java, for example "-Dzookeeper.something=1". The engine has no JVM: it gets the
  // definitions as lines of zoo.cfg, and has no use for anything else.
  std::vector<std::string> java_options{};
};

// What makes a server a member of an ensemble. `peers` are the server.N lines, as this member sees them.
struct QuorumMember {
  int id = 0;
  std::uint16_t client_port = 0;
  std::vector<std::string> peers{};
};

}  // namespace holdfast::testing
