#include "backend/redis/answers.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::redis {

using resp::Value;
using spi::Reply;
using spi::Status;

const Value& item(const Value& value, std::size_t at) {
  static const Value none;
  return at < value.items.size() ? value.items[at] : none;
}

char letter(spi::Mode mode) {
  switch (mode) {
    case spi::Mode::exclusive: return 'x';
    case spi::Mode::write: return 'w';
    case spi::Mode::shared: return 's';
    case spi::Mode::permit: return 'p';
    case spi::Mode::none: break;
  }
  return '?';
}

spi::Ticket ticket_of(const std::string& id) {
  constexpr std::size_t kDigits = 10;
  constexpr std::size_t kMode = kDigits + 1 + 16 + 1;
  spi::Ticket ticket{.id = id, .mode = spi::Mode::none};
  const auto digits = id.substr(0, kDigits);
  if (id.size() <= kMode || digits.find_first_not_of("0123456789") != std::string::npos) return ticket;
  ticket.sequence = number<std::int64_t>(digits);
  switch (id[kMode]) {
    case 'x': ticket.mode = spi::Mode::exclusive; break;
    case 'w': ticket.mode = spi::Mode::write; break;
    case 's': ticket.mode = spi::Mode::shared; break;
    case 'p': ticket.mode = spi::Mode::permit; break;
    default: break;
  }
  return ticket;
}

spi::Listing listing(const Value& tickets, const Value& others) {
  spi::Listing all;
  all.reserve(tickets.items.size() + others.items.size());
  for (const auto& each : tickets.items) all.push_back(ticket_of(each.text));
  for (const auto& each : others.items) all.push_back({.id = each.text, .mode = spi::Mode::none});
  // What another program has put among the tickets is none, too.
  std::stable_partition(all.begin(), all.end(), [](const auto& each) { return each.mode != spi::Mode::none; });
  return all;
}

std::string spelled(const spi::TicketText& text) { return fmt::format("{} {}", text.revoked ? 1 : 0, text.card); }
spi::TicketText ticket_text(std::string_view spelled) {
  return {.card = std::string(spelled.substr(std::min<std::size_t>(2, spelled.size()))),
          .revoked = spelled.starts_with('1')};
}

Reply<spi::TicketText> text_reply(const Value& value) {
  return {Status::ok, {}, {.card = item(value, 3).text, .revoked = item(value, 2).text == "1"}};
}

Reply<std::int32_t> count_reply(const std::string& name, const std::string& text) {
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size()) return {Status::ok, {}, count};
  return {Status::denied, fmt::format("/{} holds {} bytes that are not a count", name, text.size()), {}};
}

Reply<spi::Nothing> nothing(const Value&) { return {}; }

}  // namespace holdfast::redis
