#include "cli/run/waiting_sentence.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

const auto kNow = std::chrono::system_clock::time_point(1'700'000'000s);
const TicketOwner kUs{"here", 42};

TicketInfo ticket(const std::string& host, std::int64_t pid, bool holds, std::chrono::seconds age = 12s) {
  TicketInfo info;
  info.holds = holds;
  info.recipe = "Holdfast";
  info.card.host = host;
  info.card.pid = pid;
  info.card.program = "holdfast";
  info.since = kNow - age;
  return info;
}

LockInfo lock_of(const std::string& name, std::vector<TicketInfo> tickets) {
  LockInfo info;
  info.name = name;
  info.tickets = std::move(tickets);
  return info;
}

TEST(WaitingSentence, says_the_place_and_who_holds_it_for_how_long) {
  auto holder = ticket("web1", 812, true, 250s);
  holder.card.purpose = "backup";
  EXPECT_EQ(waiting_sentence({lock_of("nightly", {holder, ticket("here", 42, false)})}, kUs, kNow),
            "nightly: next in line; held for 4m10s by holdfast (pid 812) on web1: backup");
}

TEST(WaitingSentence, counts_those_who_wait_before_us) {
  for (const auto& [before, place] : std::vector<std::pair<int, std::string>>{
           {1, "2nd"}, {2, "3rd"}, {3, "4th"}, {10, "11th"}, {12, "13th"}, {20, "21st"}, {111, "112th"}}) {
    std::vector<TicketInfo> tickets{ticket("web1", 1, true)};
    for (int i = 0; i < before; ++i) tickets.push_back(ticket("web2", i, false));
    tickets.push_back(ticket("here", 42, false));
    const auto sentence = waiting_sentence({lock_of("x", tickets)}, kUs, kNow);
    EXPECT_TRUE(sentence.starts_with("x: " + place + " in line; ")) << sentence;
  }
}

TEST(WaitingSentence, of_several_names_is_about_one_that_somebody_else_holds) {
  const auto ours = lock_of("a", {ticket("here", 42, true)});
  const auto theirs = lock_of("b", {ticket("web1", 1, true), ticket("here", 42, false)});
  EXPECT_TRUE(waiting_sentence({ours, theirs}, kUs, kNow).starts_with("b: next in line; "));
}

TEST(WaitingSentence, makes_do_with_what_is_known) {
  EXPECT_EQ(waiting_sentence({}, kUs, kNow), "");
  EXPECT_EQ(waiting_sentence({lock_of("x", {})}, kUs, kNow), "x: waiting");
  EXPECT_EQ(waiting_sentence({lock_of("x", {ticket("web1", 1, true)})}, kUs, kNow),
            "x: held for 12s by holdfast (pid 1) on web1");
  EXPECT_EQ(held_sentence({lock_of("x", {})}, kUs, kNow), "");
  EXPECT_EQ(held_sentence({lock_of("x", {ticket("web1", 1, true), ticket("web2", 2, true)})}, kUs, kNow),
            "x is held for 12s by holdfast (pid 1) on web1 and 1 more");
}

TEST(WaitingSentence, passes_no_escape_sequence_on) {
  auto holder = ticket("web1", 812, true);
  holder.card.purpose = "\x1b[2J";
  EXPECT_EQ(waiting_sentence({lock_of("\x1bx", {holder})}, kUs, kNow).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace holdfast::cli
