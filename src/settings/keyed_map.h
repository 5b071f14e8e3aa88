// keyed_map.h -- walks over a map of a file whose settings are in a table, some of them in groups: "tls.ca" is `ca` under `tls`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/yaml_map.h"

namespace holdfast::settings {

struct KeyedMap {
  std::vector<std::string_view> keys;      // of the table
  std::vector<std::string_view> others{};  // what else there is beside them, not in a group
  // Of a setting that is not in the table: true if it was dealt with.
  std::function<Parsed<bool>(const YamlSetting&)> other{};
  // One text for one key.
  std::function<Parsed<void>(const YamlSetting&, std::string_view key, const std::string& text)> found;
};

Parsed<void> walk(const std::vector<YamlSetting>& settings, const KeyedMap& map);

// The text of a setting that takes one.
Parsed<std::string> one_text(const YamlSetting& setting);

// There is no such setting; the one that was meant, or all there are.
tl::unexpected<std::string> unknown(const YamlSetting& setting, const std::vector<std::string_view>& keys);

}  // namespace holdfast::settings
