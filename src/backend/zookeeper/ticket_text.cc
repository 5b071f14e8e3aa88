#include "backend/zookeeper/ticket_text.h"

#include "holdfast/card.h"

namespace holdfast::zookeeper {
namespace {

constexpr std::string_view kRevokeMessage = "__REVOKE__";
// A word of its own: what a card says is escaped and has no "=".
constexpr std::string_view kAsked = " asked=1";

bool is_card(std::string_view text) { return !Card::parse(text).host.empty(); }

}  // namespace

std::string to_data(const spi::TicketText& text) {
  if (!text.revoked) return text.card;
  return is_card(text.card) ? text.card + std::string(kAsked) : std::string(kRevokeMessage);
}

spi::TicketText text_of(std::string_view data) {
  if (data == kRevokeMessage) return {.card = {}, .revoked = true};
  if (data.ends_with(kAsked) && is_card(data)) {
    data.remove_suffix(kAsked.size());
    return {.card = std::string(data), .revoked = true};
  }
  return {.card = std::string(data), .revoked = false};
}

}  // namespace holdfast::zookeeper
