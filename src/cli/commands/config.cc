#include "cli/commands/config.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/config/config_check.h"
#include "cli/config/service.h"
#include "cli/config/settings_schema.h"
#include "holdfast/error.h"

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

void check(const std::string& file) {
  const auto checked = check_config(file);
  if (!checked) throw Error(Errc::invalid_argument, printable_line(checked.error()));
  for (const auto& note : checked->notes) fmt::print("{}\n", printable_line(note));
  fmt::print("{} is in order ({})\n", printable_line(file), checked->kind);
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

  auto* checking =
      config->add_subcommand("check", "Say what is wrong with a file of a client or a server, or a zoo.cfg");
  const auto file = std::make_shared<std::string>();
  checking->add_option("FILE", *file, "The file")->required();
  checking->callback([=] { check(*file); });

  auto* schema = config->add_subcommand("schema", "Print the JSON schema of a client's file, for editors");
  schema->callback([] { fmt::print("{}\n", settings_schema().dump(2)); });
}

}  // namespace holdfast::cli
