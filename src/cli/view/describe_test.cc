#include "cli/view/describe.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

TicketInfo ours() {
  TicketInfo ticket;
  ticket.holds = true;
  ticket.recipe = "Holdfast";
  ticket.session = 7;
  ticket.card.host = "web1";
  ticket.card.pid = 812;
  ticket.card.program = "billing";
  ticket.card.purpose = "monthly run";
  return ticket;
}

TEST(Describe, says_times_in_utc) {
  EXPECT_EQ(shown_time(Time(1731702400123ms)), "2024-11-15T20:26:40.123Z");
  EXPECT_EQ(shown_time(Time(0ms)), "1970-01-01T00:00:00.000Z");
}

TEST(Describe, says_something_about_times_that_make_no_sense) {
  EXPECT_EQ(shown_time(Time(-5s)), "1970-01-01T00:00:00.000Z");
  EXPECT_TRUE(shown_time(Time::max()).ends_with("Z"));
  EXPECT_TRUE(shown_time(Time::min()).starts_with("1970"));
}

TEST(Describe, says_ages_in_two_units_at_most) {
  EXPECT_EQ(shown_age(-3s), "0ms");
  EXPECT_EQ(shown_age(850ms), "850ms");
  EXPECT_EQ(shown_age(12'900ms), "12s");
  EXPECT_EQ(shown_age(250s), "4m10s");
  EXPECT_EQ(shown_age(2h + 5min + 3s), "2h05m");
  EXPECT_EQ(shown_age(76h), "3d04h");
}

TEST(Describe, an_age_is_never_negative) {
  auto ticket = ours();
  ticket.since = Time(10s);
  EXPECT_EQ(age_of(ticket, Time(12s)), 2s);
  EXPECT_EQ(age_of(ticket, Time(8s)), 0s) << "the service's clock is ahead of ours";
}

TEST(Describe, names_who_by_the_card) {
  EXPECT_EQ(who(ours()), "billing (pid 812) on web1: monthly run");
  auto bare = ours();
  bare.card.purpose.clear();
  bare.card.program.clear();
  EXPECT_EQ(who(bare), "a process (pid 812) on web1");
  bare.revoked = true;
  EXPECT_EQ(who(bare), "a process (pid 812) on web1 (asked to give it back)");
}

TEST(Describe, names_strangers_by_what_is_known) {
  TicketInfo ticket;
  ticket.recipe = "Curator";
  EXPECT_EQ(who(ticket), "a client (Curator)");
  ticket.card.address = "10.0.0.7";
  EXPECT_EQ(who(ticket), "10.0.0.7 (Curator)");
  ticket.card = {};
  ticket.revoked = true;
  EXPECT_EQ(who(ticket), "a client that was asked to give it back");
  ticket.readable = false;
  EXPECT_EQ(who(ticket), "a client whose card may not be read");
}

TEST(Describe, lets_no_control_character_through) {
  auto ticket = ours();
  ticket.card.purpose =
      "\x1b]0;owned\x07 \xc2\x9b"
      "31m \xff";
  ticket.card.purpose += "\u202e \u2066";
  ticket.card.host = "web\n1\u200f";
  ticket.card.program = "\x1b[2J";
  for (const unsigned char c : who(ticket)) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << who(ticket);
}

TEST(Describe, cuts_what_is_no_purpose_any_more) {
  auto ticket = ours();
  ticket.card.purpose = std::string(1'000'000, 'x');
  EXPECT_LT(who(ticket).size(), 1'100U);
}

TEST(Describe, names_the_first_of_several_and_counts_the_others) {
  EXPECT_EQ(who(std::vector<TicketInfo>{}), "-");
  EXPECT_EQ(who(std::vector{ours(), ours(), ours()}), "billing (pid 812) on web1: monthly run and 2 more");
}

TEST(Describe, tells_kinds_apart_by_their_tickets) {
  LockInfo lock;
  EXPECT_EQ(kind_of(lock), "mutex");
  lock.tickets = {ours()};
  EXPECT_EQ(kind_of(lock), "mutex");
  lock.tickets[0].mode = LockMode::read;
  EXPECT_EQ(kind_of(lock), "read_write");
  lock.semaphore = true;
  EXPECT_EQ(kind_of(lock), "semaphore");
}

TEST(Describe, marks_what_is_not_as_it_should_be) {
  LockInfo lock;
  lock.tickets = {ours()};
  EXPECT_EQ(marks_of(lock), Words{});
  lock.orphans = 2;
  lock.mixed_recipes = lock.near_overflow = true;
  lock.tickets[0].readable = false;
  lock.tickets[0].revoked = true;
  EXPECT_EQ(marks_of(lock), (Words{"mixed recipes", "near overflow", "2 orphans", "unreadable", "asked"}));
}

TEST(Describe, parts_those_who_hold_from_those_who_wait) {
  LockInfo lock;
  lock.tickets = {ours(), ours(), ours()};
  lock.tickets[2].holds = false;
  EXPECT_EQ(holders_of(lock).size(), 2U);
  EXPECT_EQ(waiting_of(lock).size(), 1U);
}

}  // namespace
}  // namespace holdfast::cli
