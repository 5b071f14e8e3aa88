#include "lock/revoke_message.h"

#include <gtest/gtest.h>

#include "holdfast/card.h"

namespace holdfast::lock {
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

TEST(RevokeMessage, leaves_a_card_of_ours_readable) {
  const auto text = card().to_text();
  EXPECT_FALSE(is_asked(text)) << "a purpose cannot ask";
  const auto asked = asking(text);
  EXPECT_TRUE(is_asked(asked));
  EXPECT_EQ(Card::parse(asked).to_text(), text);
  EXPECT_EQ(asking(asked), asked) << "twice is once";
}

TEST(RevokeMessage, of_a_stranger_is_what_curator_compares_with) {
  for (const auto* text : {"", "10.0.0.7", "\x01\xff", "10.0.0.7 asked=1", "__REVOKE__"}) {
    EXPECT_EQ(asking(text), "__REVOKE__") << text;
    EXPECT_EQ(is_asked(text), std::string_view(text) == "__REVOKE__") << text;
  }
}

}  // namespace
}  // namespace holdfast::lock
