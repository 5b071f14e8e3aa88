#include "cli/lock_history.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

TicketInfo ticket(const std::string& id, bool holds) {
  TicketInfo made;
  made.id = id;
  made.holds = holds;
  made.recipe = "Holdfast";
  made.session = 1;
  made.card.host = "web1";
  made.card.pid = 8;
  made.card.program = id;
  return made;
}

LockInfo lock(const std::string& name, std::vector<TicketInfo> tickets) {
  LockInfo made;
  made.name = name;
  made.path = "/" + name;
  made.tickets = std::move(tickets);
  return made;
}

// "event name ticket" of every change.
Words see(LockHistory& history, std::vector<LockInfo> locks) {
  Words words;
  for (const auto& change : history.see(locks)) {
    words.push_back(std::string(to_string(change.event)) + " " + change.name + " " + change.ticket.id);
  }
  return words;
}

TEST(LockHistory, begins_with_what_is_there) {
  LockHistory history;
  EXPECT_EQ(see(history, {lock("m", {ticket("a", true), ticket("b", false)})}), (Words{"holds m a", "waits m b"}));
  EXPECT_EQ(see(history, {lock("m", {ticket("a", true), ticket("b", false)})}), Words{});
}

TEST(LockHistory, tells_who_comes_and_who_goes) {
  LockHistory history;
  EXPECT_EQ(see(history, {}), Words{});
  EXPECT_EQ(see(history, {lock("m", {ticket("a", true)})}), Words{"granted m a"});
  EXPECT_EQ(see(history, {lock("m", {ticket("a", true), ticket("b", false), ticket("c", false)})}),
            (Words{"queued m b", "queued m c"}));
  EXPECT_EQ(see(history, {lock("m", {ticket("b", true)})}), (Words{"released m a", "left m c", "granted m b"}));
  EXPECT_EQ(see(history, {}), Words{"released m b"});
}

TEST(LockHistory, keeps_names_apart) {
  LockHistory history;
  see(history, {lock("m", {ticket("a", true)}), lock("n", {ticket("a", true)})});
  EXPECT_EQ(see(history, {lock("m", {ticket("a", true)}), lock("o", {ticket("a", true)})}),
            (Words{"released n a", "granted o a"}));
}

TEST(LockHistory, remembers_the_card_of_who_was_asked) {
  LockHistory history;
  see(history, {lock("m", {ticket("a", true)})});
  auto asked = ticket("a", true);
  asked.revoked = true;
  asked.card = {};
  std::vector<LockInfo> locks{lock("m", {asked})};
  const auto changes = history.see(locks);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].event, Event::asked);
  EXPECT_EQ(changes[0].ticket.card.program, "a");
  EXPECT_EQ(locks[0].tickets[0].card.program, "a");
  locks = {lock("m", {asked})};
  EXPECT_TRUE(history.see(locks).empty());
  EXPECT_EQ(locks[0].tickets[0].card.program, "a") << "also the second time";
}

TEST(LockHistory, a_change_is_a_line_or_a_document) {
  auto held = ticket("a", true);
  held.since = Time(1731702400s);
  held.token = 20;
  const Change change{Event::released, "m\x1b", "/m", "mutex", held};
  const Time now(1731702470s);
  EXPECT_EQ(change_line(change, now), "2024-11-15T20:27:50.000Z m\\x1b released by a (pid 8) on web1 after 1m10s");
  const auto document = change_json(change, now);
  EXPECT_EQ(document["event"], "released");
  EXPECT_EQ(document["time"], "2024-11-15T20:27:50.000Z");
  EXPECT_EQ(document["ticket"]["token"], 20);
  EXPECT_EQ(document["ticket"]["seconds"], 70.0);
}

}  // namespace
}  // namespace holdfast::cli
