#include "settings/yaml_map.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

namespace holdfast::settings {
namespace {

using Settings = std::vector<YamlSetting>;
// Of the maps in each other: ours have settings, and groups of settings.
constexpr int kMostDeep = 4;

class Reader {
 public:
  Reader(const std::string& file, std::string_view example) : file_(file), example_(example) {}

  Parsed<Settings> read(const YAML::Node& map, int depth = 1) const {
    if (!map.IsMap()) return wrong(map, fmt::format("write settings, one per line, such as {}", example_));
    if (depth > kMostDeep) return wrong(map, "settings are not that deep in each other");
    Settings settings;
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const auto& node = entry.first;
      if (!node.IsScalar()) return wrong(node, "a setting's name is a plain word");
      YamlSetting setting{.name = node.Scalar(), .place = place(node)};
      if (!seen.insert(setting.name).second) {
        return wrong(node, fmt::format("{} is there twice", in_quotes(setting.name)));
      }
      if (auto read = read_value(entry.second, depth, setting); !read) return tl::unexpected(read.error());
      settings.push_back(std::move(setting));
    }
    return settings;
  }

 private:
  Parsed<void> read_value(const YAML::Node& value, int depth, YamlSetting& setting) const {
    using Kind = YamlSetting::Kind;
    setting.value_place = place(value);
    if (value.IsScalar()) {
      setting.kind = Kind::text;
      setting.texts.push_back(value.Scalar());
    } else if (value.IsSequence()) {
      setting.kind = Kind::list;
      for (const auto& item : value) {
        if (!item.IsScalar()) return wrong(item, fmt::format("{} is a list of plain texts", in_quotes(setting.name)));
        setting.texts.push_back(item.Scalar());
      }
    } else if (value.IsMap()) {
      setting.kind = Kind::map;
      auto settings = read(value, depth + 1);
      if (!settings) return tl::unexpected(settings.error());
      setting.settings = *std::move(settings);
    }
    return {};
  }

  FilePosition place(const YAML::Node& node) const {
    const auto mark = node.Mark();
    if (mark.is_null()) return {.file = file_, .line = 1};
    return {.file = file_,
            .line = static_cast<std::size_t>(mark.line) + 1,
            .column = static_cast<std::size_t>(mark.column) + 1};
  }

  tl::unexpected<std::string> wrong(const YAML::Node& node, std::string_view what) const {
    return tl::unexpected(place(node).prefix() + std::string(what));
  }

  const std::string& file_;
  const std::string_view example_;
};

// url: local: is a mistake that is easily made, and "illegal map value" does not help.
std::string hint(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const auto line = trimmed(text.substr(0, text.find('\n')));
  const bool two = line.find(':') + 1 < line.size() && line.ends_with(':');
  return two ? "; a text that ends with a colon needs quotes" : "";
}

}  // namespace

tl::unexpected<std::string> YamlSetting::wrong(std::string_view what) const {
  return tl::unexpected(place.prefix() + std::string(what));
}

tl::unexpected<std::string> YamlSetting::wrong_value(std::string_view what) const {
  return tl::unexpected(value_place.prefix() + std::string(what));
}

Parsed<Settings> read_yaml_map(std::string_view text, const std::string& file, std::string_view example) {
  try {
    const auto documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) return tl::unexpected(fmt::format("{}: write one document, without ---", file));
    if (documents.empty() || documents.front().IsNull()) return Settings();
    return Reader(file, example).read(documents.front());
  } catch (const YAML::Exception& error) {
    const bool known = !error.mark.is_null();
    const FilePosition place{.file = file,
                             .line = known ? static_cast<std::size_t>(error.mark.line) + 1 : 1,
                             .column = known ? static_cast<std::size_t>(error.mark.column) + 1 : 0};
    return tl::unexpected(fmt::format("{}this is not YAML: {}{}", place.prefix(), error.msg, hint(text, place.line)));
  }
}

}  // namespace holdfast::settings
