#include "cli/view/lock_json.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json number_or_null(std::int64_t number) { return number == 0 ? Json() : Json(number); }

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

}  // namespace

Json ticket_json(const TicketInfo& ticket, Time now) {
  const auto& card = ticket.card;
  return {
      {"host", text_or_null(card.host)},
      {"pid", number_or_null(card.pid)},
      {"thread", number_or_null(card.thread)},
      {"program", text_or_null(card.program)},
      {"purpose", text_or_null(card.purpose)},
      {"trace", text_or_null(card.trace)},
      {"address", text_or_null(card.address)},
      {"mode", to_string(ticket.mode)},
      // As text, as is the session: beyond 2^53 a double, which is what many readers have, is another number.
      {"token", std::to_string(ticket.token)},
      {"since", ticket.since == Time{} ? Json() : Json(shown_time(ticket.since))},
      {"seconds", ticket.since == Time{} ? Json() : Json(seconds(age_of(ticket, now)))},
      {"session",
       ticket.session == 0 ? Json() : Json(fmt::format("{:#x}", static_cast<std::uint64_t>(ticket.session)))},
      {"recipe", ticket.recipe},
      {"id", ticket.id},
      {"asked", ticket.revoked},
      {"kept", ticket.kept},
      {"readable", ticket.readable},
      {"orphan", ticket.readable && ticket.session == 0},
  };
}

Json lock_json(const LockInfo& lock, Time now) {
  auto holders = Json::array();
  for (const auto& ticket : holders_of(lock)) holders.push_back(ticket_json(ticket, now));
  auto waiting = Json::array();
  for (const auto& ticket : waiting_of(lock)) waiting.push_back(ticket_json(ticket, now));
  return {
      {"name", lock.name},
      {"path", lock.path},
      {"kind", kind_of(lock)},
      {"holders", std::move(holders)},
      {"waiting", std::move(waiting)},
      {"orphans", lock.orphans},
      {"mixed_recipes", lock.mixed_recipes},
      {"near_overflow", lock.near_overflow},
      {"next_sequence", lock.next_sequence},
  };
}

std::string json_line(const Json& document) {
  return document.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace holdfast::cli
