#include "cli/commands/config.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/config/service.h"

namespace holdfast::cli {
namespace {

// What another user wrote, without what a terminal would obey.
std::string printable_line(std::string_view text) { return base::printable(text, std::string::npos); }

struct Arguments {
  ServiceArguments service;
  bool json = false;
};

void show(const Arguments& arguments) {
  const auto settings = resolve_service(arguments.service);
  if (arguments.json) {
    nlohmann::ordered_json document;
    for (const auto& each : settings.origins) {
      document[each.key] = {{"value", nullptr}, {"origin", each.origin}};
      if (!each.value.empty()) document[each.key]["value"] = each.value;
    }
    fmt::print("{}\n", document.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace));
    return;
  }
  for (const auto& each : settings.origins) {
    const auto value = each.value.empty() ? std::string("not set") : printable_line(each.value);
    fmt::print("{:<16} {:<40}  {}\n", each.key, value, printable_line(each.origin));
  }
}

}  // namespace

void add_config(CLI::App& app) {
  auto* config = app.add_subcommand("config", "The settings that commands use");
  config->require_subcommand(1);
  auto* command = config->add_subcommand("show", "Print each setting, and where it came from");
  const auto arguments = std::make_shared<Arguments>();
  add_service_options(*command, arguments->service);
  command->add_flag("--json", arguments->json, "One JSON document");
  command->callback([=] { show(*arguments); });
}

}  // namespace holdfast::cli
