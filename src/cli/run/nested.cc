#include "cli/run/nested.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/view/describe.h"

namespace holdfast::cli {

std::string nested_sentence(const std::vector<LockInfo>& locks, const RunOptions& options, const TicketOwner& us,
                            const std::vector<pid_t>& ancestors) {
  const auto is_above = [&](const TicketInfo& ticket) {
    return ticket.holds && ticket.card.host == us.host &&
           std::find(ancestors.begin(), ancestors.end(), ticket.card.pid) != ancestors.end();
  };
  for (const auto& lock : locks) {
    std::vector<TicketInfo> above;
    std::copy_if(lock.tickets.begin(), lock.tickets.end(), std::back_inserter(above), is_above);
    if (options.permits) {
      // A mutex of that name is another lock.
      std::erase_if(above, [](const TicketInfo& ticket) { return ticket.mode != LockMode::permit; });
      if (options.permits->wanted + static_cast<std::int64_t>(above.size()) <= options.permits->of) above.clear();
    } else {
      const auto wanted = options.shared ? LockMode::read : LockMode::exclusive;
      std::erase_if(above, [&](const TicketInfo& ticket) { return !excludes(ticket.mode, wanted); });
    }
    if (above.empty()) continue;
    return fmt::format(
        "{} is held by {}, under which this command runs; if that waits for this command to end, both wait for ever",
        shown(lock.name), who(above.front()));
  }
  return {};
}

}  // namespace holdfast::cli
