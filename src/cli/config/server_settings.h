// server_settings.h -- every setting of `holdfast server` by its name, wherever it is set: an option, our YAML, a zoo.cfg.
//
// One table says what a setting's text means, which values make sense and how it is shown. Readers of files and of the
// command line only bring keys and texts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/setting_value.h"
#include "holdfast/engine.h"

namespace holdfast::cli {

// While it is put together. What `listen` and `require_auth` of `engine` will be is in the members beside it.
struct ServerSettings {
  EngineOptions engine{};
  std::vector<Listen> listen{};
  std::vector<Listen> listen_tls{};
  std::string require_auth_file{};
  std::string log_file{};
};

struct ServerSetting {
  std::string_view key;  // as in YAML; "limits.frame" is `frame` under `limits`
  bool list = false;     // takes several texts
  bool secret = false;   // not shown
  // Replaces what was there. The error says what would be right.
  std::function<Parsed<void>(ServerSettings&, const std::vector<std::string>& texts)> assign;
  // Texts that assign() would take; none if it is not set.
  std::function<std::vector<std::string>(const ServerSettings&)> show;
};

// In the order in which they are documented and shown; those under `limits` last.
const std::vector<ServerSetting>& all_settings();

const ServerSetting* find_setting(std::string_view key);

// The one that was probably meant by a key that does not exist; nothing if none looks like it.
std::optional<std::string_view> nearest_setting(std::string_view key);

// Of those the engine answers; in "*" all of them.
bool is_four_letter_word(std::string_view word);

// To keep them all: no operator has that many.
inline constexpr std::size_t kMostSnapshots = 1'000'000;

}  // namespace holdfast::cli
