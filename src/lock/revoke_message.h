// revoke_message.h -- the text that asks a holder to give its ticket back.
//
//   the ticket's text     becomes                   because
//   a card of ours        the card, and asked=1     who holds it stays to be seen
//   anything else         __REVOKE__                Curator's holders compare the whole text with it
//
// A holder of ours understands both, so Curator's Revoker can ask it, too.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::lock {

inline constexpr std::string_view kRevokeMessage = "__REVOKE__";

// What to write over `text`.
std::string asking(const std::string& text);
bool is_asked(std::string_view text);

}  // namespace holdfast::lock
