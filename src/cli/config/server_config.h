// server_config.h -- what `holdfast server` is to do, out of its command line and one file.
//
// The file is our YAML or a zoo.cfg: .yaml and .yml are ours, .cfg and .properties are ZooKeeper's; any other is a zoo.cfg if
// its first line that says something has a '=' before any ':'. The command line wins over the file, setting by setting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"
#include "holdfast/engine.h"

namespace holdfast::cli {

// An option that was given.
struct GivenOption {
  std::string name;  // --listen-tls is the setting listen_tls
  std::vector<std::string> texts;
};

struct ServerConfig {
  EngineOptions options;
  std::string log_file;  // empty: stderr
  // For the operator, one line each: what was ignored, what is dangerous.
  std::vector<std::string> notes;
  // The effective values and where each came from, as YAML.
  std::string printed;
};

// Whether it is a file of ZooKeeper's kind, and not of ours.
bool is_zoo_cfg(const std::string& file, std::string_view text);

// `file` may be empty. Or one sentence: where, what is wrong, what would be right. Touches nothing.
Parsed<ServerConfig> load_server_config(const std::string& file, const std::vector<GivenOption>& given);

}  // namespace holdfast::cli
