// server_yaml.h -- our own configuration file: a map of settings, with `limits` as a map inside.
//
//   listen: [127.0.0.1:2181]
//   data: /var/lib/holdfast
//   limits:
//     connections: 5000
#pragma once

#include <string>
#include <string_view>

#include "cli/config/config_draft.h"

namespace holdfast::cli {

// Or one sentence with file, line and column.
Parsed<void> read_server_yaml(std::string_view text, const std::string& file, ConfigDraft& draft);

}  // namespace holdfast::cli
