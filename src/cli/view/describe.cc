#include "cli/view/describe.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// Of one piece of another client's text. A node may hold a megabyte, and a purpose longer than this is no purpose.
constexpr std::size_t kLongestShown = 1000;

std::vector<TicketInfo> those_of(const LockInfo& lock, bool holding) {
  std::vector<TicketInfo> found;
  std::copy_if(lock.tickets.begin(), lock.tickets.end(), std::back_inserter(found),
               [holding](const TicketInfo& ticket) { return ticket.holds == holding; });
  return found;
}

}  // namespace

std::string shown(std::string_view text) { return base::printable(text, kLongestShown); }

std::string shown_time(Time time) {
  using std::chrono::seconds;
  // Times far away come from foreign clocks; gmtime() answers them all within these years.
  constexpr seconds kLast(253'402'300'799);  // the end of the year 9999
  const auto since = std::chrono::floor<milliseconds>(time.time_since_epoch());
  const auto whole = std::clamp(std::chrono::floor<seconds>(since), seconds(0), kLast);
  const auto rest = std::clamp(since - whole, milliseconds(0), milliseconds(999));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(whole.count())), rest.count());
}

std::string shown_age(milliseconds age) {
  struct Unit {
    std::int64_t seconds;
    char large;
    std::int64_t below;
    char small;
  };
  constexpr std::array kUnits{Unit{86'400, 'd', 3'600, 'h'}, Unit{3'600, 'h', 60, 'm'}, Unit{60, 'm', 1, 's'}};
  if (age < std::chrono::seconds(1)) return fmt::format("{}ms", std::max<std::int64_t>(age.count(), 0));
  const auto seconds = age.count() / 1000;
  for (const auto& unit : kUnits) {
    if (seconds < unit.seconds) continue;
    return fmt::format("{}{}{:02}{}", seconds / unit.seconds, unit.large, seconds % unit.seconds / unit.below,
                       unit.small);
  }
  return fmt::format("{}s", seconds);
}

milliseconds age_of(const TicketInfo& ticket, Time now) {
  return std::max(std::chrono::duration_cast<milliseconds>(now - ticket.since), milliseconds(0));
}

std::string shown_age_of(const TicketInfo& ticket, Time now) {
  return ticket.since == Time{} ? "?" : shown_age(age_of(ticket, now));
}

std::string_view kind_of(const LockInfo& lock) {
  if (lock.semaphore) return "semaphore";
  const bool read_write = std::any_of(lock.tickets.begin(), lock.tickets.end(), [](const TicketInfo& ticket) {
    return ticket.mode == LockMode::read || ticket.mode == LockMode::write;
  });
  return read_write ? "read_write" : "mutex";
}

std::string_view held_as(const LockInfo& lock, const std::vector<TicketInfo>& holders) {
  const auto kind = kind_of(lock);
  return kind == "read_write" && !holders.empty() ? to_string(holders.front().mode) : kind;
}

std::string_view to_string(LockMode mode) {
  switch (mode) {
    case LockMode::exclusive: return "exclusive";
    case LockMode::write: return "write";
    case LockMode::read: return "read";
    case LockMode::permit: return "permit";
  }
  return "unknown";
}

std::vector<TicketInfo> holders_of(const LockInfo& lock) { return those_of(lock, true); }
std::vector<TicketInfo> waiting_of(const LockInfo& lock) { return those_of(lock, false); }

std::string who(const TicketInfo& ticket) {
  const auto& card = ticket.card;
  if (!ticket.readable) return "a client whose card may not be read";
  const std::string asked = ticket.revoked ? " (asked to give it back)" : "";
  if (!card.host.empty()) {
    return fmt::format("{} (pid {}) on {}{}{}", card.program.empty() ? "a process" : shown(card.program), card.pid,
                       shown(card.host), card.purpose.empty() ? "" : ": " + shown(card.purpose), asked);
  }
  // To ask is to write over the card.
  if (ticket.revoked && card.address.empty()) return "a client that was asked to give it back";
  const auto name = card.address.empty() ? std::string("a client") : shown(card.address);
  return fmt::format("{} ({}){}", name, shown(ticket.recipe), asked);
}

std::string who(const std::vector<TicketInfo>& tickets) {
  if (tickets.empty()) return "-";
  if (tickets.size() == 1) return who(tickets.front());
  return fmt::format("{} and {} more", who(tickets.front()), tickets.size() - 1);
}

std::vector<std::string> marks_of(const LockInfo& lock) {
  std::vector<std::string> marks;
  if (lock.mixed_recipes) marks.emplace_back("mixed recipes");
  if (lock.near_overflow) marks.emplace_back("near overflow");
  if (lock.orphans > 0) marks.push_back(fmt::format("{} orphan{}", lock.orphans, lock.orphans == 1 ? "" : "s"));
  const auto any = [&](auto&& of) { return std::any_of(lock.tickets.begin(), lock.tickets.end(), of); };
  if (any([](const TicketInfo& ticket) { return !ticket.readable; })) marks.emplace_back("unreadable");
  if (any([](const TicketInfo& ticket) { return ticket.revoked; })) marks.emplace_back("asked");
  if (any([](const TicketInfo& ticket) { return ticket.kept; })) marks.emplace_back("perhaps only kept");
  return marks;
}

}  // namespace holdfast::cli
