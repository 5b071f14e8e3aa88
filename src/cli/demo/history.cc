#include "cli/demo/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace holdfast::cli::demo {
namespace {

using Time = Clock::time_point;

struct Hold {
  std::string worker;
  Token token = 0;
  Time begin{};
  Time known_until{};      // the last valid_until that was reported
  Time end = Time::max();  // for ever, if nothing is known of its end
  bool killed = false;
};

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// By token; of a token that was granted twice, all.
using Holds = std::multimap<Token, Hold>;

Holds holds_of(const History& history) {
  Holds holds;
  for (const auto& event : history.events) {
    if (event.deed != Deed::granted) continue;
    holds.emplace(event.token, Hold{event.worker, event.token, event.at, event.valid_until});
  }
  const auto each = [&](const Event& event, auto change) {
    for (auto [at, last] = holds.equal_range(event.token); at != last; ++at) {
      if (at->second.worker == event.worker) change(at->second);
    }
  };
  for (const auto& event : history.events) {
    switch (event.deed) {
      case Deed::holding:
        each(event, [&](Hold& hold) { hold.known_until = std::max(hold.known_until, event.valid_until); });
        break;
      case Deed::released: each(event, [&](Hold& hold) { hold.end = std::min(hold.end, event.at); }); break;
      case Deed::lost: each(event, [&](Hold& hold) { hold.end = std::min(hold.end, event.valid_until); }); break;
      case Deed::killed: each(event, [](Hold& hold) { hold.killed = true; }); break;
      default: break;
    }
  }
  for (auto& [token, hold] : holds) {
    if (hold.killed && hold.end == Time::max()) hold.end = hold.known_until;
  }
  return holds;
}

std::vector<Hold> in_order_of_time(const Holds& holds) {
  std::vector<Hold> sorted;
  for (const auto& [token, hold] : holds) sorted.push_back(hold);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Hold& a, const Hold& b) { return a.begin < b.begin; });
  return sorted;
}

void check_exclusion(const std::vector<Hold>& holds, std::vector<std::string>& wrong) {
  const Hold* inside = nullptr;  // whose hold ends last, of those so far
  for (const auto& hold : holds) {
    if (inside != nullptr && hold.begin < inside->end) {
      const auto early = inside->end == Time::max() ? "which never gave it back"
                                                    : fmt::format("{:.3f} s early", seconds(inside->end - hold.begin));
      wrong.push_back(fmt::format("{} was granted token {} while {} held token {}, {}", hold.worker, hold.token,
                                  inside->worker, inside->token, early));
    }
    if (inside == nullptr || hold.end > inside->end) inside = &hold;
  }
}

void check_order(const History& history, const Holds& holds, std::vector<std::string>& wrong) {
  for (const auto& queue : history.sightings) {
    const Hold* ahead = nullptr;
    for (const auto token : queue) {
      const auto found = holds.find(token);
      if (found == holds.end()) continue;  // not granted yet when the record ended, or its session was lost before
      const auto& hold = found->second;
      if (ahead != nullptr && hold.begin < ahead->begin) {
        wrong.push_back(fmt::format("{} (token {}) was granted before {} (token {}), which was ahead of it",
                                    hold.worker, hold.token, ahead->worker, ahead->token));
        return;  // every later look would say the same again
      }
      ahead = &hold;
    }
  }
}

void check_grants(const std::vector<Hold>& holds, std::vector<std::string>& wrong) {
  for (std::size_t i = 1; i < holds.size(); ++i) {
    if (holds[i].token > holds[i - 1].token) continue;
    wrong.push_back(fmt::format("{} was granted token {} after {} had token {}", holds[i].worker, holds[i].token,
                                holds[i - 1].worker, holds[i - 1].token));
  }
}

void check_writes(const History& history, Verdict& verdict) {
  Token largest = 0;
  for (const auto& event : history.events) {
    const bool late = event.token < largest;
    if (event.deed == Deed::wrote) {
      ++verdict.writes;
      if (late) {
        verdict.tokens.push_back(
            fmt::format("a late write of {} was admitted: token {} after {}", event.worker, event.token, largest));
      }
      largest = std::max(largest, event.token);
    } else if (event.deed == Deed::refused) {
      if (late) {
        ++verdict.late_writes;
      } else {
        verdict.tokens.push_back(
            fmt::format("a write of {} was refused, though token {} is the largest", event.worker, event.token));
      }
    }
  }
}

void check_shown(const History& history, const std::vector<Hold>& holds, Verdict& verdict) {
  const auto killed = [](const Hold& hold) { return hold.killed && hold.end == hold.known_until; };
  if (std::none_of(holds.begin(), holds.end(), killed)) verdict.not_shown.emplace_back("no holder was killed");
  const auto of = [&](Deed deed, const Event& like) {
    return std::any_of(history.events.begin(), history.events.end(), [&](const Event& event) {
      return event.deed == deed && event.worker == like.worker && event.token == like.token;
    });
  };
  const auto paused = std::find_if(history.events.begin(), history.events.end(),
                                   [](const Event& event) { return event.deed == Deed::paused; });
  if (paused == history.events.end()) {
    verdict.not_shown.emplace_back("no holder was paused");
    return;
  }
  if (!of(Deed::lost, *paused)) {
    verdict.not_shown.push_back(fmt::format("{} was not told that its lock was lost", paused->worker));
  }
  if (!of(Deed::refused, *paused)) {
    verdict.not_shown.push_back(fmt::format("no late write of {} was refused", paused->worker));
  }
}

}  // namespace

Verdict check(const History& history) {
  const auto by_token = holds_of(history);
  const auto holds = in_order_of_time(by_token);
  Verdict verdict;
  verdict.holds = holds.size();
  verdict.sightings = history.sightings.size();
  check_exclusion(holds, verdict.exclusion);
  check_order(history, by_token, verdict.order);
  check_grants(holds, verdict.tokens);
  check_writes(history, verdict);
  check_shown(history, holds, verdict);
  return verdict;
}

}  // namespace holdfast::cli::demo
