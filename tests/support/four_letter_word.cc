#include "four_letter_word.h"

#include <asio.hpp>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace holdfast::testing {
namespace {

std::optional<SessionId> parse_session(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  try {
    return std::stoull(std::string(text), nullptr, 16);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// The three listings share one shape: a heading in column 0, its members below it behind a tab.
template <typename Visit>
void for_each_member(std::string_view answer, Visit visit) {
  std::istringstream lines{std::string(answer)};
  std::string heading;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('\t')) {
      visit(heading, line.substr(1));
    } else {
      heading = line;
    }
  }
}

}  // namespace

std::string ask(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout) {
  asio::ip::tcp::iostream stream;
  stream.expires_after(timeout);
  stream.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port));
  asio::error_code error = stream.error();
  std::string answer;
  if (!error) {
    stream << word << std::flush;
    answer.assign(std::istreambuf_iterator<char>(stream), {});
    error = stream.error();
  }
  // The end of the answer is the end of the connection; anything else cut it short.
  if (answer.empty() || (error && error != asio::error::eof)) {
    throw std::runtime_error("no answer to " + std::string(word) + " from port " + std::to_string(port) + ": " +
                             error.message());
  }
  return answer;
}

std::string ask_or_nothing(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout) {
  try {
    return ask(port, word, timeout);
  } catch (const std::runtime_error&) {
    return {};
  }
}

std::string parse_mode(std::string_view srvr) {
  constexpr std::string_view kLabel = "Mode: ";
  const auto at = srvr.find(kLabel);
  if (at == std::string_view::npos) return {};
  const auto value = srvr.substr(at + kLabel.size());
  return std::string(value.substr(0, value.find('\n')));
}

std::map<std::string, std::set<SessionId>> parse_watches(std::string_view wchp_or_wchc) {
  std::map<std::string, std::set<SessionId>> watches;
  for_each_member(wchp_or_wchc, [&](const std::string& heading, const std::string& member) {
    if (const auto session = parse_session(member)) {
      watches[heading].insert(*session);  // wchp: sessions below a path
    } else if (const auto owner = parse_session(heading)) {
      watches[member].insert(*owner);  // wchc: paths below a session
    }
  });
  return watches;
}

std::map<SessionId, std::set<std::string>> parse_ephemerals(std::string_view dump) {
  std::map<SessionId, std::set<std::string>> ephemerals;
  for_each_member(dump, [&](const std::string& heading, const std::string& member) {
    // "0x1000...:" above its paths. The expiry buckets in the same answer have no such heading.
    const auto session = heading.ends_with(':') ? parse_session(heading) : std::nullopt;
    if (session && member.starts_with('/')) ephemerals[*session].insert(member);
  });
  return ephemerals;
}

std::map<std::string, std::string> parse_mntr(std::string_view mntr) {
  std::map<std::string, std::string> values;
  std::istringstream lines{std::string(mntr)};
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    if (tab != std::string::npos) values[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return values;
}

}  // namespace holdfast::testing
