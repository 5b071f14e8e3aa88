#include "cli/shell/arguments.h"

#include "base/text.h"

namespace holdfast::cli::shell {
namespace {

enum class Kind { unknown, flag, with_value };

Kind kind_of(char letter, std::string_view options) {
  const auto at = letter == ':' ? std::string_view::npos : options.find(letter);
  if (at == std::string_view::npos) return Kind::unknown;
  return options.substr(at + 1).starts_with(':') ? Kind::with_value : Kind::flag;
}

}  // namespace

std::optional<std::string> Arguments::value(char option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Arguments::word_if(std::size_t i) const {
  return i < words_.size() ? std::optional(words_[i]) : std::nullopt;
}

Parsed<Arguments> parse_arguments(const std::vector<std::string>& texts, std::string_view options) {
  Arguments parsed;
  bool only_words = false;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& text = texts[i];
    const bool dashed = !only_words && text.size() > 1 && text[0] == '-';
    if (dashed && text == "--") {
      only_words = true;
      continue;
    }
    if (!dashed || (kind_of(text[1], options) == Kind::unknown && !parsed.words_.empty())) {
      parsed.words_.push_back(text);
      continue;
    }
    for (std::size_t at = 1; at < text.size(); ++at) {
      const char letter = text[at];
      const auto kind = kind_of(letter, options);
      if (kind == Kind::unknown) return tl::unexpected("There is no option " + base::printable(text));
      if (kind == Kind::flag) {
        parsed.options_[letter];
        continue;
      }
      const bool here = at + 1 < text.size();
      if (!here && i + 1 == texts.size()) return tl::unexpected(std::string("A value is missing after -") + letter);
      parsed.options_[letter] = here ? text.substr(at + 1) : texts[++i];
      break;
    }
  }
  return parsed;
}

}  // namespace holdfast::cli::shell
