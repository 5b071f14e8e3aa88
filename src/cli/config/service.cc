#include "cli/config/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "backend/redis/address.h"
#include "backend/zookeeper/address.h"
#include "base/text.h"
#include "cli/commands/disk_room.h"
#include "cli/config/service_file.h"
#include "cli/config/setting_value.h"
#include "cli/config/time_option.h"
#include "cli/doctor/server_probe.h"
#include "cli/run/run_environment.h"
#include "holdfast/error.h"
#include "holdfast/local.h"
#include "settings/client_keys.h"
#include "settings/duration.h"
#include "settings/small_file.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

constexpr Range<milliseconds> kTimeouts{milliseconds(1), kLongestTimeout};
constexpr std::string_view kZooKeeper = "zk://";
constexpr std::string_view kZooKeeperByTls = "zks://";
constexpr std::string_view kLocal = "local:";

// Empty: neither of the two.
std::string_view scheme_of(std::string_view url) {
  if (url.starts_with(kZooKeeper)) return kZooKeeper;
  return url.starts_with(kZooKeeperByTls) ? kZooKeeperByTls : std::string_view();
}

// What is between zk:// and the chroot, without the commas: empty if no server is named.
std::string parse_hosts(std::string_view url) {
  std::string hosts(url.substr(scheme_of(url).size()));
  hosts.erase(std::min(hosts.find('/'), hosts.size()));
  std::erase(hosts, ',');
  return hosts;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// What a text that is not a URL of ours was meant to be.
std::string meant_by(const std::string& url) {
  if (url.starts_with("memory:") || url.starts_with("embedded:")) {
    return "locks there exist in one process only, and commands need a service that processes share: zk://host:port or "
           "local:";
  }
  if (const auto lower = lower_case(url); lower != url && redis::is_address(lower)) {
    const auto end = lower.find(':');
    return "did you mean " + lower.substr(0, end) + base::printable(url.substr(end)) + "?";
  }
  if (url.starts_with("local")) return "did you mean local:?";
  if (const auto lower = lower_case(url); lower != url && !scheme_of(lower).empty()) {
    const auto scheme = scheme_of(lower);
    return "did you mean " + std::string(scheme) + base::printable(url.substr(scheme.size())) + "?";
  }
  const bool plain = url.find("://") == std::string::npos && url.find('/') != 0;
  return fmt::format("did you mean zk://{}?", plain ? url : "localhost:2181");
}

[[noreturn]] void refuse(std::string sentence) { throw Error(Errc::invalid_argument, std::move(sentence)); }

// So that every command says the same of it, and doctor before it asks a server.
void check_address(const std::string& url) {
  const bool by_redis = redis::is_address(url);
  // A password may have been written with a slash in it.
  const auto hosts = by_redis ? url.substr(0, url.find('?')) : url.substr(0, url.find('/', scheme_of(url).size()));
  if (hosts.find('@') != std::string::npos) {
    refuse(
        "a URL has no login in it, which every process on this machine could read; write user:password to a file and "
        "give that with --auth");
  }
  if (by_redis) {
    if (const auto address = redis::parse_address(url); !address) refuse(address.error());
  } else if (const auto address = zookeeper::parse_address(url); !address) {
    refuse(address.error());
  }
}

net::ServerAddresses servers_of(const ServiceSettings& settings) {
  if (!is_redis(settings)) return endpoint_of(settings).servers;
  return redis::parse_address(settings.url).value_or(redis::Address{}).servers;
}

// For servers that answer, enough of time; for one that is far away there is another attempt.
constexpr milliseconds kFirstLook{500};

bool every_server_refuses(const ServiceSettings& settings) {
  const auto servers = servers_of(settings);
  return std::all_of(servers.begin(), servers.end(), [](const auto& server) {
    const auto probe = doctor::ServerProbe::connect(server, nullptr, deadline_after(kFirstLook));
    return !probe && probe.error().refused;
  });
}

// What was said, and where. `prefix` says where, if that is in a file.
struct Said {
  std::string text{};
  std::string origin = "default";
  std::string prefix{};
};

class Sources {
 public:
  explicit Sources(const ServiceFile& file) : file_(file) {}

  // Strongest first. `variable` may be none.
  Said find(std::string_view key, const char* option, const std::string& given, const char* variable = nullptr) const {
    if (!given.empty()) return {given, option, std::string(option) + ": "};
    if (variable != nullptr) {
      const char* value = std::getenv(variable);
      // A script's variable that was never set: not to be taken for a wish to lock on this machine alone.
      if (value != nullptr && *value == '\0' && key == "url") {
        refuse(fmt::format("{} is empty; unset it, or name a service: zk://host:port or local:", variable));
      }
      if (value != nullptr && *value != '\0') return {value, variable, std::string(variable) + ": "};
    }
    const auto* entry = file_.find(key);
    if (entry == nullptr) return {};
    return {entry->text, entry->place.text(), fmt::format("{}{}: ", entry->place.prefix(), key)};
  }

 private:
  const ServiceFile& file_;
};

void note(ServiceSettings& settings, std::string_view key, std::string value, const Said& said) {
  settings.origins.push_back({std::string(key), std::move(value), said.origin});
}

void set_duration(ServiceSettings& settings, milliseconds& value, std::string_view key, const Said& said) {
  if (!said.text.empty()) {
    const auto parsed = parse_duration(said.text, kTimeouts);
    if (!parsed) refuse(said.prefix + parsed.error());
    value = *parsed;
  }
  note(settings, key, show_duration(value), said);
}

void set_auth(ServiceSettings& settings, const Said& said) {
  if (said.text.empty()) return note(settings, "auth", "", said);
  auto credentials = read_password_file(said.text);
  if (!credentials) refuse(said.prefix + credentials.error());
  const auto colon = credentials->find(':');
  note(settings, "auth", credentials->substr(0, colon) + ":...", said);
  if (is_redis(settings)) {
    settings.redis.user = credentials->substr(0, colon);
    settings.redis.password = credentials->substr(colon + 1);
  } else {
    settings.zookeeper.auth.push_back({"digest", *std::move(credentials)});
  }
  if (std::error_code error; std::filesystem::is_regular_file(said.text, error)) {
    settings.auth_file = std::filesystem::absolute(said.text, error).string();
  }
}

void set_sentinel_auth(ServiceSettings& settings, const Said& said) {
  if (said.text.empty()) return;
  const auto credentials = read_password_file(said.text);
  if (!credentials) refuse(said.prefix + credentials.error());
  const auto colon = credentials->find(':');
  note(settings, "sentinel_auth", credentials->substr(0, colon) + ":...", said);
  settings.redis.sentinel_user = credentials->substr(0, colon);
  settings.redis.sentinel_password = credentials->substr(colon + 1);
  settings.sentinel_auth_file = whole_path(said.text);
}

void set_security(ServiceSettings& settings, const ServiceArguments& arguments, const Sources& sources, bool outer) {
  const auto said = [&](std::string_view key, const char* option = "", const std::string& given = {}) {
    auto found = sources.find(key, option, given);
    const auto variable = run_variable(key);
    const char* value = outer ? std::getenv(variable.c_str()) : nullptr;
    if (found.text.empty() && value != nullptr) found = {value, variable, variable + ": "};
    return found;
  };
  const auto set = [&](std::string& value, std::string_view key, const Said& from, bool file = false) {
    if (from.text.empty()) return;
    value = file ? whole_path(from.text) : from.text;
    note(settings, key, value, from);
  };
  set(settings.tls.ca, "tls.ca", said("tls.ca", "--tls-ca", arguments.tls_ca), true);
  set(settings.tls.certificate, "tls.certificate", said("tls.certificate", "--tls-cert", arguments.tls_certificate),
      true);
  set(settings.tls.key, "tls.key", said("tls.key", "--tls-key", arguments.tls_key), true);
  set(settings.tls.server_name, "tls.server_name", said("tls.server_name"));
  const auto verify = said("tls.verify");
  if (!verify.text.empty()) {
    const auto parsed = parse_flag(verify.text);
    if (!parsed) refuse(verify.prefix + parsed.error());
    settings.tls.verify = *parsed;
    note(settings, "tls.verify", *parsed ? "true" : "false", verify);
  }
  set(settings.zookeeper.sasl.mechanism, "sasl.mechanism", said("sasl.mechanism"));
  set(settings.zookeeper.sasl.user, "sasl.user", said("sasl.user"));
  set(settings.zookeeper.sasl.password_file, "sasl.password_file", said("sasl.password_file"), true);
  set(settings.zookeeper.sasl.service, "sasl.service", said("sasl.service"));
  set_sentinel_auth(settings, said("sentinel_auth"));
}

}  // namespace

std::string security_setting(const ServiceSettings& settings, std::string_view key) {
  const std::array<std::pair<std::string_view, std::string>, 10> all{
      {{"tls.ca", settings.tls.ca},
       {"tls.certificate", settings.tls.certificate},
       {"tls.key", settings.tls.key},
       {"tls.server_name", settings.tls.server_name},
       {"tls.verify", settings.tls.verify ? "" : "false"},
       {"sasl.mechanism", settings.zookeeper.sasl.mechanism},
       {"sasl.user", settings.zookeeper.sasl.user},
       {"sasl.password_file", settings.zookeeper.sasl.password_file},
       {"sasl.service", settings.zookeeper.sasl.service},
       {"sentinel_auth", settings.sentinel_auth_file}}};
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == key; });
  return found == all.end() ? std::string() : found->second;
}

void add_service_options(CLI::App& command, ServiceArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    return command.add_option(name, value, help)
        ->type_name(type)
        ->group(kServiceGroup)
        // An unset variable of a script, most likely; --url "" must not mean local:.
        ->check([](const std::string& text) { return std::string(text.empty() ? "has no value; give it one" : ""); });
  };
  add("--url", arguments.url, "URL",
      "zk://host:port,host:port[/chroot], zks:// for TLS, redis://host:port[/db], rediss:// for TLS, "
      "redis+sentinel://host:port/master, or local: (the default: an engine of this user)");
  add("--config", arguments.config, "FILE", "Settings; else the user's file, then the machine's");
  add("--namespace", arguments.name_space, "PATH", "Put before every name");
  as_time(add("--session-timeout", arguments.session_timeout, "", "How long a dead holder's lock is kept (15s)"));
  as_time(add("--connect-timeout", arguments.connect_timeout, "", "How long to try to reach the service (5s)"));
  add("--auth", arguments.auth, "FILE", "Log in with the user:password in this file");
  add("--tls-ca", arguments.tls_ca, "FILE", "Authorities whose servers are believed (those of the system)");
  add("--tls-cert", arguments.tls_certificate, "FILE", "The certificate to show to the server");
  add("--tls-key", arguments.tls_key, "FILE", "Its key");
}

ServiceSettings resolve_service(const ServiceArguments& arguments, Notes notes) {
  const auto file = load_service_file(arguments.config);
  if (!file) refuse(file.error());
  if (notes == Notes::said) {
    for (const auto& line : file->notes) fmt::print(stderr, "holdfast: {}\n", line);
  }

  const Sources sources(*file);
  ServiceSettings settings;
  const char* outer_url = std::getenv(kRunUrl);
  const char* outer_namespace = std::getenv(kRunNamespace);
  const char* outer_auth = std::getenv(kRunAuth);
  bool outer = false;
  note(settings, "config", file->path, {.origin = file->path.empty() ? "default" : file->origin});
  if (const auto said = sources.find("url", "--url", arguments.url, "HOLDFAST_URL"); !said.text.empty()) {
    settings.url = zookeeper::with_scheme(said.text);
    note(settings, "url", settings.url, said);
    outer_namespace = outer_auth = nullptr;
  } else if (outer_url != nullptr && *outer_url != '\0') {
    settings.url = outer_url;
    outer = true;
    note(settings, "url", settings.url, {.origin = kRunUrl});
  } else {
    note(settings, "url", settings.url, {});
  }
  if (settings.url != kLocal && !zookeeper::is_address(settings.url) && !is_redis(settings)) {
    refuse(fmt::format("{} is not a valid URL; {}", in_quotes(settings.url), meant_by(settings.url)));
  }
  if (!scheme_of(settings.url).empty() && parse_hosts(settings.url).empty()) {
    refuse(
        fmt::format("{} names no server; write zk://host:port, such as zk://localhost:2181", in_quotes(settings.url)));
  }
  if (settings.url != kLocal) check_address(settings.url);
  auto name_space = sources.find("namespace", "--namespace", arguments.name_space);
  if (name_space.text.empty() && outer_namespace != nullptr) name_space = {outer_namespace, kRunNamespace};
  settings.name_space = name_space.text;
  note(settings, "namespace", settings.name_space, name_space);
  set_duration(settings, settings.session_timeout, "session_timeout",
               sources.find("session_timeout", "--session-timeout", arguments.session_timeout));
  set_duration(settings, settings.connect_timeout, "connect_timeout",
               sources.find("connect_timeout", "--connect-timeout", arguments.connect_timeout));
  auto auth = sources.find("auth", "--auth", arguments.auth);
  if (auth.text.empty() && outer_auth != nullptr && *outer_auth != '\0') {
    auth = {outer_auth, kRunAuth, std::string(kRunAuth) + ": "};
  }
  set_auth(settings, auth);
  set_security(settings, arguments, sources, outer);
  const auto purpose = sources.find("purpose", "", "");
  settings.purpose = purpose.text;
  note(settings, "purpose", settings.purpose, purpose);
  return settings;
}

Client connect(const ServiceSettings& settings, ClientOptions options, Clock::time_point deadline) {
  // One attempt, and no longer than the caller has.
  deadline = std::min(deadline, deadline_after(settings.connect_timeout));
  options.session_timeout = settings.session_timeout;
  options.connection_timeout = settings.connect_timeout;
  options.name_space = settings.name_space;
  options.tls = settings.tls;
  options.zookeeper = settings.zookeeper;
  options.redis = settings.redis;
  if (options.purpose.empty()) options.purpose = settings.purpose;
  try {
    return Client::connect_until(settings.url, deadline, std::move(options));
  } catch (const Error& error) {
    // A session that cannot be written down is none, and the engine can only hang up.
    const auto trouble = error.code() == Errc::not_connected ? room_trouble(settings.url) : "";
    if (trouble.empty()) throw;
    throw Error(Errc::not_connected, fmt::format("{}; {}", error.what(), trouble));
  }
}

Client connect_if_served(const ServiceSettings& settings, ClientOptions options) {
  if (settings.url == kLocal) return connect(settings, std::move(options));
  const auto deadline = deadline_after(settings.connect_timeout);
  try {
    return connect(settings, options, deadline_after(kFirstLook));
  } catch (const Error& error) {
    const bool over = Clock::now() >= deadline;
    if (error.code() != Errc::not_connected || over || every_server_refuses(settings)) throw;
  }
  return connect(settings, std::move(options), deadline);
}

bool is_redis(const ServiceSettings& settings) { return redis::is_address(settings.url); }

Endpoint endpoint_of(const ServiceSettings& settings) {
  if (is_redis(settings)) {
    refuse(fmt::format("this command speaks ZooKeeper's protocol, and {} is a Redis; for its keys there is redis-cli",
                       in_quotes(settings.url)));
  }
  if (settings.url == kLocal) {
    return {{{start_local_engine(settings.connect_timeout).address, ""}}, ""};
  }
  auto address = zookeeper::parse_address(settings.url);
  if (!address) refuse(address.error());
  return {std::move(address->servers), std::move(address->chroot), address->tls};
}

}  // namespace holdfast::cli
