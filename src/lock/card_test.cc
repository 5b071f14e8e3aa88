#include "holdfast/card.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using std::chrono::milliseconds;
using std::chrono::system_clock;

Card example() {
  Card card;
  card.address = "10.0.0.7";
  card.host = "web1";
  card.pid = 812;
  card.thread = 815;
  card.program = "billing";
  card.purpose = "monthly run";
  card.since = system_clock::time_point(milliseconds(1'731'700'000'123));
  return card;
}

void expect_same(const Card& a, const Card& b) {
  EXPECT_EQ(a.address, b.address);
  EXPECT_EQ(a.host, b.host);
  EXPECT_EQ(a.pid, b.pid);
  EXPECT_EQ(a.thread, b.thread);
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.endless, b.endless);
  EXPECT_EQ(a.instance, b.instance);
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.purpose, b.purpose);
  EXPECT_EQ(a.since, b.since);
}

void expect_no_card_of_ours(const Card& card) {
  EXPECT_EQ(card.host, "");
  EXPECT_EQ(card.pid, 0);
  EXPECT_EQ(card.thread, 0);
  EXPECT_EQ(card.program, "");
  EXPECT_EQ(card.purpose, "");
  EXPECT_EQ(card.since, system_clock::time_point());
}

TEST(Card, is_written_as_the_header_shows) {
  EXPECT_EQ(example().to_text(),
            "10.0.0.7 host=web1 pid=812 thread=815 program=billing since=1731700000123 purpose=monthly%20run");
}

TEST(Card, says_who_can_end_the_hold_and_the_wait) {
  Card card = example();
  card.bound = true;
  card.endless = true;
  card.instance = "7f";
  EXPECT_NE(card.to_text().find(" thread=815 bound=1 endless=1 instance=7f "), std::string::npos);
  expect_same(Card::parse(card.to_text()), card);
}

TEST(Card, starts_with_the_address_so_that_other_tools_show_something_sensible) {
  EXPECT_TRUE(example().to_text().starts_with("10.0.0.7 "));
}

TEST(Card, comes_back_as_it_was_written) { expect_same(Card::parse(example().to_text()), example()); }

TEST(Card, comes_back_whatever_is_in_its_fields) {
  for (const auto& text :
       {" "s, "  a  b  "s, "="s, "a=b=c"s, "%"s, "%20"s, "%%%"s, "%2"s, "\n"s, "line\nline\r\n\ttab"s, "grün 注文 😀"s,
        "\0x\0"s, "\x7f\x80\xff"s, "host=x pid=7"s, ""s, std::string(10'000, '%')}) {
    Card card = example();
    card.host = text;
    card.program = text;
    card.purpose = text;
    expect_same(Card::parse(card.to_text()), card);
  }
}

TEST(Card, comes_back_with_every_field_empty) { expect_same(Card::parse(Card().to_text()), Card()); }

TEST(Card, comes_back_without_an_address) {
  Card card = example();
  card.address.clear();
  expect_same(Card::parse(card.to_text()), card);
}

TEST(Card, comes_back_with_an_address_of_ipv6) {
  Card card = example();
  card.address = "2001:db8::7";
  expect_same(Card::parse(card.to_text()), card);
}

TEST(Card, comes_back_with_an_address_that_names_its_interface) {
  Card card = example();
  card.address = "fe80::7%eth0";
  expect_same(Card::parse(card.to_text()), card);
}

TEST(Card, is_one_line_of_printable_ascii_whatever_is_in_it) {
  Card card = example();
  card.address = "10.0.0.7\n";
  card.host = "a\nb\x1b[31m";
  card.program = "ü\x7f";
  card.purpose = "\0\r"s;
  for (const unsigned char c : card.to_text()) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << static_cast<int>(c);
}

TEST(Card, of_nothing_is_empty) {
  const auto card = Card::parse("");
  EXPECT_EQ(card.address, "");
  expect_no_card_of_ours(card);
}

TEST(Card, of_curator_has_only_the_address) {
  const auto card = Card::parse("10.0.0.1");
  EXPECT_EQ(card.address, "10.0.0.1");
  expect_no_card_of_ours(card);
}

TEST(Card, of_zookeepers_recipe_has_nothing) {
  const auto card = Card::parse("\x12\x34"sv);
  EXPECT_EQ(card.address, "");
  expect_no_card_of_ours(card);
}

TEST(Card, of_a_lock_that_curator_asks_to_give_back_has_nothing_of_ours) {
  expect_no_card_of_ours(Card::parse("__REVOKE__"));
}

TEST(Card, of_garbage_has_a_short_printable_address_and_nothing_else) {
  std::string garbage;
  for (std::uint32_t i = 0, x = 1; i < 1'000'000; ++i) {
    x = x * 1'664'525 + 1'013'904'223;
    garbage += static_cast<char>(x >> 24);
  }
  for (const auto& text : {garbage, "A" + garbage, std::string(1'000'000, 'A'), std::string(1'000'000, ' '),
                           std::string(1'000'000, '='), std::string(1'000'000, '%')}) {
    const auto card = Card::parse(text);
    EXPECT_LE(card.address.size(), 64u);
    for (const unsigned char c : card.address) EXPECT_TRUE(c > 0x20 && c < 0x7f);
    expect_no_card_of_ours(card);
  }
}

TEST(Card, keeps_escapes_that_are_none_as_they_are) {
  EXPECT_EQ(Card::parse("x purpose=%").purpose, "%");
  EXPECT_EQ(Card::parse("x purpose=%2").purpose, "%2");
  EXPECT_EQ(Card::parse("x purpose=a%zz").purpose, "a%zz");
  EXPECT_EQ(Card::parse("x purpose=%2g").purpose, "%2g");
  EXPECT_EQ(Card::parse("x purpose=%-1").purpose, "%-1");
  EXPECT_EQ(Card::parse("x purpose=%20").purpose, " ");
}

TEST(Card, takes_numbers_that_are_none_for_zero) {
  EXPECT_EQ(Card::parse("x pid=").pid, 0);
  EXPECT_EQ(Card::parse("x pid=abc").pid, 0);
  EXPECT_EQ(Card::parse("x pid=99999999999999999999").pid, 0);
  EXPECT_EQ(Card::parse("x thread=0x10").thread, 0);
}

TEST(Card, ignores_fields_that_it_does_not_know) {
  const auto card = Card::parse("10.0.0.7 colour=red host=web1 =x y");
  EXPECT_EQ(card.address, "10.0.0.7");
  EXPECT_EQ(card.host, "web1");
}

TEST(Card, takes_a_time_before_the_epoch_for_none) {
  EXPECT_EQ(Card::parse("x since=-5").since, system_clock::time_point());
}

TEST(Card, of_somebody_else_has_a_printable_address_even_if_it_looks_escaped) {
  for (const auto* text : {"%1b[31m", "a%0ab", "%00", "%7f"}) {
    for (const unsigned char c : Card::parse(text).address) {
      EXPECT_TRUE(c > 0x20 && c < 0x7f) << text << ": byte " << static_cast<int>(c);
    }
  }
}

TEST(Card, does_not_overflow_with_a_time_that_no_clock_shows) {
  EXPECT_GE(Card::parse("x since=9223372036854775807").since, system_clock::time_point());
  EXPECT_EQ(Card::parse("x since=-9223372036854775808").since, system_clock::time_point());
}

TEST(Card, introduces_itself) {
  EXPECT_EQ(example().to_string(), "billing (pid 812) on web1: monthly run");
  Card card = example();
  card.purpose.clear();
  EXPECT_EQ(card.to_string(), "billing (pid 812) on web1");
  card.program.clear();
  EXPECT_EQ(card.to_string(), "a process (pid 812) on web1");
}

TEST(Card, of_somebody_else_introduces_itself_by_its_address) {
  EXPECT_EQ(Card::parse("10.0.0.1").to_string(), "10.0.0.1");
  EXPECT_EQ(Card::parse("").to_string(), "an unknown holder");
  EXPECT_EQ(Card::parse("\x12\x34"sv).to_string(), "an unknown holder");
}

// Every client that may make a ticket may write a card, and messages end in terminals.
TEST(Card, introduces_itself_without_control_characters) {
  const auto text = Card::parse("x host=%1b[31mweb1 program=a%0ab purpose=%00%07").to_string();
  for (const unsigned char c : text) EXPECT_TRUE(c >= 0x20 && c != 0x7f) << "byte " << static_cast<int>(c);
}

}  // namespace
}  // namespace holdfast
