#include "cli/lock_history.h"

#include <fmt/format.h>

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
  }
  return "unknown";
}

std::vector<Change> LockHistory::see(std::vector<LockInfo>& locks) {
  std::map<std::string, Seen> now;
  for (auto& lock : locks) {
    const auto before = seen_.find(lock.name);
    const auto known_before = before == seen_.end() ? Index() : index_of(before->second.tickets);
    for (auto& ticket : lock.tickets) {
      const auto* known = find(known_before, ticket.id);
      if (ticket.revoked && known != nullptr) ticket.card = known->card;
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
    static const std::vector<TicketInfo> nobody;
    const auto& was = before == seen_.end() ? nobody : before->second.tickets;
    const auto& is = after == now.end() ? nobody : after->second.tickets;
    const auto index_was = index_of(was);
    const auto index_is = index_of(is);
    const auto& seen = after == now.end() ? before->second : after->second;
    const auto add = [&](Event event, const TicketInfo& ticket) {
      changes.push_back({event, name, seen.path, seen.kind, ticket});
    };
    for (const auto& ticket : was) {
      if (find(index_is, ticket.id) == nullptr) add(ticket.holds ? Event::released : Event::left, ticket);
    }
    for (const auto& ticket : is) {
      const auto* known = find(index_was, ticket.id);
      if (known == nullptr && ticket.holds) add(first_ ? Event::holds : Event::granted, ticket);
      if (known == nullptr && !ticket.holds) add(first_ ? Event::waits : Event::queued, ticket);
      if (known != nullptr && ticket.holds && !known->holds) add(Event::granted, ticket);
      if (ticket.revoked && (known == nullptr || !known->revoked)) add(Event::asked, ticket);
    }
  }
  seen_ = std::move(now);
  first_ = false;
  return changes;
}

std::string change_line(const Change& change, Time now) {
  const auto& ticket = change.ticket;
  const auto age = shown_age(age_of(ticket, now));
  const auto details = [&]() -> std::string {
    switch (change.event) {
      case Event::holds: return fmt::format("held by {} for {}, token {}", who(ticket), age, ticket.token);
      case Event::waits: return fmt::format("waited for by {} for {}", who(ticket), age);
      case Event::queued: return fmt::format("queued {}", who(ticket));
      case Event::granted: return fmt::format("granted to {}, token {}", who(ticket), ticket.token);
      case Event::asked: return fmt::format("asked back from {}", who(ticket));
      case Event::released: return fmt::format("released by {} after {}", who(ticket), age);
      case Event::left: return fmt::format("left by {} after {}", who(ticket), age);
    }
    return {};
  };
  return fmt::format("{} {} {}", shown_time(now), shown(change.name), details());
}

Json change_json(const Change& change, Time now) {
  return {
      {"time", shown_time(now)}, {"event", to_string(change.event)},
      {"name", change.name},     {"path", change.path},
      {"kind", change.kind},     {"ticket", ticket_json(change.ticket, now)},
  };
}

}  // namespace holdfast::cli
