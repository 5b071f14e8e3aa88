#include "lock/circle.h"

#include <fmt/format.h>

#include <string>
#include <tuple>

#include "lock/deadlock.h"

namespace holdfast::lock {
namespace {

// The process, also after a fork, and the thread.
using Who = std::tuple<std::string, std::int64_t, std::int64_t>;

Who who(const Card& card) { return {card.instance, card.pid, card.thread}; }

}  // namespace

std::optional<Refusal> find_circle_of(const Card& mine, const std::vector<LockInfo>& locks) {
  std::vector<WaitsFor<Who>> waiting;
  std::vector<Holds<Who>> holding;
  for (const auto& lock : locks) {
    for (const auto& ticket : lock.tickets) {
      if (ticket.holds && ticket.card.bound) holding.push_back({who(ticket.card), lock.name});
      if (!ticket.holds && ticket.card.endless) waiting.push_back({who(ticket.card), lock.name});
    }
  }
  const auto circle = find_circle(who(mine), waiting, holding);
  if (circle.empty()) return std::nullopt;

  std::string text;
  Token newest = 0;
  Token ours = 0;
  for (const auto& wait : circle) {
    for (const auto& lock : locks) {
      if (lock.name != wait.queue) continue;
      for (const auto& ticket : lock.tickets) {
        if (ticket.holds || who(ticket.card) != wait.who) continue;
        newest = std::max(newest, ticket.token);
        if (wait.who == who(mine)) ours = ticket.token;
        text += fmt::format("{}{} waits for {}", text.empty() ? "" : ", ", ticket.card.to_string(), lock.path);
      }
    }
  }
  if (ours != newest) return std::nullopt;
  return Refusal{Errc::deadlock, "waiting would never end: " + text};
}

}  // namespace holdfast::lock
