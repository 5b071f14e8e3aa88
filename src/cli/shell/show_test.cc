#include "cli/shell/show.h"

#include <gtest/gtest.h>

#include "cli/shell/acl_text.h"
#include "cli/shell/trouble.h"

namespace holdfast::cli::shell {
namespace {

TEST(ShellShows, text_as_it_is_and_nothing_as_null) {
  EXPECT_EQ(show_data("one\n\ttwo é 日本"), "one\n\ttwo é 日本");
  EXPECT_EQ(show_data(""), "");
  EXPECT_EQ(show_data(std::nullopt), "null");
}

TEST(ShellShows, no_escape_sequence_of_somebody_else) {
  EXPECT_EQ(show_data("\x1b[2J\x7f\r"), "\\x1b[2J\\x7f\\x0d");
  EXPECT_EQ(show_data("\xc2\x9b[2J"), "\\xc2\\x9b[2J") << "a control character of one byte in Latin-1";
  EXPECT_EQ(show_data("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the text around";
  EXPECT_EQ(show_data("\u200ba\u2028b"), "\\xe2\\x80\\x8ba\\xe2\\x80\\xa8b") << "a reader would not see them";
  EXPECT_EQ(show_names({"b\u200f"}), "[b\\xe2\\x80\\x8f]");
  EXPECT_EQ(show_names({"b", "a\x1b[2J"}), "[a\\x1b[2J, b]");
  EXPECT_EQ(show_event(wire::EventType::node_deleted, "/a\n"), "WATCHER:: NodeDeleted /a\\x0a");
}

TEST(ShellShows, bytes_that_are_no_text_as_hex_with_their_number) {
  EXPECT_EQ(show_data(std::string("\x00\xff", 2)), "0x00ff (2 bytes)");
  EXPECT_EQ(show_data("\xff"), "0xff (1 byte)");
  const auto shown = show_data(std::string(100'000, '\xff'));
  EXPECT_LT(shown.size(), 3'000u);
  EXPECT_TRUE(shown.ends_with("ff... (100000 bytes)")) << shown;
}

TEST(ShellShows, times_in_utc) {
  EXPECT_EQ(show_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(show_time(1'767'225'599'123), "2025-12-31T23:59:59.123Z");
  EXPECT_EQ(show_time(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(show_time(INT64_MAX), "9223372036854775807 ms");
  EXPECT_EQ(show_time(INT64_MIN), "-9223372036854775808 ms");
}

TEST(ShellShows, a_stat_in_the_order_of_zkcli) {
  EXPECT_EQ(show_stat({.czxid = 255,
                       .mzxid = 256,
                       .version = 2,
                       .cversion = 1,
                       .aversion = 3,
                       .ephemeral_owner = -1,
                       .data_length = 4,
                       .num_children = 5,
                       .pzxid = 6}),
            "cZxid = 0xff\nctime = 1970-01-01T00:00:00.000Z\nmZxid = 0x100\nmtime = 1970-01-01T00:00:00.000Z\n"
            "pZxid = 0x6\ncversion = 1\ndataVersion = 2\naclVersion = 3\nephemeralOwner = 0xffffffffffffffff\n"
            "dataLength = 4\nnumChildren = 5");
}

TEST(ShellAcls, are_shown_as_they_are_typed) {
  for (const std::string text :
       {"world:anyone:cdrwa", "digest:ann:a:b=:r", "ip:127.0.0.1:rw", "auth::ca", "ip:::1:r"}) {
    const auto acls = parse_acls(text);
    ASSERT_TRUE(acls) << acls.error();
    ASSERT_EQ(acls->size(), 1u);
    EXPECT_EQ(show_acl(acls->front()), text);
  }
  EXPECT_EQ(parse_acls("world:anyone:r,auth::cdrwa")->size(), 2u);
}

TEST(ShellAcls, that_make_no_sense_are_refused) {
  for (const std::string text : {"", "world", "world:anyone", "world:anyone:", "world:anyone:x", "world:anyone:r,"}) {
    EXPECT_FALSE(parse_acls(text)) << text;
  }
}

TEST(ShellTrouble, does_not_say_that_a_change_without_an_answer_failed) {
  const Failure lost{.kind = Failure::Kind::unanswered};
  EXPECT_NE(trouble_of(lost, "/a", true).text.find("look whether it was done: /a"), std::string::npos);
  EXPECT_EQ(trouble_of(lost, "/a", false).exit_code, 69);
  EXPECT_EQ(trouble_of({.code = wire::Code::no_node}, "/a\x1b", false).text, "Node does not exist: /a\\x1b");
}

}  // namespace
}  // namespace holdfast::cli::shell
