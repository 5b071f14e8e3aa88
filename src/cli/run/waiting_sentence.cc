#include "cli/run/waiting_sentence.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/view/describe.h"

namespace holdfast::cli {
namespace {

std::string ordinal(std::size_t place) {
  if (place == 1) return "next in line";
  constexpr std::array kEndings{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"};
  const bool teen = place % 100 >= 11 && place % 100 <= 13;
  return fmt::format("{}{} in line", place, teen ? "th" : kEndings[place % 10]);
}

bool is_ours(const TicketInfo& ticket, const TicketOwner& us) {
  return ticket.card.pid == us.pid && ticket.card.host == us.host;
}

std::vector<TicketInfo> others(std::vector<TicketInfo> tickets, const TicketOwner& us) {
  tickets.erase(
      std::remove_if(tickets.begin(), tickets.end(), [&](const TicketInfo& ticket) { return is_ours(ticket, us); }),
      tickets.end());
  return tickets;
}

std::optional<std::size_t> place_of(const LockInfo& lock, const TicketOwner& us) {
  const auto waiting = waiting_of(lock);
  const auto ours =
      std::find_if(waiting.begin(), waiting.end(), [&](const TicketInfo& ticket) { return is_ours(ticket, us); });
  if (ours == waiting.end()) return std::nullopt;
  return static_cast<std::size_t>(ours - waiting.begin()) + 1;
}

// The one we wait for: of several names, the first that a rival holds.
const LockInfo* blocking(const std::vector<LockInfo>& locks, const TicketOwner& us) {
  const auto held = [&](const LockInfo& lock) { return !others(holders_of(lock), us).empty(); };
  const auto waited_for = [&](const LockInfo& lock) { return held(lock) && place_of(lock, us); };
  auto found = std::find_if(locks.begin(), locks.end(), waited_for);
  if (found == locks.end()) found = std::find_if(locks.begin(), locks.end(), held);
  return found == locks.end() ? nullptr : &*found;
}

std::string held_by(const LockInfo& lock, const TicketOwner& us, std::chrono::system_clock::time_point now) {
  const auto holders = others(holders_of(lock), us);
  return fmt::format("held for {} by {}", shown_age_of(holders.front(), now), who(holders));
}

}  // namespace

TicketOwner this_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return {host.data(), ::getpid()};
}

std::string waiting_sentence(const std::vector<LockInfo>& locks, const TicketOwner& us,
                             std::chrono::system_clock::time_point now) {
  const LockInfo* lock = blocking(locks, us);
  if (lock == nullptr) return locks.empty() ? "" : fmt::format("{}: waiting", shown(locks.front().name));
  const auto place = place_of(*lock, us);
  return fmt::format("{}: {}{}", shown(lock->name), place ? ordinal(*place) + "; " : "", held_by(*lock, us, now));
}

std::string held_sentence(const std::vector<LockInfo>& locks, const TicketOwner& us,
                          std::chrono::system_clock::time_point now) {
  const LockInfo* lock = blocking(locks, us);
  return lock == nullptr ? "" : fmt::format("{} is {}", shown(lock->name), held_by(*lock, us, now));
}

}  // namespace holdfast::cli
