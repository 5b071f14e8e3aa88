#include "cli/config/zoo_cfg_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

ZooCfgLines::ZooCfgLines(std::vector<Property> properties, std::string file, ConfigDraft& draft)
    : file_(std::move(file)) {
  constexpr std::string_view kPrefix = "zookeeper.";
  for (auto& property : properties) {
    property.value = trimmed(property.value);
    std::string key(trimmed(property.key));
    if (key.starts_with(kPrefix)) key.erase(0, kPrefix.size());
    property.key = key;
    if (const auto before = lines_.find(key); before != lines_.end()) {
      draft.say(sentence(property, fmt::format("{} is there twice; line {} does not count", key, before->second.line)));
    }
    lines_.insert_or_assign(std::move(key), std::move(property));
  }
}

std::optional<Property> ZooCfgLines::take(std::string_view key) {
  const auto found = lines_.find(key);
  if (found == lines_.end()) return std::nullopt;
  auto line = std::move(found->second);
  lines_.erase(found);
  return line;
}

std::vector<Property> ZooCfgLines::rest() const {
  std::vector<Property> rest;
  for (const auto& [key, line] : lines_) rest.push_back(line);
  std::sort(rest.begin(), rest.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return rest;
}

}  // namespace holdfast::cli
