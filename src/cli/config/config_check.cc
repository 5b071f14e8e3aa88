#include "cli/config/config_check.h"

#include <algorithm>

#include "cli/config/server_config.h"
#include "cli/config/server_settings.h"
#include "settings/client_file.h"
#include "settings/small_file.h"
#include "settings/yaml_map.h"

namespace holdfast::cli {
namespace {

// A mistyped setting is one of either; the others say whose file it is.
bool is_servers(std::string_view text, const std::string& file) {
  const auto settings = read_yaml_map(text, file, "url: local");
  if (!settings) return false;
  return std::any_of(settings->begin(), settings->end(), [](const YamlSetting& setting) {
    return setting.name == "limits" || find_setting(setting.name) != nullptr;
  });
}

Parsed<CheckedConfig> check_server(const std::string& file, std::string_view kind) {
  auto config = load_server_config(file, {});
  if (!config) return tl::unexpected(config.error());
  return CheckedConfig{kind, std::move(config->notes)};
}

}  // namespace

Parsed<CheckedConfig> check_config(const std::string& file) {
  const auto read = read_small_file(file);
  if (!read) return tl::unexpected(read.error());
  if (is_zoo_cfg(file, read->text)) return check_server(file, "zoo.cfg");
  if (is_servers(read->text, file)) return check_server(file, "server");
  const auto entries = read_client_file(read->text, file);
  if (!entries) return tl::unexpected(entries.error());
  auto settings = settings_of(*entries);
  if (!settings) return tl::unexpected(settings.error());
  return CheckedConfig{"client", std::move(settings->notes)};
}

}  // namespace holdfast::cli
