#include "backend/zookeeper/ticket_text.h"

#include <gtest/gtest.h>

#include "holdfast/card.h"

namespace holdfast::zookeeper {
namespace {

Card card() {
  Card made;
  made.address = "10.0.0.7";
  made.host = "web1";
  made.pid = 812;
  made.program = "billing";
  made.purpose = "monthly run asked=1";
  return made;
}

TEST(TicketText, leaves_a_card_of_ours_readable_when_it_is_asked_back) {
  const auto text = card().to_text();
  EXPECT_FALSE(text_of(text).revoked) << "a purpose cannot ask";
  const auto asked = to_data({.card = text, .revoked = true});
  EXPECT_EQ(text_of(asked), (spi::TicketText{.card = text, .revoked = true}));
  EXPECT_EQ(Card::parse(asked).to_text(), text) << "for clients that know nothing of it";
  EXPECT_EQ(to_data(text_of(asked)), asked) << "twice is once";
}

TEST(TicketText, of_a_stranger_that_is_asked_back_is_what_curator_compares_with) {
  for (const auto* text : {"", "10.0.0.7", "\x01\xff", "10.0.0.7 asked=1"}) {
    EXPECT_EQ(text_of(text), (spi::TicketText{.card = text, .revoked = false})) << text;
    EXPECT_EQ(to_data({.card = text, .revoked = true}), "__REVOKE__") << text;
  }
  EXPECT_EQ(text_of("__REVOKE__"), (spi::TicketText{.card = "", .revoked = true}));
}

}  // namespace
}  // namespace holdfast::zookeeper
