#include "backend/zookeeper/dialect.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "backend/zookeeper/node_name.h"
#include "base/ticket_spelling.h"
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
    Marker{base::kMutexMarker, Mode::exclusive, Kind::mutex},
    Marker{base::kWriterMarker, Mode::write, Kind::read_write},
    Marker{base::kReaderMarker, Mode::shared, Kind::read_write},
    Marker{base::kPermitMarker, Mode::permit, Kind::semaphore},
    Marker{base::kKazooMutexMarker, Mode::exclusive, Kind::kazoo},
    Marker{base::kKazooReaderMarker, Mode::shared, Kind::kazoo},
    Marker{base::kRecipeMarker, Mode::exclusive, Kind::recipe},
};

constexpr std::string_view kMarkPrefix = "_held_";

bool is_ours(std::string_view node) { return node.starts_with("_c_") && base::begins_with_our_uuid(node.substr(3)); }

struct Parsed {
  spi::Ticket ticket;
  Kind kind;
  std::size_t digits;  // where they begin
};

std::optional<Parsed> parse(std::string_view node) {
  const auto spelling = base::spelled_as_ticket(node);
  if (!spelling) return std::nullopt;
  const auto* marker =
      std::find_if(kMarkers.begin(), kMarkers.end(), [&](const Marker& each) { return each.text == spelling->marker; });
  return Parsed{
      {.id = std::string(node), .sequence = spelling->sequence, .mode = marker->mode}, marker->kind, spelling->digits};
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
    // A reader that stands in place of its writer comes after it.
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

bool waits_apart(std::string_view node) {
  const auto parsed = parse(node);
  return parsed && (parsed->kind == Kind::kazoo || parsed->kind == Kind::recipe);
}

std::string mark_of(std::string_view ticket) {
  const auto parsed = parse(ticket);
  auto uid = parsed ? ticket.substr(0, parsed->digits) : ticket;
  if (uid.starts_with("_c_")) uid.remove_prefix(3);
  // The marker, such as "-lock-", begins with the dash after the uid.
  for (const auto& marker : kMarkers) {
    if (uid.ends_with(marker.text)) uid.remove_suffix(marker.text.size());
  }
  if (uid.ends_with('-')) uid.remove_suffix(1);
  return std::string(kMarkPrefix) + std::string(uid);
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
      if (node.starts_with(kMarkPrefix)) {
        children.abandoned_marks.push_back(node);
      } else {
        children.stray = node;
        strays.push_back({.id = node, .mode = Mode::none});
      }
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
  if (!children.abandoned_marks.empty()) {
    std::set<std::string> kept;
    for (const auto& ticket : children.tickets) kept.insert(mark_of(ticket.id));
    std::erase_if(children.abandoned_marks, [&](const std::string& mark) { return kept.contains(mark); });
  }
  sort_by_sequence(children.tickets);
  children.tickets.insert(children.tickets.end(), strays.begin(), strays.end());
  return children;
}

}  // namespace holdfast::zookeeper
