// form.h -- what kind of value a setting takes. One table of settings (client_keys.h, lock_keys.h) is read by the readers of files, and by what
// describes them to editors.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "settings/setting_value.h"

namespace holdfast::settings {

// What every timeout of a client ends at.
inline constexpr std::chrono::hours kLongestTimeout{24};

struct Form {
  enum class Kind { text, file, time, count, flag, word };

  Kind kind = Kind::text;
  Range<std::chrono::milliseconds> times{};  // of a time
  Range<std::size_t> counts{};               // of a count
  std::vector<std::string_view> words{};     // of a word
};

Parsed<std::chrono::milliseconds> parse_time(const Form& form, std::string_view text);
Parsed<std::size_t> parse_count(const Form& form, std::string_view text);
// The index of the word. non-reentrant and non_reentrant are the same.
Parsed<std::size_t> parse_word(const Form& form, std::string_view text);

// max-hold and max_hold are the same.
std::string plain_key(std::string_view key);

}  // namespace holdfast::settings
