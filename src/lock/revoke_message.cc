#include "lock/revoke_message.h"

#include "holdfast/card.h"

namespace holdfast::lock {
namespace {

// A word of its own: what a card says is escaped and has no "=".
constexpr std::string_view kAsked = " asked=1";

bool is_card(std::string_view text) { return !Card::parse(text).host.empty(); }

}  // namespace

std::string asking(const std::string& text) {
  if (!is_card(text)) return std::string(kRevokeMessage);
  return is_asked(text) ? text : text + std::string(kAsked);
}

bool is_asked(std::string_view text) { return text == kRevokeMessage || (text.ends_with(kAsked) && is_card(text)); }

}  // namespace holdfast::lock
