#include "settings/keyed_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "settings/form.h"
#include "settings/nearest.h"

namespace holdfast::settings {
namespace {

// The first words of the keys that begin with `prefix`, each once.
std::vector<std::string_view> names_below(const std::vector<std::string_view>& keys, std::string_view prefix) {
  std::vector<std::string_view> names;
  for (const auto key : keys) {
    if (!key.starts_with(prefix)) continue;
    auto name = key.substr(prefix.size());
    name = name.substr(0, name.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Parsed<void> walk_below(const std::vector<YamlSetting>& settings, const KeyedMap& map, const std::string& prefix) {
  auto names = names_below(map.keys, prefix);
  if (prefix.empty()) names.insert(names.end(), map.others.begin(), map.others.end());
  for (const auto& setting : settings) {
    const auto key = prefix + plain_key(setting.name);
    const auto is_it = [&](std::string_view each) { return each == key; };
    const auto known = std::find_if(map.keys.begin(), map.keys.end(), is_it);
    if (known != map.keys.end()) {
      const auto text = one_text(setting);
      if (!text) return tl::unexpected(text.error());
      if (auto found = map.found(setting, *known, *text); !found) return found;
      continue;
    }
    const auto below = names_below(map.keys, key + ".");
    if (!below.empty()) {
      if (setting.kind != YamlSetting::Kind::map) {
        return setting.wrong_value(fmt::format("{} is a map with {}", setting.name, fmt::join(below, ", ")));
      }
      if (auto walked = walk_below(setting.settings, map, key + "."); !walked) return walked;
      continue;
    }
    const auto dealt = prefix.empty() && map.other ? map.other(setting) : Parsed<bool>(false);
    if (!dealt) return tl::unexpected(dealt.error());
    if (!*dealt) return unknown(setting, names);
  }
  return {};
}

}  // namespace

Parsed<void> walk(const std::vector<YamlSetting>& settings, const KeyedMap& map) {
  return walk_below(settings, map, "");
}

Parsed<std::string> one_text(const YamlSetting& setting) {
  if (setting.kind == YamlSetting::Kind::nothing) {
    return setting.wrong(fmt::format("{} has no value", setting.name));
  }
  if (setting.kind != YamlSetting::Kind::text) {
    return setting.wrong_value(fmt::format("{} takes one value", setting.name));
  }
  if (setting.texts.front().empty()) {
    return setting.wrong_value(fmt::format("{} is empty; write a value, or leave it out", setting.name));
  }
  return setting.texts.front();
}

tl::unexpected<std::string> unknown(const YamlSetting& setting, const std::vector<std::string_view>& keys) {
  const auto meant = nearest(setting.name, keys);
  return setting.wrong(fmt::format(
      "there is no setting {}; {}", in_quotes(setting.name),
      meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(keys, ", "))));
}

}  // namespace holdfast::settings
