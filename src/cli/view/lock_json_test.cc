#include "cli/view/lock_json.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

LockInfo busy() {
  LockInfo lock;
  lock.name = "orders/1";
  lock.path = "/app/orders/1";
  lock.next_sequence = 9;
  lock.tickets.resize(2);
  auto& holder = lock.tickets[0];
  holder.id = "_c_1-lock-0000000007";
  holder.holds = true;
  holder.recipe = "Holdfast";
  holder.token = 4'294'967'310;
  holder.session = -2;
  holder.since = Time(1731702400123ms);
  holder.card.host = "web1";
  holder.card.pid = 812;
  lock.tickets[1].recipe = "Curator";
  lock.tickets[1].session = 0x10;
  return lock;
}

TEST(LockJson, says_who_holds_and_who_waits) {
  const auto lock = lock_json(busy(), Time(1731702401623ms));
  EXPECT_EQ(lock["name"], "orders/1");
  EXPECT_EQ(lock["path"], "/app/orders/1");
  EXPECT_EQ(lock["kind"], "mutex");
  ASSERT_EQ(lock["holders"].size(), 1U);
  ASSERT_EQ(lock["waiting"].size(), 1U);
  const auto& holder = lock["holders"][0];
  EXPECT_EQ(holder["host"], "web1");
  EXPECT_EQ(holder["token"], "4294967310");
  EXPECT_EQ(holder["since"], "2024-11-15T20:26:40.123Z");
  EXPECT_EQ(holder["seconds"], 1.5);
  EXPECT_EQ(holder["session"], "0xfffffffffffffffe");
  EXPECT_EQ(lock["waiting"][0]["recipe"], "Curator");
}

// jq and JavaScript read numbers as doubles.
TEST(LockJson, has_tokens_that_no_reader_can_round) {
  auto lock = busy();
  lock.tickets[0].token = (std::uint64_t{1} << 53) + 1;
  EXPECT_NE(json_line(lock_json(lock, Time())).find(R"("token":"9007199254740993")"), std::string::npos);
}

TEST(LockJson, has_every_field_always_and_null_for_what_is_not_known) {
  const auto known = ticket_json(busy().tickets[0], Time());
  const auto unknown = ticket_json(TicketInfo{}, Time());
  ASSERT_EQ(known.size(), unknown.size());
  for (const auto& [key, value] : known.items()) EXPECT_TRUE(unknown.contains(key)) << key;
  for (const auto* key : {"host", "pid", "thread", "program", "purpose", "address", "session", "since", "seconds"}) {
    EXPECT_TRUE(unknown[key].is_null()) << key;
  }
  EXPECT_EQ(unknown["orphan"], true);
}

TEST(LockJson, is_one_line_of_ascii_whatever_others_wrote) {
  auto lock = busy();
  lock.name = "grün";
  lock.tickets[0].card.purpose = "\x1b[31m\nred \xc2\x9b \xff";
  const auto line = json_line(lock_json(lock, Time()));
  ASSERT_TRUE(line.ends_with("}\n"));
  for (const unsigned char c : line.substr(0, line.size() - 1)) ASSERT_TRUE(c >= 0x20 && c < 0x7f) << line;
  const auto read = Json::parse(line);
  EXPECT_EQ(read["name"], "grün");
  EXPECT_EQ(read["holders"][0]["purpose"], "\x1b[31m\nred \u009b \ufffd");
}

}  // namespace
}  // namespace holdfast::cli
