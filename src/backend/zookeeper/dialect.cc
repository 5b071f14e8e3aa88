#include "backend/zookeeper/dialect.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "backend/zookeeper/node_name.h"
#include "base/uuid.h"

namespace holdfast::zookeeper {
namespace {

using spi::Mode;

// Those of one kind wait for each other.
enum class Kind { mutex, read_write, semaphore, kazoo, recipe };

struct Marker {
  std::string_view text;
  Mode mode;
  Kind kind;
};

constexpr std::array kMarkers{
    Marker{"lock-", Mode::exclusive, Kind::mutex},      Marker{"__WRIT__", Mode::write, Kind::read_write},
    Marker{"__READ__", Mode::shared, Kind::read_write}, Marker{"lease-", Mode::permit, Kind::semaphore},
    Marker{"__lock__", Mode::exclusive, Kind::kazoo},   Marker{"__rlock__", Mode::shared, Kind::kazoo},
};

bool is_ours(std::string_view node) { return node.starts_with("_c_") && base::begins_with_our_uuid(node.substr(3)); }

struct Parsed {
  spi::Ticket ticket;
  Kind kind;
  std::size_t digits;  // where they begin
};

std::optional<Parsed> parse(std::string_view node) {
  // The last marker counts, as in Curator: a uuid may contain anything.
  std::size_t digits = 0;
  auto mode = Mode::exclusive;
  auto kind = Kind::recipe;
  for (const auto& marker : kMarkers) {
    const auto at = node.rfind(marker.text);
    if (at == std::string_view::npos || at + marker.text.size() <= digits) continue;
    digits = at + marker.text.size();
    mode = marker.mode;
    kind = marker.kind;
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
  return Parsed{{.id = std::string(node), .sequence = sequence, .mode = mode}, kind, digits};
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
    // A reader that stands in place of its writer comes behind it.
    const auto key = [&](const spi::Ticket& t) {
      return std::tuple(distance(t), t.mode == Mode::shared, std::string_view(t.id));
    };
    return key(a) < key(b);
  });
}

}  // namespace

std::string node_prefix(const std::string& uid, Mode mode) {
  switch (mode) {
    case Mode::write: return "_c_" + uid + "-__WRIT__";
    case Mode::shared: return "_c_" + uid + "-__READ__";
    case Mode::permit: return "_c_" + uid + "-lease-";
    case Mode::exclusive:
    case Mode::none: break;
  }
  return "_c_" + uid + "-lock-";
}

std::string node_in_place_of(const std::string& uid, std::string_view ticket) {
  const auto parsed = parse(ticket);
  return node_prefix(uid, Mode::shared) + std::string(ticket.substr(parsed ? parsed->digits : ticket.size()));
}

std::string recipe_of(std::string_view node, std::string_view text) {
  const auto parsed = parse(node);
  if (!parsed) return {};
  if (parsed->kind == Kind::kazoo) return "kazoo";
  if (parsed->kind == Kind::recipe) return "ZooKeeper recipe";
  if (is_ours(node) || text.find(" host=") != std::string_view::npos) return "Holdfast";
  // _c_<32 hex>-lock-: the uuid of Curator has dashes.
  if (node.starts_with("_c_") && node.find('-') == 35) return "go-zookeeper";
  return "Curator";
}

bool has_uid(std::string_view node, std::string_view uid) {
  return node.starts_with("_c_") && node.substr(3).starts_with(uid) && node.substr(3 + uid.size()).starts_with('-');
}

std::optional<spi::Ticket> parse_node(std::string_view node) {
  auto parsed = parse(node);
  return parsed ? std::optional(std::move(parsed->ticket)) : std::nullopt;
}

Children sort_children(const std::vector<std::string>& nodes) {
  Children children;
  spi::Listing strays;
  std::map<Kind, std::size_t> of_kind;
  std::map<Kind, std::size_t> ours;
  std::vector<Kind> kinds;
  for (const auto& each : nodes) {
    const auto node = name_of_node(each);
    auto parsed = parse(node);
    if (!parsed) {
      if (!node.starts_with(spi::kMarkPrefix)) children.stray = node;
      strays.push_back({.id = node, .mode = Mode::none});
      continue;
    }
    ++of_kind[parsed->kind];
    if (is_ours(node)) ++ours[parsed->kind];
    kinds.push_back(parsed->kind);
    children.tickets.push_back(std::move(parsed->ticket));
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto& node = children.tickets[i].id;
    auto strangers = kinds.size() - of_kind[kinds[i]];
    // Mutexes and read/write locks of ours wait for each other.
    if (is_ours(node) && kinds[i] == Kind::mutex) strangers -= ours[Kind::read_write];
    if (is_ours(node) && kinds[i] == Kind::read_write) strangers -= ours[Kind::mutex];
    // We do not make the last two kinds, so that there one is enough.
    if (strangers > 0 || kinds[i] == Kind::kazoo || kinds[i] == Kind::recipe) children.foreign = node;
  }
  sort_by_sequence(children.tickets);
  children.tickets.insert(children.tickets.end(), strays.begin(), strays.end());
  return children;
}

}  // namespace holdfast::zookeeper
