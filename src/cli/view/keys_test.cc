#include "cli/view/keys.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using Keys = std::vector<Key>;

TEST(Keys, are_known_by_what_terminals_send) {
  std::string typed = "\x1b[A\x1b[B\x1bOA\x1b[5~\x1b[6~\x1b[H\x1b[4~q";
  EXPECT_EQ(take_keys(typed),
            (Keys{Key::up, Key::down, Key::up, Key::page_up, Key::page_down, Key::first, Key::last, Key::quit}));
  EXPECT_EQ(typed, "");
}

TEST(Keys, that_have_come_in_part_wait_for_the_rest) {
  std::string typed = "j\x1b[";
  EXPECT_EQ(take_keys(typed), Keys{Key::down});
  EXPECT_EQ(typed, "\x1b[");
  typed += "A";
  EXPECT_EQ(take_keys(typed), Keys{Key::up});
  EXPECT_EQ(typed, "");
}

TEST(Keys, that_mean_nothing_are_dropped) {
  std::string typed = "x\x1b[Z\xffz\x1b[3~k";
  EXPECT_EQ(take_keys(typed), Keys{Key::up});
  EXPECT_EQ(typed, "");
}

}  // namespace
}  // namespace holdfast::cli
