#include "cli/view/lock_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/view/columns.h"
#include "support/lock_info.h"

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using testing::lock_info;
using testing::ticket_info;
using Lines = std::vector<std::string>;

constexpr Time kNow(1731702410s);

TEST(LockText, shows_all_that_is_known_of_a_lock) {
  auto holder = ticket_info("p", true, kNow - 70s, LockMode::write);
  holder.card.address = "10.0.0.7";
  holder.card.purpose = "monthly run";
  EXPECT_EQ(page_lines(lock_info("a", {holder, ticket_info("q", false, kNow - 3s, LockMode::read)}), kNow, {}),
            (Lines{"a (write) at /app/a",                          //
                   "  held by  p (pid 8) on web1: monthly run",    //
                   "  address  10.0.0.7",                          //
                   "  since    2024-11-15T20:25:40.000Z (1m10s)",  //
                   "  token    20",                                //
                   "  session  0x1f",                              //
                   "  ticket   _c_p (write, Holdfast)",            //
                   "  waiting  1",                                 //
                   "        1  q (pid 8) on web1, 3s, to read"}));
}

TEST(LockText, says_what_an_orphan_is) {
  auto orphan = ticket_info("p", true, kNow);
  orphan.session = 0;
  auto odd = lock_info("a", {orphan});
  odd.orphans = 1;
  const auto page = fmt::format("{}", fmt::join(page_lines(odd, kNow, {}), "\n"));
  EXPECT_NE(page.find("session  none: an orphan, which stays until it is removed"), std::string::npos) << page;
  EXPECT_NE(page.find("marks    1 orphan"), std::string::npos) << page;
}

TEST(LockText, is_never_wider_than_the_terminal) {
  const auto wide =
      lock_info("orders/with/a/very/long/name/that/goes/on", {ticket_info("a-program-with-a-name", true, kNow)});
  for (std::size_t width = 1; width < 120; ++width) {
    for (const auto& line : page_lines(wide, kNow, width)) EXPECT_LE(width_of(line), width) << line;
  }
}

}  // namespace
}  // namespace holdfast::cli
