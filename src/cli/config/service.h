// service.h -- which storage service a command talks to: what was given, where the rest came from, and how to reach it.
//
// Strongest first: option, environment (HOLDFAST_URL), configuration file (service_file.h), default (local:).
#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/client.h"
#include "net/server_address.h"

namespace holdfast::cli {

// The options that every command with a service has. Empty: not given.
struct ServiceArguments {
  std::string url;
  std::string config;
  std::string name_space;
  std::string session_timeout;
  std::string connect_timeout;
  std::string auth;  // a file with user:password
  std::string tls_ca;
  std::string tls_certificate;
  std::string tls_key;
};

// Under which heading of --help they are.
inline constexpr const char* kServiceGroup = "Storage service";

// --url, --config, --namespace, --session-timeout, --connect-timeout, --auth, --tls-ca, --tls-cert, --tls-key. `arguments` must outlive the parsing.
void add_service_options(CLI::App& command, ServiceArguments& arguments);

// One value, and who said so: "--url", "HOLDFAST_URL", "holdfast.yaml:3:6", "default".
struct Setting {
  std::string key;
  std::string value;  // as text, empty if it is not set; of a secret: only whose
  std::string origin;
};

struct ServiceSettings {
  std::string url = "local:";
  std::string name_space{};
  std::chrono::milliseconds session_timeout{15'000};
  std::chrono::milliseconds connect_timeout{5'000};
  std::string auth_file{};           // where the login is from, for another process to read; empty if that is a pipe
  std::string sentinel_auth_file{};  // likewise, of the Sentinels
  TlsOptions tls{};                  // of zks:// and rediss:// only; paths that other processes can use
  ZooKeeperOptions zookeeper{};      // likewise
  RedisOptions redis{};              // the logins; the rest is in the URL
  std::string purpose{};
  std::vector<Setting> origins{};  // of the file and every one of the above, for `holdfast config show`
};

// What `settings` have for such a key of a configuration file: "tls.ca", "sasl.user". Empty: not set.
std::string security_setting(const ServiceSettings& settings, std::string_view key);

// Notes on stderr: a file that is there and not used, a value that was cut.
enum class Notes { said, left_out };

// Throws Error(invalid_argument): what is wrong, where (file, line, column), what would be right.
ServiceSettings resolve_service(const ServiceArguments& arguments, Notes notes = Notes::said);

// Connects by those settings; `options` has what they do not say (listener, retry), and a purpose that wins over theirs. Starts the engine of local: if it does
// not run. Throws as Client::connect; the message names the address.
Client connect(const ServiceSettings& settings, ClientOptions options = {},
               Clock::time_point deadline = Clock::time_point::max());

// The same for a command that has nothing to wait for: if every server refuses the connection, it throws in about half a second, and not after the
// connect timeout. `run` waits: a server that is being started is there in a moment.
Client connect_if_served(const ServiceSettings& settings, ClientOptions options = {});

// Whether the service is a Redis.
bool is_redis(const ServiceSettings& settings);

// Where a ZooKeeper-protocol server is, for what speaks it directly (shell, doctor).
struct Endpoint {
  net::ServerAddresses servers;
  std::string chroot;  // "" or "/app"
  bool by_tls = false;
};

// Of zk:, zks: and local:, which is started if it does not run. Throws Error(invalid_argument) for other URLs.
Endpoint endpoint_of(const ServiceSettings& settings);

}  // namespace holdfast::cli
