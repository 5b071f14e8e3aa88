// ticket_text.h -- what a ticket says, as the data of its node.
//
//   the card            asked back: the data become     because
//   a card of ours      the card, and asked=1           who holds it stays to be seen
//   anything else       __REVOKE__                      Curator's holders compare all of the data with it
//
// A holder of ours understands both, so Curator's Revoker can ask it, too.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::zookeeper {

std::string to_data(const spi::TicketText& text);
spi::TicketText text_of(std::string_view data);

}  // namespace holdfast::zookeeper
