#include "normalise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

namespace holdfast::testing {
namespace {

using Lines = std::vector<std::string>;

// The value is the second group, what announces it the first. All are hexadecimal. zkCli.sh and cli_mt spell them in
// their own ways; the programs beside this file follow cli_mt.
const std::regex kZxid("\\b([cmp][zZ]xid ?= ?(?:0x)?)([0-9a-f]+)\\b");
const std::regex kSession("((?:ephemeralOwner|session [iI]d) ?[=:] ?(?:0x)?)([0-9a-f]+)\\b");
// As java.util.Date and ctime() write it, year last.
const std::regex kTime("\\b([cm]time ?= ?)([A-Z][a-z]{2} [A-Z][a-z]{2} .*)");
const std::regex kDuration("^(time = )([0-9]+) msec$");

const std::regex kIdentity("[a-z0-9]+: \\S+");

// The first year of a time_t.
constexpr std::string_view kBeginningOfTime = " 1970";

Lines split(std::string_view text) {
  std::istringstream in{std::string(text)};
  Lines lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// Puts what `name` makes of each value in its place.
std::string replace(const std::string& line, const std::regex& what,
                    const std::function<std::string(const std::string&)>& name) {
  std::string result;
  auto rest = line.begin();
  for (std::sregex_iterator found(line.begin(), line.end(), what), end; found != end; ++found) {
    result.append(rest, found->operator[](2).first);
    result += name(found->str(2));
    rest = found->operator[](2).second;
  }
  return result.append(rest, line.end());
}

std::uint64_t number(const std::string& digits) { return std::stoull(digits, nullptr, 16); }

void rank_zxids(Lines& lines) {
  std::set<std::uint64_t> seen;
  for (const std::string& line : lines) {
    for (std::sregex_iterator found(line.begin(), line.end(), kZxid), end; found != end; ++found) {
      seen.insert(number(found->str(2)));
    }
  }
  seen.erase(0);  // no transaction: what was there from the beginning
  for (std::string& line : lines) {
    line = replace(line, kZxid, [&](const std::string& value) {
      const auto at = seen.find(number(value));
      return at == seen.end() ? value : fmt::format("#{}", std::distance(seen.begin(), at) + 1);
    });
  }
}

// EphemeralType: the whole top byte for a time to live, the top bit alone for a container.
bool is_session(std::uint64_t owner) { return owner != 0 && owner != 1ULL << 63U && owner >> 56U != 0xffU; }

void number_sessions(Lines& lines) {
  std::map<std::uint64_t, std::size_t> numbers;
  for (std::string& line : lines) {
    line = replace(line, kSession, [&](const std::string& value) {
      const auto id = number(value);
      if (!is_session(id)) return value;
      return fmt::format("session-{}", numbers.emplace(id, numbers.size() + 1).first->second);
    });
  }
}

void hide_times_and_address(Lines& lines, std::string_view address) {
  for (std::string& line : lines) {
    line = replace(line, kTime, [](const std::string& value) {
      return value.find(kBeginningOfTime) == std::string::npos ? "TIME" : value;
    });
    line = replace(line, kDuration, [](const std::string&) { return "T"; });
    for (auto at = line.find(address); at != std::string::npos; at = line.find(address)) {
      line.replace(at, address.size(), "SERVER");
    }
  }
}

Lines events_last(const Lines& lines) {
  Lines said;
  Lines events;
  for (const std::string& line : lines) {
    if (line == "WATCHER::") continue;
    if (!line.starts_with("WatchedEvent ")) {
      said.push_back(line);
    } else if (line.find("state:Closed") == std::string::npos) {  // which it may print, or exit before
      events.push_back(line);
    }
  }
  said.insert(said.end(), events.begin(), events.end());
  return said;
}

// zkCli.sh: "[a, b]".
void sort_brackets(std::string& line) {
  if (!line.starts_with('[') || !line.ends_with(']')) return;
  constexpr std::string_view kSeparator = ", ";
  Lines names;
  std::string_view rest = std::string_view(line).substr(1, line.size() - 2);
  for (auto comma = rest.find(kSeparator); comma != std::string_view::npos; comma = rest.find(kSeparator)) {
    names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(comma + kSeparator.size());
  }
  names.emplace_back(rest);
  std::sort(names.begin(), names.end());
  line = fmt::format("[{}]", fmt::join(names, ", "));
}

// cli_mt: one line each, behind a tab.
void sort_children(Lines& lines) {
  const auto is_child = [](const std::string& line) {
    return line.starts_with('\t') && line.find('=') == std::string::npos;
  };
  for (auto begin = lines.begin(); begin != lines.end();) {
    begin = std::find_if(begin, lines.end(), is_child);
    const auto end = std::find_if_not(begin, lines.end(), is_child);
    std::sort(begin, end);
    begin = end;
  }
}

// zkCli.sh, whoami: "scheme: name" below a heading.
void sort_identities(Lines& lines) {
  const auto heading = std::find(lines.begin(), lines.end(), "Auth scheme: User");
  if (heading == lines.end()) return;
  const auto is_identity = [](const std::string& line) { return std::regex_match(line, kIdentity); };
  const auto end = std::find_if_not(heading + 1, lines.end(), is_identity);
  std::sort(heading + 1, end);
}

}  // namespace

std::string normalise(std::string_view transcript, std::string_view address) {
  Lines lines = events_last(split(transcript));
  rank_zxids(lines);
  number_sessions(lines);
  hide_times_and_address(lines, address);
  sort_children(lines);
  sort_identities(lines);
  for (std::string& line : lines) sort_brackets(line);
  std::string result;
  for (const std::string& line : lines) result += line + '\n';
  return result;
}

}  // namespace holdfast::testing
