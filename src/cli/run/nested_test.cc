#include "cli/run/nested.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

const TicketOwner kUs{"here", 42};
const std::vector<pid_t> kAbove{40, 30, 1};

TicketInfo held_by(const std::string& host, std::int64_t pid, LockMode mode = LockMode::exclusive) {
  TicketInfo ticket;
  ticket.holds = true;
  ticket.mode = mode;
  ticket.recipe = "Holdfast";
  ticket.card.host = host;
  ticket.card.pid = pid;
  ticket.card.program = "make";
  return ticket;
}

std::string sentence(std::vector<TicketInfo> tickets, const RunOptions& options = {}) {
  LockInfo lock;
  lock.name = "x";
  lock.tickets = std::move(tickets);
  return nested_sentence({lock}, options, kUs, kAbove);
}

RunOptions sharing() {
  RunOptions options;
  options.shared = true;
  return options;
}

RunOptions permits(std::int64_t wanted, std::int64_t of) {
  RunOptions options;
  options.permits = Permits{wanted, of};
  return options;
}

TEST(Nested, run_is_told_that_its_ancestor_holds_the_lock) {
  EXPECT_EQ(sentence({held_by("here", 30)}),
            "x is held by make (pid 30) on here, under which this command runs; if that waits for this command to end, "
            "both wait for ever");
  EXPECT_NE(sentence({held_by("here", 40, LockMode::write)}), "");
}

TEST(Nested, run_is_not_alarmed_by_others) {
  EXPECT_EQ(sentence({}), "");
  EXPECT_EQ(sentence({held_by("here", 42)}), "") << "itself";
  EXPECT_EQ(sentence({held_by("here", 31)}), "") << "a process beside it";
  EXPECT_EQ(sentence({held_by("there", 30)}), "") << "of that number on another machine";
  auto waiting = held_by("here", 30);
  waiting.holds = false;
  EXPECT_EQ(sentence({held_by("there", 7), waiting}), "") << "does not hold it";
}

TEST(Nested, runs_may_share_what_can_be_shared) {
  EXPECT_EQ(sentence({held_by("here", 30, LockMode::read)}, sharing()), "");
  EXPECT_NE(sentence({held_by("here", 30, LockMode::read)}), "") << "who wants it alone waits for all readers";
  EXPECT_NE(sentence({held_by("here", 30)}, sharing()), "");
}

TEST(Nested, runs_may_have_permits_while_there_are_enough) {
  const auto permit = held_by("here", 30, LockMode::permit);
  const auto other = held_by("there", 30, LockMode::permit);
  EXPECT_EQ(sentence({permit, other, other, other}, permits(3, 4)), "") << "the others give theirs back";
  EXPECT_NE(sentence({permit, permit, other}, permits(3, 4)), "");
  EXPECT_NE(sentence({permit}, permits(1, 1)), "");
}

TEST(Nested, permits_and_a_lock_of_one_name_are_different_locks) {
  EXPECT_EQ(sentence({held_by("here", 30, LockMode::permit)}), "");
  EXPECT_EQ(sentence({held_by("here", 30)}, permits(1, 1)), "");
}

TEST(Nested, run_of_several_names_is_told_which) {
  LockInfo free;
  free.name = "a";
  LockInfo held;
  held.name = "b\x1b";
  held.tickets = {held_by("here", 30)};
  EXPECT_TRUE(nested_sentence({free, held}, {}, kUs, kAbove).starts_with("b\\x1b is held by make"));
}

}  // namespace
}  // namespace holdfast::cli
