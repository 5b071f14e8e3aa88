#include "holdfast/card.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast {
namespace {

bool is_plain(unsigned char c) { return c > 0x20 && c < 0x7f && c != '%' && c != '='; }

std::string escape(std::string_view text) {
  std::string escaped;
  for (const unsigned char c : text) {
    if (is_plain(c)) {
      escaped += static_cast<char>(c);
    } else {
      escaped += fmt::format("%{:02x}", c);
    }
  }
  return escaped;
}

std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      plain += static_cast<char>(byte);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string Card::to_text() const {
  const auto since_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since.time_since_epoch()).count();
  return fmt::format("{} host={} pid={} thread={} program={} since={} purpose={}", escape(address), escape(host), pid,
                     thread, escape(program), since_ms, escape(purpose));
}

Card Card::parse(std::string_view text) {
  Card card;
  std::string_view rest = text;
  for (bool first = true; !rest.empty(); first = false) {
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (first) {
      for (const unsigned char c : word.substr(0, 64)) {
        if (!is_plain(c)) break;
        card.address += static_cast<char>(c);
      }
      continue;
    }
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = word.substr(0, equals);
    const auto value = word.substr(equals + 1);
    if (key == "host") card.host = unescape(value);
    if (key == "pid") card.pid = number(value);
    if (key == "thread") card.thread = number(value);
    if (key == "program") card.program = unescape(value);
    if (key == "purpose") card.purpose = unescape(value);
    if (key == "since") card.since = std::chrono::system_clock::time_point(std::chrono::milliseconds(number(value)));
  }
  return card;
}

std::string Card::to_string() const {
  if (host.empty()) return address.empty() ? "an unknown holder" : address;
  auto text = fmt::format("{} (pid {}) on {}", program.empty() ? "a process" : program, pid, host);
  return purpose.empty() ? text : fmt::format("{}: {}", text, purpose);
}

}  // namespace holdfast
