#include "backend/zookeeper/dialect.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace holdfast::zookeeper {
namespace {

struct Marker {
  std::string_view text;
  bool shared;
  bool waits_for_us;
};

constexpr std::array kMarkers{
    Marker{"lock-", false, true},     Marker{"__WRIT__", false, false}, Marker{"__READ__", true, false},
    Marker{"__lock__", false, false}, Marker{"__rlock__", true, false},
};

struct Parsed {
  spi::Ticket ticket;
  bool waits_for_us;
};

std::optional<Parsed> parse(std::string_view node) {
  // The last marker counts, as in Curator: a uuid may contain anything.
  std::size_t digits = 0;
  bool shared = false;
  bool waits_for_us = false;
  for (const auto& marker : kMarkers) {
    const auto at = node.rfind(marker.text);
    if (at == std::string_view::npos || at + marker.text.size() <= digits) continue;
    digits = at + marker.text.size();
    shared = marker.shared;
    waits_for_us = marker.waits_for_us;
  }
  if (digits == 0 && node.starts_with("x-")) {
    digits = node.rfind('-') + 1;
    if (node[digits - 2] == '-') --digits;  // x-<session>--2147483648
  }
  if (digits == 0 || digits == node.size()) return std::nullopt;
  std::int64_t sequence = 0;
  const auto* end = node.data() + node.size();
  const auto result = std::from_chars(node.data() + digits, end, sequence);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return Parsed{{.id = std::string(node), .sequence = sequence, .shared = shared}, waits_for_us};
}

// The counter is a signed 32-bit number that wraps: a is before b if the way from a to b is the shorter one. All are measured
// from one of them, because pairwise "before" would go round in a circle among strangers' numbers, and a sort with it.
void sort_by_sequence(spi::Listing& tickets) {
  if (tickets.empty()) return;
  const auto origin = static_cast<std::uint32_t>(tickets.front().sequence);
  const auto distance = [origin](const spi::Ticket& ticket) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(ticket.sequence) - origin);
  };
  std::sort(tickets.begin(), tickets.end(), [&](const spi::Ticket& a, const spi::Ticket& b) {
    return std::pair(distance(a), std::string_view(a.id)) < std::pair(distance(b), std::string_view(b.id));
  });
}

}  // namespace

std::string node_prefix(const std::string& uid, bool shared) { return "_c_" + uid + (shared ? "-__READ__" : "-lock-"); }

bool has_uid(std::string_view node, std::string_view uid) {
  return node.starts_with("_c_") && node.substr(3).starts_with(uid) && node.substr(3 + uid.size()).starts_with('-');
}

std::optional<spi::Ticket> parse_node(std::string_view node) {
  auto parsed = parse(node);
  return parsed ? std::optional(std::move(parsed->ticket)) : std::nullopt;
}

Children sort_children(const std::vector<std::string>& nodes) {
  Children children;
  for (const auto& node : nodes) {
    auto parsed = parse(node);
    if (!parsed) {
      children.stray = node;
      continue;
    }
    if (!parsed->waits_for_us) children.foreign = node;
    children.tickets.push_back(std::move(parsed->ticket));
  }
  sort_by_sequence(children.tickets);
  return children;
}

}  // namespace holdfast::zookeeper
