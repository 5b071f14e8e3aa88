#include "cli/view/table.h"

#include <gtest/gtest.h>

#include "cli/view/columns.h"

namespace holdfast::cli {
namespace {

using Lines = std::vector<std::string>;

Table of_locks() {
  Table table({{.title = "NAME", .least = 6}, {.title = "WAITING", .right = true}, {.title = "HOLDER", .least = 8}});
  table.add({"orders/1", "2", "billing (pid 812) on web1: monthly run"});
  table.add({"注文", "110", "x"});
  return table;
}

TEST(Table, aligns_its_columns_and_ends_lines_without_blanks) {
  EXPECT_EQ(of_locks().lines(),
            (Lines{"NAME      WAITING  HOLDER",  //
                   "orders/1        2  billing (pid 812) on web1: monthly run", "注文          110  x"}));
}

TEST(Table, cuts_the_widest_column_first) {
  EXPECT_EQ(of_locks().lines(40), (Lines{"NAME      WAITING  HOLDER",  //
                                         "orders/1        2  billing (pid 812) on…", "注文          110  x"}));
}

TEST(Table, is_never_wider_than_it_may_be) {
  for (std::size_t width = 1; width < 80; ++width) {
    for (const auto& line : of_locks().lines(width)) EXPECT_LE(width_of(line), width) << line;
  }
}

TEST(Table, has_its_titles_when_it_has_no_rows) {
  EXPECT_EQ(Table({{.title = "NAME"}, {.title = "KIND"}}).lines(), Lines{"NAME  KIND"});
}

}  // namespace
}  // namespace holdfast::cli
