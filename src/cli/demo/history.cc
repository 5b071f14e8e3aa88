#include "cli/demo/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/demo/hold_check.h"

namespace holdfast::cli::demo {
namespace {

// What the checker of holds has to know of it.
std::vector<HoldEvent> hold_events_of(const History& history) {
  using Kind = HoldEvent::Kind;
  std::vector<HoldEvent> events;
  const auto add = [&](Kind kind, const Event& event) {
    events.push_back({kind, event.worker, event.token, event.at, event.valid_until});
  };
  // A worker that was killed may have said more, which was read later: so the grants come first.
  for (const auto& event : history.events) {
    if (event.deed == Deed::granted) add(Kind::granted, event);
  }
  for (const auto& event : history.events) {
    switch (event.deed) {
      case Deed::holding:
      case Deed::lost: add(Kind::told, event); break;
      case Deed::released: add(Kind::released, event); break;
      case Deed::wrote: add(Kind::wrote, event); break;
      case Deed::refused: add(Kind::refused, event); break;
      default: break;
    }
  }
  return events;
}

bool has(const History& history, Deed deed, const std::string& worker, Token token) {
  return std::any_of(history.events.begin(), history.events.end(), [&](const Event& event) {
    return event.deed == deed && event.worker == worker && event.token == token;
  });
}

bool has(const History& history, Deed deed, const CheckedHold& hold) {
  return has(history, deed, hold.holder, hold.token);
}

// A worker says how each of its holds ended, unless it was killed.
void check_ends(const History& history, const std::vector<CheckedHold>& holds, std::vector<std::string>& wrong) {
  for (std::size_t i = 0; i + 1 < holds.size(); ++i) {
    const auto& hold = holds[i];
    if (hold.released || has(history, Deed::lost, hold) || has(history, Deed::killed, hold)) continue;
    wrong.push_back(fmt::format("{} was granted token {} while {} held token {}, which never gave it back",
                                holds[i + 1].holder, holds[i + 1].token, hold.holder, hold.token));
  }
}

void check_order(const History& history, const std::vector<CheckedHold>& holds, std::vector<std::string>& wrong) {
  for (const auto& queue : history.sightings) {
    const CheckedHold* ahead = nullptr;
    for (const auto token : queue) {
      const auto hold =
          std::find_if(holds.begin(), holds.end(), [&](const CheckedHold& each) { return each.token == token; });
      if (hold == holds.end()) continue;  // not granted yet when the record ended, or its session was lost before
      if (ahead != nullptr && hold->from < ahead->from) {
        wrong.push_back(fmt::format("{} (token {}) was granted before {} (token {}), which was ahead of it",
                                    hold->holder, hold->token, ahead->holder, ahead->token));
        return;  // every later look would say the same again
      }
      ahead = &*hold;
    }
  }
}

// No process of the demonstration stands still between its grant and the moment at which it looks at the clock.
void check_grants(const std::vector<CheckedHold>& holds, std::vector<std::string>& wrong) {
  for (std::size_t i = 1; i < holds.size(); ++i) {
    if (holds[i].token > holds[i - 1].token) continue;
    wrong.push_back(fmt::format("{} was granted token {} after {} had token {}", holds[i].holder, holds[i].token,
                                holds[i - 1].holder, holds[i - 1].token));
  }
}

void check_shown(const History& history, const std::vector<CheckedHold>& holds, Verdict& verdict) {
  const auto killed = [&](const CheckedHold& hold) { return !hold.released && has(history, Deed::killed, hold); };
  if (std::none_of(holds.begin(), holds.end(), killed)) verdict.not_shown.emplace_back("no holder was killed");
  const auto paused = std::find_if(history.events.begin(), history.events.end(),
                                   [](const Event& event) { return event.deed == Deed::paused; });
  if (paused == history.events.end()) {
    verdict.not_shown.emplace_back("no holder was paused");
    return;
  }
  if (!has(history, Deed::lost, paused->worker, paused->token)) {
    verdict.not_shown.push_back(fmt::format("{} was not told that its lock was lost", paused->worker));
  }
  if (!has(history, Deed::refused, paused->worker, paused->token)) {
    verdict.not_shown.push_back(fmt::format("no late write of {} was refused", paused->worker));
  }
}

}  // namespace

Verdict check(const History& history) {
  auto [holds, objections] = check_holds(hold_events_of(history));
  Verdict verdict;
  verdict.holds = holds.size();
  verdict.sightings = history.sightings.size();
  for (const auto& event : history.events) {
    if (event.deed == Deed::wrote) ++verdict.writes;
    if (event.deed == Deed::refused) ++verdict.late_writes;
  }
  check_ends(history, holds, verdict.exclusion);
  for (auto& [rule, what, events] : objections) {
    (rule == "overlapping_holds" ? verdict.exclusion : verdict.tokens).push_back(std::move(what));
    if (rule == "refused_write") --verdict.late_writes;
  }
  check_order(history, holds, verdict.order);
  check_grants(holds, verdict.tokens);
  check_shown(history, holds, verdict);
  return verdict;
}

}  // namespace holdfast::cli::demo
