#include "cli/view/lock_text.h"

#include <fmt/format.h>

#include "cli/view/columns.h"

namespace holdfast::cli {
namespace {

void add_holder(std::vector<std::string>& lines, const LockInfo& lock, const TicketInfo& ticket, Time now) {
  const auto add = [&](std::string_view label, const std::string& text) {
    lines.push_back(fmt::format("  {:<9}{}", label, text));
  };
  add(lock.semaphore ? "permit" : "held by", who(ticket));
  if (!ticket.card.address.empty() && !ticket.card.host.empty()) add("address", shown(ticket.card.address));
  add("since",
      ticket.since == Time{} ? "unknown" : fmt::format("{} ({})", shown_time(ticket.since), shown_age_of(ticket, now)));
  add("token", fmt::format("{}", ticket.token));
  add("session", ticket.session != 0 ? fmt::format("{:#x}", static_cast<std::uint64_t>(ticket.session))
                 : ticket.readable   ? "none: an orphan, which stays until it is removed"
                                     : "unknown");
  add("ticket", fmt::format("{} ({}, {})", shown(ticket.id), to_string(ticket.mode), shown(ticket.recipe)));
}

}  // namespace

std::vector<std::string> page_lines(const LockInfo& lock, Time now, std::optional<std::size_t> width) {
  const auto holders = holders_of(lock);
  const auto waiting = waiting_of(lock);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} ({}) at {}", shown(lock.name), held_as(lock, holders), shown(lock.path)));
  if (lock.semaphore) lines.push_back(fmt::format("  permits  {} taken", holders.size()));
  for (const auto& ticket : holders) add_holder(lines, lock, ticket, now);
  lines.push_back(fmt::format("  waiting  {}", waiting.size()));
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto& ticket = waiting[i];
    lines.push_back(fmt::format("  {:>7}  {}, {}{}", i + 1, who(ticket), shown_age_of(ticket, now),
                                ticket.mode == LockMode::exclusive || ticket.mode == LockMode::permit
                                    ? ""
                                    : fmt::format(", to {}", to_string(ticket.mode))));
  }
  const auto marks = marks_of(lock);
  if (!marks.empty()) lines.push_back(fmt::format("  marks    {}", fmt::join(marks, ", ")));
  if (width) {
    for (auto& line : lines) line = fit(line, *width);
  }
  return lines;
}

}  // namespace holdfast::cli
