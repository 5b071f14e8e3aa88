// config_check.h -- what kind of configuration a file is, and what is wrong with it.
//
//   kind      is known by                                                                 read by
//   server    our YAML with settings of the server                                        holdfast server --config
//   zoo.cfg   its ending (.cfg, .properties), or a first line with = before any :         the same
//   client    our YAML with anything else                                                 commands, Client::from_file()
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"

namespace holdfast::cli {

struct CheckedConfig {
  std::string_view kind;             // "client", "server", "zoo.cfg"
  std::vector<std::string> notes{};  // what there is to say although it is right, a line each
};

// Or one sentence: where, what is wrong, what would be right. Looks into files that it names; connects to nothing, and changes nothing.
Parsed<CheckedConfig> check_config(const std::string& file);

}  // namespace holdfast::cli
