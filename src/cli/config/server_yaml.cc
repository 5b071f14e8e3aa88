#include "cli/config/server_yaml.h"

#include <fmt/format.h>

#include "settings/yaml_map.h"

namespace holdfast::cli {
namespace {

using Kind = YamlSetting::Kind;

constexpr std::string_view kExample = "tick_time: 2s";
constexpr std::string_view kLimits = "limits";

Parsed<void> read_setting(const YamlSetting& entry, const std::string& key, ConfigDraft& draft) {
  const auto& name = entry.name;
  const auto* setting = find_setting(key);
  if (setting == nullptr) {
    // In `limits` and out of it: a key that is right but for its place is mistyped, too.
    const auto nearest = nearest_setting(key) ? nearest_setting(key) : nearest_setting(name);
    return entry.wrong(fmt::format("there is no setting {}; {}", in_quotes(name),
                                   nearest ? fmt::format("did you mean {}?", *nearest)
                                           : std::string("holdfast server --print-config shows all there are")));
  }
  if (entry.kind == Kind::nothing) return entry.wrong(fmt::format("{} has no value", name));
  if (entry.kind == Kind::map || (entry.kind == Kind::list && !setting->list)) {
    return entry.wrong_value(
        fmt::format("{} takes {}", name, setting->list ? "a text or a list of them" : "one value"));
  }
  return draft.set(key, entry.texts, entry.value_place, name);
}

// `prefix` is "" or "limits."
Parsed<void> read_settings(const std::vector<YamlSetting>& settings, const std::string& prefix, ConfigDraft& draft) {
  for (const auto& entry : settings) {
    const bool limits = prefix.empty() && entry.name == kLimits;
    if (limits && entry.kind != Kind::map) {
      return entry.wrong_value(fmt::format("write settings, one per line, such as {}", kExample));
    }
    const auto read =
        limits ? read_settings(entry.settings, "limits.", draft) : read_setting(entry, prefix + entry.name, draft);
    if (!read) return read;
  }
  return {};
}

}  // namespace

Parsed<void> read_server_yaml(std::string_view text, const std::string& file, ConfigDraft& draft) {
  const auto settings = read_yaml_map(text, file, kExample);
  if (!settings) return tl::unexpected(settings.error());
  return read_settings(*settings, "", draft);
}

}  // namespace holdfast::cli
