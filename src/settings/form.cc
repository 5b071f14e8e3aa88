#include "settings/form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/assert.h"
#include "settings/duration.h"
#include "settings/nearest.h"

namespace holdfast::settings {

Parsed<std::chrono::milliseconds> parse_time(const Form& form, std::string_view text) {
  HOLDFAST_ASSERT(form.kind == Form::Kind::time);
  return parse_duration(text, form.times);
}

Parsed<std::size_t> parse_count(const Form& form, std::string_view text) {
  HOLDFAST_ASSERT(form.kind == Form::Kind::count);
  return parse_count(text, form.counts);
}

Parsed<std::size_t> parse_word(const Form& form, std::string_view text) {
  HOLDFAST_ASSERT(form.kind == Form::Kind::word);
  for (std::size_t i = 0; i < form.words.size(); ++i) {
    if (plain_key(form.words[i]) == plain_key(text)) return i;
  }
  const auto meant = nearest(text, form.words);
  return tl::unexpected(meant ? fmt::format("did you mean {}?", *meant)
                              : fmt::format("write one of {}", fmt::join(form.words, ", ")));
}

std::string plain_key(std::string_view key) {
  std::string plain(key);
  std::replace(plain.begin(), plain.end(), '-', '_');
  return plain;
}

}  // namespace holdfast::settings
