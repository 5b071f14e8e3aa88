#include "cli/server_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>

namespace holdfast::cli {
namespace {

class Reader {
 public:
  Reader(const std::string& file, ConfigDraft& draft) : file_(file), draft_(draft) {}

  // `prefix` is "" or "limits."
  Parsed<void> read_map(const YAML::Node& map, const std::string& prefix) {
    if (!map.IsMap()) return wrong(map, "write settings, one per line, such as tick_time: 2s");
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const auto& node = entry.first;
      if (!node.IsScalar()) return wrong(node, "a setting's name is a plain word");
      const auto name = node.Scalar();
      if (!seen.insert(name).second) return wrong(node, fmt::format("{} is there twice", in_quotes(name)));
      const auto read = prefix.empty() && name == "limits" ? read_map(entry.second, "limits.")
                                                           : read_setting(node, prefix + name, name, entry.second);
      if (!read) return read;
    }
    return {};
  }

 private:
  Place place(const YAML::Node& node) const {
    const auto mark = node.Mark();
    if (mark.is_null()) return {.file = file_, .line = 1};
    return {.file = file_,
            .line = static_cast<std::size_t>(mark.line) + 1,
            .column = static_cast<std::size_t>(mark.column) + 1};
  }

  Parsed<void> wrong(const YAML::Node& node, std::string_view what) const {
    return tl::unexpected(place(node).prefix() + std::string(what));
  }

  Parsed<void> read_setting(const YAML::Node& where, const std::string& key, const std::string& name,
                            const YAML::Node& value) {
    const auto* setting = find_setting(key);
    if (setting == nullptr) {
      // In `limits` and out of it: a key that is right but for its place is mistyped, too.
      const auto nearest = nearest_setting(key) ? nearest_setting(key) : nearest_setting(name);
      return wrong(where, fmt::format("there is no setting {}; {}", in_quotes(name),
                                      nearest ? fmt::format("did you mean {}?", *nearest)
                                              : std::string("holdfast server --print-config shows all there are")));
    }
    if (value.IsNull()) return wrong(where, fmt::format("{} has no value", name));
    std::vector<std::string> texts;
    if (value.IsScalar()) {
      texts.push_back(value.Scalar());
    } else if (value.IsSequence() && setting->list) {
      for (const auto& item : value) {
        if (!item.IsScalar()) return wrong(item, fmt::format("{} is a list of plain texts", name));
        texts.push_back(item.Scalar());
      }
    } else {
      return wrong(value, fmt::format("{} takes {}", name, setting->list ? "a text or a list of them" : "one value"));
    }
    return draft_.set(key, texts, place(value), name);
  }

  const std::string& file_;
  ConfigDraft& draft_;
};

}  // namespace

Parsed<void> read_server_yaml(std::string_view text, const std::string& file, ConfigDraft& draft) {
  try {
    const auto documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) return tl::unexpected(fmt::format("{}: write one document, without ---", file));
    if (documents.empty() || documents.front().IsNull()) return {};
    return Reader(file, draft).read_map(documents.front(), "");
  } catch (const YAML::Exception& error) {
    const bool known = !error.mark.is_null();
    const Place place{.file = file,
                      .line = known ? static_cast<std::size_t>(error.mark.line) + 1 : 1,
                      .column = known ? static_cast<std::size_t>(error.mark.column) + 1 : 0};
    return tl::unexpected(fmt::format("{}this is not YAML: {}", place.prefix(), error.msg));
  }
}

}  // namespace holdfast::cli
