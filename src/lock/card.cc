#include "holdfast/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

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

std::chrono::system_clock::time_point time_of(std::int64_t since_ms) {
  using std::chrono::milliseconds;
  using Time = std::chrono::system_clock::time_point;
  const auto last = std::chrono::duration_cast<milliseconds>(Time::max().time_since_epoch());
  return Time(std::clamp(milliseconds(since_ms), milliseconds(0), last));
}

}  // namespace

std::string Card::to_text() const {
  const auto since_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since.time_since_epoch()).count();
  return fmt::format("{} host={} pid={} thread={}{}{}{} program={} since={}{} purpose={}", escape(address),
                     escape(host), pid, thread, bound ? " bound=1" : "", endless ? " endless=1" : "",
                     instance.empty() ? "" : " instance=" + escape(instance), escape(program), since_ms,
                     trace.empty() ? "" : " trace=" + escape(trace), escape(purpose));
}

Card Card::parse(std::string_view text) {
  Card card;
  std::string_view rest = text;
  for (bool first = true; !rest.empty(); first = false) {
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (first) {
      // An address is at most 64 characters, and none of them a blank or a control, escaped or not.
      card.address = unescape(word.substr(0, 64));
      const auto is_shown = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
      card.address.erase(std::find_if_not(card.address.begin(), card.address.end(), is_shown), card.address.end());
      continue;
    }
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = word.substr(0, equals);
    const auto value = word.substr(equals + 1);
    if (key == "host") card.host = unescape(value);
    if (key == "pid") card.pid = number(value);
    if (key == "thread") card.thread = number(value);
    if (key == "bound") card.bound = number(value) == 1;
    if (key == "endless") card.endless = number(value) == 1;
    if (key == "instance") card.instance = unescape(value);
    if (key == "program") card.program = unescape(value);
    if (key == "trace") card.trace = unescape(value);
    if (key == "purpose") card.purpose = unescape(value);
    if (key == "since") card.since = time_of(number(value));
  }
  return card;
}

std::string Card::to_string() const {
  // Every client that may make a ticket may write a card.
  using base::printable;
  if (host.empty()) return address.empty() ? "an unknown holder" : printable(address);
  auto text =
      fmt::format("{} (pid {}) on {}", program.empty() ? "a process" : printable(program), pid, printable(host));
  return purpose.empty() ? text : fmt::format("{}: {}", text, printable(purpose));
}

}  // namespace holdfast
