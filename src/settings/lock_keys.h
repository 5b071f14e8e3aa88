// lock_keys.h -- every setting of a pattern under `locks` by its name.
//
//   locks:
//     "**": {slow-hold: 30s}
//     orders/*:
//       type: mutex
//       hand-over: {count: 3, time: 50ms}
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/lock_settings.h"
#include "settings/form.h"
#include "settings/yaml_map.h"

namespace holdfast::settings {

struct LockKey {
  std::string_view key;  // "hand_over.count" is `count` under `hand_over`
  Form form{};
  std::string_view about;  // one line
  // The error says what would be right.
  std::function<Parsed<void>(LockSettings&, const std::string& text)> assign{};
};

const std::vector<LockKey>& lock_keys();

// What stands under `locks`. Or one sentence with file, line and column.
Parsed<std::vector<LockRules::Rule>> read_locks(const YamlSetting& locks);

}  // namespace holdfast::settings
