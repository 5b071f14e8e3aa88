#include "cli/service.h"

#include <cstdlib>

#include "cli/setting_value.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

constexpr Range<std::chrono::milliseconds> kTimeouts{std::chrono::milliseconds(1), std::chrono::hours(24)};

void read_duration(std::chrono::milliseconds& value, const std::string& text, const char* name) {
  if (text.empty()) return;
  const auto parsed = parse_duration(text, kTimeouts);
  if (!parsed) throw Error(Errc::invalid_argument, std::string(name) + ": " + parsed.error());
  value = *parsed;
}

}  // namespace

void add_service_options(CLI::App& command, ServiceArguments& arguments) {
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    command.add_option(name, value, help)->type_name(type)->group("Storage service");
  };
  add("--url", arguments.url, "URL",
      "zk://host:port,host:port[/chroot], or local: (the default: an engine of this user)");
  add("--config", arguments.config, "FILE", "Settings; else ./holdfast.yaml, then the user's, then the machine's");
  add("--namespace", arguments.name_space, "PATH", "Put before every name");
  add("--session-timeout", arguments.session_timeout, "TIME", "How long a dead holder's lock is kept, such as 15s");
  add("--connect-timeout", arguments.connect_timeout, "TIME", "How long to try to reach the service, such as 5s");
  add("--auth", arguments.auth, "FILE", "Log in with the user:password in this file");
}

ServiceSettings resolve_service(const ServiceArguments& arguments) {
  ServiceSettings settings;
  if (const char* url = std::getenv("HOLDFAST_URL"); url != nullptr && *url != '\0') settings.url = url;
  if (!arguments.url.empty()) settings.url = arguments.url;
  settings.name_space = arguments.name_space;
  read_duration(settings.session_timeout, arguments.session_timeout, "--session-timeout");
  read_duration(settings.connect_timeout, arguments.connect_timeout, "--connect-timeout");
  return settings;
}

Client connect(const ServiceSettings& settings, ClientOptions options) {
  options.session_timeout = settings.session_timeout;
  options.connection_timeout = settings.connect_timeout;
  options.name_space = settings.name_space;
  options.auth = settings.auth;
  return Client::connect(settings.url, std::move(options));
}

Endpoint endpoint_of(const ServiceSettings& settings) {
  constexpr std::string_view kPrefix = "zk://";
  if (!settings.url.starts_with(kPrefix)) {
    throw Error(Errc::invalid_argument,
                in_quotes(settings.url) + " is not a ZooKeeper server; use zk://host:port or local:");
  }
  const auto rest = settings.url.substr(kPrefix.size());
  const auto slash = rest.find('/');
  return {rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash), settings.auth};
}

}  // namespace holdfast::cli
