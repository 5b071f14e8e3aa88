// answers.h -- what scripts answer and publish, as the SPI has it.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/spi/queue_backend.h"
#include "resp/value.h"

namespace holdfast::redis {

// Of a list; a null if it is shorter.
const resp::Value& item(const resp::Value& value, std::size_t at);

// 0 if it is not a number.
template <class T>
T number(std::string_view text) {
  T value{};
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Of a mode, in the id of a ticket.
char letter(spi::Mode mode);
// "0000000007-1790000000000000-x-<uid>".
spi::Ticket ticket_of(const std::string& id);
// Tickets, and what else lies in the queue.
spi::Listing listing(const resp::Value& tickets, const resp::Value& others);

// As it is published and stored: "1 card".
std::string spelled(const spi::TicketText& text);
spi::TicketText ticket_text(std::string_view spelled);

spi::Reply<spi::TicketText> text_reply(const resp::Value& value);
// Of what is stored under that name; denied if that is not a count.
spi::Reply<std::int32_t> count_reply(const std::string& name, const std::string& text);
spi::Reply<spi::Nothing> nothing(const resp::Value& value);

}  // namespace holdfast::redis
