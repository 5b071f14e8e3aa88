#include "normalise.h"

#include <gtest/gtest.h>

namespace holdfast::testing {
namespace {

constexpr const char* kAddress = "127.0.0.1:4711";

std::string normal(std::string_view transcript) { return normalise(transcript, kAddress); }

TEST(Normalise, leaves_every_word_that_it_has_no_rule_for) {
  EXPECT_EQ(normal("Created /t\n[a, b]\ncversion = 2\nnumChildren = 1\n"),
            "Created /t\n[a, b]\ncversion = 2\nnumChildren = 1\n");
  EXPECT_NE(normal("Created /t\n"), normal("Created /u\n"));
  EXPECT_NE(normal("cversion = 2\n"), normal("cversion = 3\n"));
  EXPECT_NE(normal("one\ntwo\n"), normal("two\none\n"));
  EXPECT_NE(normal("one\ntwo\n"), normal("one\n"));
}

TEST(Normalise, sees_the_order_of_zxids_and_not_how_many_lie_between) {
  EXPECT_EQ(normal("cZxid = 0x2\nmZxid = 0x5\npZxid = 0x2\n"), normal("cZxid = 0x9\nmZxid = 0x10\npZxid = 0x9\n"));
  EXPECT_NE(normal("cZxid = 0x2\nmZxid = 0x5\n"), normal("cZxid = 0x5\nmZxid = 0x2\n"));
  EXPECT_NE(normal("cZxid = 0x2\nmZxid = 0x5\n"), normal("cZxid = 0x2\nmZxid = 0x2\n"));
  EXPECT_NE(normal("cZxid = 0x0\n"), normal("cZxid = 0x1\n"));
  EXPECT_EQ(normal("\tczxid=a\n\tmzxid=1b\n"), "\tczxid=#1\n\tmzxid=#2\n");
}

TEST(Normalise, tells_sessions_apart_and_from_what_is_none) {
  EXPECT_EQ(normal("session id: 0x100\nephemeralOwner = 0x100\n"), normal("session id: 0x7f\nephemeralOwner = 0x7f\n"));
  EXPECT_NE(normal("session id: 0x100\nephemeralOwner = 0x100\n"), normal("session id: 0x7f\nephemeralOwner = 0x70\n"));
  EXPECT_NE(normal("ephemeralOwner = 0x100\n"), normal("ephemeralOwner = 0x0\n"));
  EXPECT_EQ(normal("ephemeralOwner = 0xff000000000003e8\n"), "ephemeralOwner = 0xff000000000003e8\n");
  EXPECT_EQ(normal("ephemeralOwner = 0x8000000000000000\n"), "ephemeralOwner = 0x8000000000000000\n");
}

TEST(Normalise, hides_times_but_for_the_beginning_of_time) {
  EXPECT_EQ(normal("ctime = Mon Nov 16 03:21:15 UTC 2026\n"), "ctime = TIME\n");
  EXPECT_EQ(normal("\tmtime=Mon Nov 16 03:21:15 2026\n"), "\tmtime=TIME\n");
  EXPECT_EQ(normal("ctime = Thu Jan 01 00:00:00 UTC 1970\n"), "ctime = Thu Jan 01 00:00:00 UTC 1970\n");
  EXPECT_EQ(normal("time = 17 msec\n"), "time = T msec\n");
}

TEST(Normalise, hides_the_address_of_the_server_and_no_other) {
  EXPECT_EQ(normal("Connecting to 127.0.0.1:4711\n"), "Connecting to SERVER\n");
  EXPECT_EQ(normal("Connecting to 127.0.0.1:4712\n"), "Connecting to 127.0.0.1:4712\n");
}

TEST(Normalise, puts_events_of_zkcli_last_and_keeps_their_order) {
  EXPECT_EQ(normal("\nWATCHER::\nCreated /t\n\nWatchedEvent b\nx\nWatchedEvent a\nWatchedEvent state:Closed x\n"),
            "Created /t\nx\nWatchedEvent b\nWatchedEvent a\n");
}

TEST(Normalise, sorts_what_stands_in_brackets_and_only_if_that_is_the_whole_line) {
  EXPECT_EQ(normal("[/b, /c, /a]\n[]\n[one]\n"), "[/a, /b, /c]\n[]\n[one]\n");
  EXPECT_NE(normal("[a, b]\n"), normal("[a, c]\n"));
  EXPECT_EQ(normal("multi: [b, a]\n"), "multi: [b, a]\n");
}

TEST(Normalise, sorts_the_identities_below_their_heading_and_no_further) {
  EXPECT_EQ(normal("b: 1\na: 2\nAuth scheme: User\nip: 127.0.0.1\ndigest: ann\nCreated /t\nb: 1\na: 2\n"),
            "b: 1\na: 2\nAuth scheme: User\ndigest: ann\nip: 127.0.0.1\nCreated /t\nb: 1\na: 2\n");
}

TEST(Normalise, sorts_the_children_of_one_list_and_not_across_two) {
  EXPECT_EQ(normal("/c: rc = 0\n\tb\n\ta\n\tczxid=1\n\td\n\tc\n"), "/c: rc = 0\n\ta\n\tb\n\tczxid=#1\n\tc\n\td\n");
}

}  // namespace
}  // namespace holdfast::testing
