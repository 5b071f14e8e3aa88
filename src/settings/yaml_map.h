// yaml_map.h -- a configuration file of ours: settings, one per line, some of them in a map of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "settings/file_position.h"
#include "settings/setting_value.h"

namespace holdfast::settings {

struct YamlSetting {
  enum class Kind { nothing, text, list, map };

  std::string name;
  FilePosition place;  // of the name
  Kind kind = Kind::nothing;
  FilePosition value_place{};
  std::vector<std::string> texts{};     // one, or those of a list
  std::vector<YamlSetting> settings{};  // of a map

  // An error that says where.
  tl::unexpected<std::string> wrong(std::string_view what) const;        // the name
  tl::unexpected<std::string> wrong_value(std::string_view what) const;  // what stands after it
};

// Or one sentence with file, line and column. `example` is of one line.
Parsed<std::vector<YamlSetting>> read_yaml_map(std::string_view text, const std::string& file,
                                               std::string_view example);

}  // namespace holdfast::settings
