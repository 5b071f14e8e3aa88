// client_file.h -- a client's file, read but not yet used: its settings by their keys, and where each stands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/settings.h"
#include "settings/file_position.h"
#include "settings/yaml_map.h"

namespace holdfast::settings {

struct ClientFile {
  struct Entry {
    std::string key;   // as in client_keys.h: url, session_timeout, tls.ca
    std::string text;  // a file's whole path, beside the one that names it
    FilePosition place;
  };

  std::vector<Entry> entries{};
  std::vector<LockRules::Rule> locks{};
  std::vector<std::string> notes{};  // what there is to say, a line each

  const Entry* find(std::string_view key) const;
};

// Says of a name that is no setting where else it is one; nothing if it is not.
using Elsewhere = std::function<std::optional<std::string>(std::string_view name)>;

// Or one sentence with file, line and column.
Parsed<ClientFile> read_client_file(std::string_view text, const std::string& file, const Elsewhere& elsewhere = {});

// What the file comes to. Looks into files that it names, for logins.
Parsed<ClientSettings> settings_of(const ClientFile& file);

}  // namespace holdfast::settings
