#include "server/refusals.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

struct Log {
  std::vector<std::string> lines{};
  Refusals::Clock::time_point now{};
  Refusals refusals{[this](const std::string& line) { lines.push_back(line); }, [this] { return now; }};
};

TEST(Refusals, are_said_one_by_one_while_they_are_few) {
  Log log;
  for (std::size_t i = 0; i < Refusals::kLines; ++i) log.refusals.note(Refusal::login, "client " + std::to_string(i));
  EXPECT_EQ(log.lines.size(), Refusals::kLines);
  EXPECT_EQ(log.lines.front(), "client 0");
}

TEST(Refusals, are_counted_when_they_are_many_and_the_rest_is_said_when_the_time_is_over) {
  Log log;
  for (int i = 0; i < 1'000; ++i) log.refusals.note(Refusal::login, "client " + std::to_string(i));
  EXPECT_EQ(log.lines.size(), Refusals::kLines);
  log.refusals.catch_up();
  EXPECT_EQ(log.lines.size(), Refusals::kLines);
  log.now += Refusals::kWindow;
  log.refusals.catch_up();
  ASSERT_EQ(log.lines.size(), Refusals::kLines + 1);
  EXPECT_EQ(log.lines.back(), "and 995 more within 10 s, the last: client 999");
  log.refusals.catch_up();
  EXPECT_EQ(log.lines.size(), Refusals::kLines + 1);
  EXPECT_EQ(log.refusals.count(Refusal::login), 1'000U);
}

TEST(Refusals, of_one_kind_do_not_hide_those_of_another) {
  Log log;
  for (int i = 0; i < 1'000; ++i) log.refusals.note(Refusal::login, "guess");
  log.refusals.note(Refusal::tls, "plain text");
  EXPECT_EQ(log.lines.back(), "plain text");
}

TEST(Refusals, have_a_name_each) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kRefusals; ++i) names.insert(name_of(static_cast<Refusal>(i)));
  EXPECT_EQ(names.size(), kRefusals);
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace holdfast::server
