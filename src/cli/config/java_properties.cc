#include "cli/config/java_properties.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace holdfast::cli {
namespace {

constexpr std::string_view kBlank = " \t\f";

std::string_view without_leading_blanks(std::string_view line) {
  const auto first = line.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

// A backslash that is not itself escaped.
bool goes_on(std::string_view line) {
  std::size_t backslashes = 0;
  while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Ends at \n, \r or \r\n.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const auto end = rest_.find_first_of("\r\n");
    const auto line = rest_.substr(0, end);
    const bool crlf = end != std::string_view::npos && rest_.substr(end).starts_with("\r\n");
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + (crlf ? 2 : 1));
    return line;
  }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

void append_utf8(std::string& text, std::uint32_t code) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
}

// The four digits after \u; takes them away.
std::optional<std::uint32_t> take_hex(std::string_view& text) {
  constexpr std::size_t kDigits = 4;
  std::uint32_t code = 0;
  const auto digits = text.substr(0, kDigits);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() != kDigits || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  text.remove_prefix(kDigits);
  return code;
}

// Java's characters are UTF-16: what does not fit into one \u comes as two.
std::optional<std::uint32_t> take_unicode(std::string_view& text) {
  const auto first = take_hex(text);
  if (!first || *first < 0xd800 || *first > 0xdfff) return first;
  if (*first > 0xdbff || !text.starts_with("\\u")) return std::nullopt;
  text.remove_prefix(2);
  const auto second = take_hex(text);
  if (!second || *second < 0xdc00 || *second > 0xdfff) return std::nullopt;
  return 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
}

// Nothing if a \u is malformed.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c != '\\') {
      plain += c;
      continue;
    }
    if (text.empty()) break;  // a backslash at the end of the file is dropped, as Java does
    const char escaped = text.front();
    text.remove_prefix(1);
    switch (escaped) {
      case 't': plain += '\t'; break;
      case 'n': plain += '\n'; break;
      case 'r': plain += '\r'; break;
      case 'f': plain += '\f'; break;
      case 'u': {
        const auto code = take_unicode(text);
        if (!code) return std::nullopt;
        append_utf8(plain, *code);
        break;
      }
      default: plain += escaped;
    }
  }
  return plain;
}

// Where the key ends: at the first '=', ':' or blank that is not escaped.
std::size_t end_of_key(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size() && line[i] != '=' && line[i] != ':' && kBlank.find(line[i]) == std::string_view::npos) {
    i += line[i] == '\\' ? 2 : 1;
  }
  return std::min(i, line.size());
}

}  // namespace

tl::expected<std::vector<Property>, PropertyError> parse_properties(std::string_view text) {
  std::vector<Property> properties;
  Lines lines(text);
  while (const auto natural = lines.next()) {
    auto line = std::string(without_leading_blanks(*natural));
    const auto number = lines.number();
    if (line.empty() || line[0] == '#' || line[0] == '!') continue;
    while (goes_on(line)) {
      line.pop_back();
      const auto more = lines.next();
      if (!more) break;
      line += without_leading_blanks(*more);
    }
    if (line.empty()) continue;

    const std::string_view whole = line;
    const auto end = end_of_key(whole);
    auto rest = without_leading_blanks(whole.substr(end));
    if (rest.starts_with('=') || rest.starts_with(':')) rest = without_leading_blanks(rest.substr(1));
    auto key = unescaped(whole.substr(0, end));
    auto value = unescaped(rest);
    if (!key || !value)
      return tl::unexpected(PropertyError{number, "a \\u needs four hexadecimal digits of a character"});
    properties.push_back({*std::move(key), *std::move(value), number});
  }
  return properties;
}

}  // namespace holdfast::cli
