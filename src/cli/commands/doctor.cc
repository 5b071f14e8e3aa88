#include "cli/commands/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cli/config/service.h"
#include "cli/doctor/findings.h"
#include "cli/doctor/local_checks.h"
#include "cli/doctor/lock_checks.h"
#include "cli/doctor/redis_checks.h"
#include "cli/doctor/server_checks.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace doctor {
namespace {

constexpr int kExitWrong = 1;

std::optional<ServiceSettings> check_settings(const ServiceArguments& arguments, Findings& findings) {
  try {
    auto settings = resolve_service(arguments);
    const auto origin = std::find_if(settings.origins.begin(), settings.origins.end(),
                                     [](const Setting& setting) { return setting.key == "url"; });
    findings.push_back(
        {"settings", State::ok,
         fmt::format("url {}{}", settings.url, origin == settings.origins.end() ? "" : " (" + origin->origin + ")")});
    return settings;
  } catch (const Error& error) {
    findings.push_back({"settings", State::wrong, error.what(), "correct that and ask again"});
    return std::nullopt;
  }
}

// Where the servers are; nothing if that is already the end of it.
std::optional<net::ServerAddresses> servers_of(ServiceSettings& settings, Findings& findings) {
  if (settings.url.starts_with("local:")) return check_local(settings, findings);
  try {
    return endpoint_of(settings).servers;
  } catch (const Error& error) {
    findings.push_back({"settings", State::wrong, error.what(), "locks there work inside one process only"});
    return std::nullopt;
  }
}

std::string examine(const ServiceArguments& arguments, Findings& findings) {
  const auto settings = check_settings(arguments, findings);
  check_own_clock(findings);
  if (!settings) return arguments.url;
  if (is_redis(*settings)) {
    if (check_redis(*settings, findings)) check_locks(*settings, findings);
    return settings->url;
  }
  // local: logs in by itself where it is a URL, and with what was found where a server is asked directly.
  auto direct = *settings;
  const auto servers = servers_of(direct, findings);
  if (servers && check_servers(*servers, direct, findings)) check_locks(*settings, findings);
  return settings->url;
}

struct Arguments {
  ServiceArguments service;
  bool json = false;
};

int run(const Arguments& arguments) {
  Findings findings;
  const auto url = examine(arguments.service, findings);
  fmt::print("{}", arguments.json ? to_json(findings, url) : to_text(findings));
  return verdict(findings) == State::wrong ? kExitWrong : 0;
}

}  // namespace
}  // namespace doctor

void add_doctor(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("doctor", "Check that this machine can lock, and say what to fix");
  command->footer(
      "Looks at the settings, every server, the session, permissions, latency and clocks; of Redis, also at eviction,\n"
      "persistence and replication. Takes and gives back a lock "
      "with\n"
      "a name that nothing else uses. Exit status 1 if something is wrong; warnings do not count.\n"
      "Examples:\n"
      "  holdfast doctor\n"
      "  holdfast doctor --url zk://10.0.0.1:2181,10.0.0.2:2181/app --json\n"
      "  holdfast doctor --url redis://10.0.0.1");
  const auto arguments = std::make_shared<doctor::Arguments>();
  command->add_flag("--json", arguments->json, "One JSON document");
  add_service_options(*command, arguments->service);
  command->callback([=, &exit_code] { exit_code = doctor::run(*arguments); });
}

}  // namespace holdfast::cli
