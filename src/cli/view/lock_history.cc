#include "cli/view/lock_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>

namespace holdfast::cli {
namespace {

// Queues may be long, and are looked at every second.
using Index = std::unordered_map<std::string_view, const TicketInfo*>;

Index index_of(const std::vector<TicketInfo>& tickets) {
  Index index;
  for (const auto& ticket : tickets) index.emplace(ticket.id, &ticket);
  return index;
}

const TicketInfo* find(const Index& index, const std::string& id) {
  const auto found = index.find(id);
  return found == index.end() ? nullptr : found->second;
}

// A look through another server of an ensemble may be this far behind what was told.
constexpr std::chrono::seconds kLag{2};
// A permit's own queue, of which only what lies in the other is a permit.
constexpr std::string_view kLocks = "/locks";
constexpr std::string_view kLeases = "/leases";

// By its name alone; that of a directory or a mark of a lock delay is none of these.
bool is_ticket(const std::string& id) {
  constexpr std::size_t kDigits = 10;
  const auto has = [&](const char* word) { return id.find(word) != std::string::npos; };
  return id.size() > kDigits &&
         std::all_of(id.end() - kDigits, id.end(), [](unsigned char c) { return std::isdigit(c) != 0; }) &&
         (has("lock") || has("lease") || has("__READ__") || has("__WRIT__"));
}

// A client that asks for permits stands in line first; that it leaves the line with what it asked for is its grant.
bool has_its_permits(const TicketInfo& gone, const std::vector<TicketInfo>& now) {
  return std::any_of(now.begin(), now.end(), [&](const TicketInfo& each) {
    return each.mode == LockMode::permit && each.holds && each.session == gone.session && each.token > gone.token;
  });
}

}  // namespace

std::string_view to_string(Event event) {
  switch (event) {
    case Event::holds: return "holds";
    case Event::waits: return "waits";
    case Event::queued: return "queued";
    case Event::granted: return "granted";
    case Event::asked: return "asked";
    case Event::released: return "released";
    case Event::left: return "left";
    case Event::passed: return "passed";
  }
  return "unknown";
}

void LockHistory::remember(const std::vector<NodeSign>& signs) {
  for (const auto& sign : signs) {
    if (!is_ticket(sign.id)) continue;
    auto& told = told_[{sign.queue, sign.id}];
    (sign.came ? told.came : told.gone) = sign.at;
  }
}

// A semaphore's tickets are in two queues below its name.
LockHistory::Told* LockHistory::told(const std::string& name, const std::string& id) {
  for (const auto& queue : {name, name + std::string(kLeases), name + std::string(kLocks)}) {
    if (const auto found = told_.find({queue, id}); found != told_.end()) return &found->second;
  }
  return nullptr;
}

// Those that were gone by `until`, and that no look has seen.
void LockHistory::add_passed(Time until, std::vector<Change>& changes) {
  for (auto each = told_.begin(); each != told_.end();) {
    const auto& [queue, id] = each->first;
    if (!each->second.gone || *each->second.gone > until) {
      ++each;
      continue;
    }
    auto name = queue;
    if (queue.ends_with(kLeases)) name.erase(queue.size() - kLeases.size());
    if (each->second.came && !each->second.seen && !over_.contains({name, id}) && !queue.ends_with(kLocks)) {
      TicketInfo ticket;
      ticket.id = id;
      ticket.since = *each->second.came;
      changes.push_back({Event::passed, name, "", "", ticket, *each->second.came});
    }
    each = told_.erase(each);
  }
}

std::vector<Change> LockHistory::see(std::vector<LockInfo>& locks, Time at, const std::vector<NodeSign>& signs) {
  remember(signs);
  std::map<std::string, Seen> now;
  for (auto& lock : locks) {
    const auto before = seen_.find(lock.name);
    const auto known_before = before == seen_.end() ? Index() : index_of(before->second.tickets);
    for (auto& ticket : lock.tickets) {
      const auto* known = find(known_before, ticket.id);
      if (ticket.revoked && known != nullptr && ticket.card.host.empty()) ticket.card = known->card;
      if (auto* told_of = told(lock.name, ticket.id)) told_of->seen = true;
    }
    now[lock.name] = {lock.path, std::string(kind_of(lock)), lock.tickets};
  }

  std::set<std::string> names;
  for (const auto& [name, seen] : seen_) names.insert(name);
  for (const auto& [name, seen] : now) names.insert(name);
  std::vector<Change> changes;
  for (const auto& name : names) {
    const auto before = seen_.find(name);
    const auto after = now.find(name);
    static const std::vector<TicketInfo> none;
    const auto& was = before == seen_.end() ? none : before->second.tickets;
    const auto& is = after == now.end() ? none : after->second.tickets;
    const auto index_was = index_of(was);
    const auto index_is = index_of(is);
    const auto& seen = after == now.end() ? before->second : after->second;
    const auto add = [&](Event event, const TicketInfo& ticket, Time when) -> Change& {
      return changes.emplace_back(Change{event, name, seen.path, seen.kind, ticket, std::min(when, at)});
    };
    std::optional<Time> made_way;  // when the last ticket before those that wait has gone
    for (const auto& ticket : was) {
      if (find(index_is, ticket.id) != nullptr) continue;
      const auto* told_of = told(name, ticket.id);
      const auto when = told_of != nullptr && told_of->gone ? *told_of->gone : at;
      made_way = std::max(made_way.value_or(when), when);
      over_[{name, ticket.id}] = at;
      if (!ticket.holds) {
        if (!(seen.kind == "semaphore" && has_its_permits(ticket, is))) add(Event::left, ticket, when);
        continue;
      }
      auto& change = add(Event::released, ticket, when);
      if (const auto granted = granted_.find({name, ticket.id}); granted != granted_.end()) {
        change.held = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::max(change.at - granted->second, Time::duration::zero()));
        granted_.erase(granted);
      }
    }
    for (const auto& ticket : is) {
      const auto* known = find(index_was, ticket.id);
      const auto* told_of = told(name, ticket.id);
      const auto came = told_of != nullptr && told_of->came ? *told_of->came : at;
      const auto grant = [&](Time when) { granted_[{name, ticket.id}] = add(Event::granted, ticket, when).at; };
      if (known == nullptr && ticket.holds)
        first_ ? (void)add(Event::holds, ticket, at) : grant(std::max(came, made_way.value_or(came)));
      if (known == nullptr && !ticket.holds) add(first_ ? Event::waits : Event::queued, ticket, first_ ? at : came);
      if (known != nullptr && ticket.holds && !known->holds) grant(made_way.value_or(at));
      if (ticket.revoked && (known == nullptr || !known->revoked)) add(Event::asked, ticket, at);
    }
  }
  if (!first_) {
    add_passed(at - kLag, changes);
    std::erase_if(over_, [&](const auto& each) { return each.second < at - 2 * kLag; });
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  seen_ = std::move(now);
  first_ = false;
  return changes;
}

std::vector<Change> LockHistory::finish() {
  std::vector<Change> changes;
  if (!first_) add_passed(Time::max(), changes);
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

std::string change_line(const Change& change) {
  const auto& ticket = change.ticket;
  const auto age = shown_age(age_of(ticket, change.at));
  const auto details = [&]() -> std::string {
    switch (change.event) {
      case Event::holds: return fmt::format("held by {} for {}, token {}", who(ticket), age, ticket.token);
      case Event::waits: return fmt::format("waited for by {} for {}", who(ticket), age);
      case Event::queued: return fmt::format("queued {}", who(ticket));
      case Event::granted: return fmt::format("granted to {}, token {}", who(ticket), ticket.token);
      case Event::asked: return fmt::format("asked back from {}", who(ticket));
      case Event::released:
        // Its ticket was made before it was granted, and how long before is not known.
        return change.held ? fmt::format("released by {} after {}", who(ticket), shown_age(*change.held))
                           : fmt::format("released by {} after at most {}", who(ticket), age);
      case Event::left: return fmt::format("left by {} after {}", who(ticket), age);
      case Event::passed:
        return fmt::format("passed by ticket {}, which came and went before it could be looked at", shown(ticket.id));
    }
    return {};
  };
  return fmt::format("{} {} {}", shown_time(change.at), shown(change.name), details());
}

Json change_json(const Change& change) {
  return {
      {"time", shown_time(change.at)},
      {"event", to_string(change.event)},
      {"name", change.name},
      {"path", change.path},
      {"kind", change.kind},
      {"held_seconds", change.held ? Json(static_cast<double>(change.held->count()) / 1000) : Json()},
      {"ticket", ticket_json(change.ticket, change.at)},
  };
}

}  // namespace holdfast::cli
