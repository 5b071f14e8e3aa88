#include "base/name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::base {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// The sentence with which `name` is refused; empty, and a failure, if it is not.
std::string refusal_of(std::string_view name) {
  const auto parsed = parse_name(name);
  EXPECT_FALSE(parsed.has_value()) << "accepted as \"" << *parsed << "\"";
  return parsed ? "" : parsed.error();
}

void expect_refused(std::string_view name, std::string_view because) {
  const auto sentence = refusal_of(name);
  EXPECT_NE(sentence.find(because), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("a name is a path such as orders/123"), std::string::npos) << sentence;
}

// What a terminal would obey: C0, DEL, and C1 in UTF-8 (U+009B begins an escape sequence as ESC [ does) or as a lone byte.
bool has_raw_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte < 0x80) continue;
    const std::size_t more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    if (more == 0) {
      if (byte <= 0x9f) return true;  // alone
      continue;
    }
    if (more == 1 && byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) <= 0x9f) {
      return true;
    }
    i += more;
  }
  return false;
}

TEST(Name, is_taken_as_it_is) {
  EXPECT_EQ(*parse_name("orders"), "orders");
  EXPECT_EQ(*parse_name("orders/123"), "orders/123");
  EXPECT_EQ(*parse_name("a b/c.d/..e/f../..."), "a b/c.d/..e/f../...");
}

TEST(Name, loses_one_leading_slash) {
  EXPECT_EQ(*parse_name("/orders/123"), "orders/123");
  EXPECT_EQ(*parse_name("/a"), "a");
}

TEST(Name, may_be_in_any_language) {
  for (const auto name : {"Bestellungen/größe"sv, "注文/一二三"sv, "заказы"sv, "😀/🔒"sv}) {
    const auto parsed = parse_name(name);
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_EQ(*parsed, name);
  }
}

TEST(Name, may_have_characters_at_the_edges_of_what_is_allowed) {
  for (const auto& name : {" "s, "~"s, "\u00a0"s, "\ud7ff"s, "\uf900"s, "\uffef"s, "\U00010000"s, "\U0010ffff"s}) {
    EXPECT_TRUE(parse_name(name).has_value()) << parse_name(name).error();
  }
}

TEST(Name, is_refused_when_empty) {
  expect_refused("", "it is empty");
  expect_refused("/", "it is empty");
}

TEST(Name, is_refused_with_an_empty_part) {
  expect_refused("a//b", "empty part");
  expect_refused("//a", "empty part");
}

TEST(Name, is_refused_with_a_trailing_slash) {
  expect_refused("a/", "ends with a slash");
  expect_refused("/a/b/", "ends with a slash");
  expect_refused("//", "ends with a slash");
}

TEST(Name, is_refused_with_a_dot_or_two_as_a_part) {
  for (const auto name : {".", "/.", "a/.", "./a", "a/./b"}) expect_refused(name, R"(it has the part ".")");
  for (const auto name : {"..", "/..", "a/..", "../a", "a/../b"}) expect_refused(name, R"(it has the part "..")");
}

TEST(Name, is_refused_with_any_control_character) {
  for (unsigned code = 0; code < 0x20; ++code) {
    expect_refused("a" + std::string(1, static_cast<char>(code)) + "b", "a control character");
  }
  expect_refused("a\x7f", "a control character");
  for (unsigned low = 0x80; low <= 0x9f; ++low) {  // C1: U+0080 to U+009F
    expect_refused("a\xc2" + std::string(1, static_cast<char>(low)), "a control character");
  }
}

TEST(Name, is_refused_with_a_nul_wherever_it_stands) {
  for (const auto name : {"\0"sv, "\0a"sv, "a\0"sv, "a/\0/b"sv, "a\0b"sv}) expect_refused(name, "a control character");
}

TEST(Name, is_refused_when_it_is_not_utf8) {
  for (const auto name : {
           "\x80"sv,                    // a continuation byte alone
           "a\xff"sv, "a\xfe"sv,        // never in UTF-8
           "\xc3"sv, "\xe2\x82"sv,      // cut off
           "\xf0\x9f\x98"sv,            // cut off
           "\xc3("sv, "\xe2(\xa1"sv,    // another byte where a continuation belongs
           "\xc0\xaf"sv, "\xc1\xbf"sv,  // "/" and DEL in more bytes than needed
           "\xe0\x80\xaf"sv,            // likewise
           "\xf0\x80\x80\xaf"sv,        // likewise
           "\xf5\x80\x80\x80"sv,        // past U+10FFFF
           "gr\xf6\xdf"
           "e"sv,  // Latin-1
       }) {
    expect_refused(name, "bytes that are not UTF-8");
  }
}

TEST(Name, is_refused_past_the_last_code_point) {
  EXPECT_FALSE(parse_name("\xf4\x90\x80\x80").has_value()) << "U+110000 is no character";
}

TEST(Name, is_refused_with_surrogates) {
  for (const auto name : {"\xed\xa0\x80"sv, "\xed\xaf\xbf"sv, "\xed\xb0\x80"sv, "\xed\xbf\xbf"sv}) {
    EXPECT_FALSE(parse_name(name).has_value());
  }
}

// PathUtils.validatePath: U+D800-F8FF and U+FFF0-FFFF.
TEST(Name, is_refused_with_characters_that_zookeeper_refuses) {
  for (const auto& name : {"\ue000"s, "\uf000"s, "\uf8ff"s, "\ufff0"s, "\ufffd"s, "\uffff"s}) {
    expect_refused("a/" + name, "ZooKeeper does not allow");
  }
}

TEST(Name, is_refused_when_too_long) {
  EXPECT_TRUE(parse_name(std::string(kMaxNameLength, 'a')).has_value());
  expect_refused(std::string(kMaxNameLength + 1, 'a'), "at most 512 are allowed");
  expect_refused(std::string(1 << 20, 'a'), "1048576 bytes");
}

TEST(Name, is_refused_when_too_deep) {
  std::string name = "a";
  for (std::size_t i = 1; i < kMaxNameDepth; ++i) name += "/a";
  EXPECT_TRUE(parse_name(name).has_value());
  expect_refused(name + "/a", "more than 32 parts");
}

TEST(Name, is_refused_where_zookeeper_keeps_its_own) {
  for (const auto name : {"zookeeper", "/zookeeper", "zookeeper/quota", "/zookeeper/config"}) {
    expect_refused(name, "ZooKeeper keeps /zookeeper for itself");
  }
  EXPECT_TRUE(parse_name("zookeepers").has_value());
  EXPECT_TRUE(parse_name("a/zookeeper").has_value());
}

// A child of foo that is spelled as one of its tickets would be waited for by everything that locks foo.
TEST(Name, is_refused_if_a_part_is_spelled_as_a_ticket) {
  for (const auto name : {"foo/lock-0000000000", "lock-0000000000", "foo/lock-0000000000/bar", "foo/lease-0000000001",
                          "foo/my-lock-2147483647", "foo/__READ__0000000001", "foo/a__WRIT__-000000001",
                          "foo/x__lock__0000000001", "foo/__rlock__-2147483648", "foo/x-1-0000000001"}) {
    expect_refused(name, "is spelled as a ticket");
  }
  for (const auto name : {"foo/lock-1", "lock-12", "foo/door-lock-123456789", "lease-2024", "foo/invoice-0000000001",
                          "x-1", "foo/x-12", "foo/lock-0000000000x", "foo/lock0000000000"}) {
    EXPECT_TRUE(parse_name(name).has_value()) << name;
  }
}

TEST(Name, is_quoted_in_the_refusal) {
  EXPECT_NE(refusal_of("orders//7").find(R"("orders//7" is not a name)"), std::string::npos);
}

TEST(Name, is_quoted_only_in_part_when_long) { EXPECT_LT(refusal_of(std::string(100'000, 'a')).size(), 300u); }

TEST(Name, does_not_smuggle_control_characters_into_the_refusal) {
  for (unsigned code = 0; code < 0x20; ++code) {
    EXPECT_FALSE(has_raw_control_character(refusal_of("a" + std::string(1, static_cast<char>(code))))) << code;
  }
  EXPECT_FALSE(has_raw_control_character(refusal_of("a\x7f")));
}

TEST(Name, does_not_smuggle_c1_control_characters_into_the_refusal) {
  EXPECT_FALSE(has_raw_control_character(refusal_of("a\u009b31m"))) << "U+009B is ESC [ in one character";
  EXPECT_FALSE(has_raw_control_character(refusal_of("a\u0085")));
}

TEST(Name, does_not_smuggle_bytes_that_are_not_utf8_into_the_refusal) {
  EXPECT_FALSE(
      has_raw_control_character(refusal_of("a\x9b"
                                           "31m")));
  const auto sentence = refusal_of("a\xff");
  EXPECT_EQ(sentence.find('\xff'), std::string::npos) << "not fit for a log that is UTF-8";
}

TEST(Name, is_not_cut_within_a_character_in_the_refusal) {
  std::string name = "a";
  while (name.size() < 200) name += "é";
  const auto sentence = refusal_of(name + "//");
  EXPECT_EQ(sentence.find("\xc3..."), std::string::npos) << sentence;
}

}  // namespace
}  // namespace holdfast::base
