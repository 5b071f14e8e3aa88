#include "cli/view/lock_list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/view/colour.h"
#include "cli/view/columns.h"
#include "support/lock_info.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;
using testing::lock_info;

constexpr Time kListed(1731702410s);

TicketInfo ticket_of(const std::string& program, bool holds, Time since, LockMode mode = LockMode::exclusive) {
  auto made = testing::ticket_info(program, holds, since, mode);
  made.token = 8'589'934'593;
  return made;
}

// a: held for 70 s, one waits. b: held for 2 s by two readers, with marks. c: not held, three wait.
std::vector<LockInfo> some() {
  auto odd = lock_info(
      "b", {ticket_of("r", true, kListed - 2s, LockMode::read), ticket_of("s", true, kListed, LockMode::read)});
  odd.orphans = 1;
  odd.near_overflow = true;
  auto semaphore = lock_info(
      "c", {ticket_of("w", false, kListed - 9s), ticket_of("w", false, kListed), ticket_of("w", false, kListed)});
  semaphore.semaphore = true;
  return {lock_info("a", {ticket_of("p", true, kListed - 70s), ticket_of("q", false, kListed)}), odd, semaphore};
}

ListOptions options(const std::string& columns, const std::string& sort = "", bool reverse = false) {
  const auto parsed = parse_list_options(columns, sort, reverse);
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed.value_or(ListOptions{});
}

std::string names_by(const std::string& sort, bool reverse = false) {
  auto locks = some();
  sort_locks(locks, kListed, options("", sort, reverse));
  std::string names;
  for (const auto& lock : locks) names += lock.name;
  return names;
}

TEST(LockList, has_one_lock_per_line_and_the_holder_before_the_token) {
  EXPECT_EQ(list_lines(some(), kListed, {}),
            (Lines{"NAME  KIND        HELD  WAITING  HOLDER                             TOKEN  MARKS",
                   "a     mutex      1m10s        1  p (pid 8) on web1             8589934593",
                   "b     read          2s        0  r (pid 8) on web1 and 1 more  8589934593  near overflow, 1 orphan",
                   "c     semaphore      -        3  -                                      -"}));
}

TEST(LockList, leaves_out_what_a_terminal_has_no_room_for) {
  auto locks = some();
  locks.erase(locks.begin() + 1);  // the one with marks
  EXPECT_EQ(list_lines(locks, kListed, 80).at(0), "NAME  KIND        HELD  WAITING  HOLDER                  TOKEN");
  locks.front().tickets.front().card.purpose = "the monthly run over all orders of the year";
  EXPECT_EQ(list_lines(locks, kListed, 80).at(1),
            "a     mutex      1m10s        1  p (pid 8) on web1: the monthly run…  8589934593");
  locks.front().name = "orders/2024";
  EXPECT_EQ(list_lines(locks, kListed, 80).at(1),
            "orders/2024  mutex      1m10s        1  p (pid 8) on web1: the monthly run over…");
  locks.front().name = "orders/of/the/year/2024/and/of/2025";
  EXPECT_EQ(list_lines(locks, kListed, 80).at(1),
            "orders/of/the/year/2024/and/of…  1m10s        1  p (pid 8) on web1: the monthly…");
}

TEST(LockList, has_the_columns_that_were_asked_for_in_that_order) {
  EXPECT_EQ(list_lines(some(), kListed, {}, options("pid, name,waited,next")),
            (Lines{"PID  NAME  WAITED  NEXT",  //
                   "  8  a        0ms  q (pid 8) on web1",
                   "  8  b          -  -",  //
                   "  -  c         9s  w (pid 8) on web1"}));
  EXPECT_EQ(list_lines(some(), kListed, 80, options("token")).size(), 4U) << "also on a terminal";
}

TEST(LockList, names_the_columns_that_there_are) {
  const auto unknown = parse_list_options("name,tokn", "", false);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(),
            "--columns: there is no column \"tokn\"; did you mean token? there are name, kind, held, waiting, holder, "
            "token, marks, since, waited, next, host, pid, program, purpose, path");
  EXPECT_FALSE(parse_list_options("", "size", false));
  EXPECT_FALSE(parse_list_options("name,,kind", "", false));
}

TEST(LockList, is_sorted_with_the_largest_number_first_and_what_there_is_none_of_last) {
  EXPECT_EQ(names_by(""), "abc");
  EXPECT_EQ(names_by("held"), "abc");
  EXPECT_EQ(names_by("waiting"), "cab");
  EXPECT_EQ(names_by("waited"), "cab");
  EXPECT_EQ(names_by("name"), "abc");
  EXPECT_EQ(names_by("program"), "abc");
  EXPECT_EQ(names_by("held", true), "cba");
  EXPECT_EQ(names_by("", true), "cba");
}

TEST(LockList, colours_what_is_waited_for_and_what_is_wrong) {
  const auto lines = list_lines(some(), kListed, 100, {}, true);
  EXPECT_NE(lines.at(1).find(painted("1", Tone::notice)), std::string::npos) << lines.at(1);
  EXPECT_NE(lines.at(2).find("  0  "), std::string::npos) << lines.at(2);
  EXPECT_NE(lines.at(2).find(painted("near overflow, 1 orphan", Tone::bad)), std::string::npos) << lines.at(2);
  const auto plain = list_lines(some(), kListed, 100);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(width_of(lines[i]), width_of(plain[i])) << lines[i];
}

TEST(LockList, is_never_wider_than_the_terminal) {
  const auto wide = lock_info("orders/with/a/very/long/name/that/goes/on", {ticket_of("a-program", true, kListed)});
  for (std::size_t width = 1; width < 120; ++width) {
    for (const bool colours : {false, true}) {
      for (const auto& line : list_lines({wide}, kListed, width, {}, colours)) EXPECT_LE(width_of(line), width) << line;
    }
  }
}

}  // namespace
}  // namespace holdfast::cli
