#include "cli/view/lock_history.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

const Time kNow(1731702400s);

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
  for (const auto& change : history.see(locks, kNow)) {
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
  const auto changes = history.see(locks, kNow);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].event, Event::asked);
  EXPECT_EQ(changes[0].ticket.card.program, "a");
  EXPECT_EQ(locks[0].tickets[0].card.program, "a");
  locks = {lock("m", {asked})};
  EXPECT_TRUE(history.see(locks, kNow).empty());
  EXPECT_EQ(locks[0].tickets[0].card.program, "a") << "also the second time";
}

// "event ticket second" of every change, where the look is at `at` and the signs are of tickets of m.
struct Heard {
  int second;
  bool came;
  std::string id;
};
Words timed(LockHistory& history, std::vector<LockInfo> locks, int at, const std::vector<Heard>& heard) {
  std::vector<NodeSign> signs;
  for (const auto& each : heard) signs.push_back({kNow + std::chrono::seconds(each.second), each.came, "m", each.id});
  Words words;
  for (const auto& change : history.see(locks, kNow + std::chrono::seconds(at), signs)) {
    auto text = std::string(to_string(change.event)) + " " + change.ticket.id.substr(0, 1) + " " +
                std::to_string(std::chrono::duration_cast<std::chrono::seconds>(change.at - kNow).count());
    if (change.held) text += " held " + std::to_string(change.held->count() / 1000);
    words.push_back(text);
  }
  return words;
}
const std::string kA = "a-lock-0000000001";
const std::string kB = "b-lock-0000000002";

TEST(LockHistory, a_hold_lasts_from_its_grant_not_from_its_place_in_line) {
  LockHistory history;
  timed(history, {}, 0, {});
  EXPECT_EQ(timed(history, {lock("m", {ticket(kA, true), ticket(kB, false)})}, 10, {{5, true, kA}, {7, true, kB}}),
            (Words{"granted a 5", "queued b 7"}));
  EXPECT_EQ(timed(history, {lock("m", {ticket(kB, true)})}, 20, {{18, false, kA}}),
            (Words{"released a 18 held 13", "granted b 18"}));
  EXPECT_EQ(timed(history, {}, 40, {{21, false, kB}}), Words{"released b 21 held 3"});
  EXPECT_EQ(timed(history, {}, 60, {}), Words{}) << "not told twice";
}

TEST(LockHistory, how_long_a_hold_lasted_that_was_there_before_is_not_claimed) {
  LockHistory history;
  timed(history, {lock("m", {ticket(kA, true)})}, 0, {});
  EXPECT_EQ(timed(history, {}, 10, {{9, false, kA}}), Words{"released a 9"});
}

TEST(LockHistory, what_came_and_went_between_two_looks_is_told) {
  LockHistory history;
  timed(history, {}, 0, {});
  EXPECT_EQ(timed(history, {}, 5, {{5, true, kA}, {5, false, kA}}), Words{}) << "a look may be behind";
  EXPECT_EQ(timed(history, {}, 8, {}), Words{"passed a 5"});
  EXPECT_EQ(timed(history, {}, 20, {}), Words{});
  EXPECT_EQ(timed(history, {}, 30,
                  {{25, true, "leases"}, {26, false, "leases"}, {25, true, "_held_x"}, {26, false, "_held_x"}}),
            Words{})
      << "no tickets";
}

TEST(LockHistory, what_is_told_after_it_was_seen_is_not_told_twice) {
  LockHistory history;
  timed(history, {}, 0, {});
  EXPECT_EQ(timed(history, {lock("m", {ticket(kA, true)})}, 1, {}), Words{"granted a 1"});
  EXPECT_EQ(timed(history, {}, 2, {}), Words{"released a 2 held 1"});
  EXPECT_EQ(timed(history, {}, 3, {{1, true, kA}, {2, false, kA}}), Words{});
  EXPECT_EQ(timed(history, {}, 30, {}), Words{});
}

TEST(LockHistory, who_leaves_the_line_with_its_permits_has_not_given_up) {
  LockHistory history;
  auto waiter = ticket(kA, false);
  waiter.token = 5;
  auto permit = ticket("p-lease-0000000001", true);
  permit.mode = LockMode::permit;
  permit.token = 6;
  auto before = lock("s", {waiter});
  auto after = lock("s", {permit});
  before.semaphore = after.semaphore = true;
  see(history, {});
  EXPECT_EQ(see(history, {before}), Words{"queued s " + kA});
  EXPECT_EQ(see(history, {after}), Words{"granted s p-lease-0000000001"});
}

TEST(LockHistory, a_change_is_a_line_or_a_document) {
  auto held = ticket("a", true);
  held.since = Time(1731702400s);
  held.token = 20;
  Change change{Event::released, "m\x1b", "/m", "mutex", held, Time(1731702470s)};
  EXPECT_EQ(change_line(change), "2024-11-15T20:27:50.000Z m\\x1b released by a (pid 8) on web1 after at most 1m10s");
  EXPECT_TRUE(change_json(change)["held_seconds"].is_null());
  change.held = 12s;
  EXPECT_EQ(change_line(change), "2024-11-15T20:27:50.000Z m\\x1b released by a (pid 8) on web1 after 12s");
  const auto document = change_json(change);
  EXPECT_EQ(document["held_seconds"], 12.0);
  EXPECT_EQ(document["event"], "released");
  EXPECT_EQ(document["time"], "2024-11-15T20:27:50.000Z");
  EXPECT_EQ(document["ticket"]["token"], "20");
  EXPECT_EQ(document["ticket"]["seconds"], 70.0);
}

}  // namespace
}  // namespace holdfast::cli
