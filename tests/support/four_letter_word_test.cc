#include "four_letter_word.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "free_port.h"

namespace holdfast::testing {
namespace {

TEST(FourLetterWord, throws_if_nobody_listens) {
  const auto port = free_port();
  EXPECT_THROW(ask(port, "ruok"), std::runtime_error);
  EXPECT_EQ(ask_or_nothing(port, "ruok"), "");
}

TEST(FourLetterWord, reads_watches_by_path_and_by_session) {
  const auto by_path = parse_watches("/a\n\t0x10\n\t0x11\n/b\n\t0x10\n");
  const auto by_session = parse_watches("0x10\n\t/a\n\t/b\n0x11\n\t/a\n");
  EXPECT_EQ(by_path, by_session);
  EXPECT_EQ(by_path.at("/a"), (std::set<SessionId>{0x10, 0x11}));
  EXPECT_EQ(by_path.at("/b"), (std::set<SessionId>{0x10}));
}

TEST(FourLetterWord, reads_ephemerals) {
  const auto ephemerals = parse_ephemerals(
      "SessionTracker dump:\nSession Sets (1)/(1):\n1 expire at Thu:\n\t0x10\n"
      "ephemeral nodes dump:\nSessions with Ephemerals (1):\n0x10:\n\t/locks/a\n\t/locks/b\nConnections dump:\n");
  ASSERT_EQ(ephemerals.size(), 1u);
  EXPECT_EQ(ephemerals.at(0x10), (std::set<std::string>{"/locks/a", "/locks/b"}));
}

TEST(FourLetterWord, reads_mode_and_monitor) {
  EXPECT_EQ(parse_mode("Zookeeper version: 3.8.0\nMode: leader\nNode count: 5\n"), "leader");
  EXPECT_EQ(parse_mode("This ZooKeeper instance is not currently serving requests\n"), "");
  EXPECT_EQ(parse_mntr("zk_version\t3.8\nzk_watch_count\t7\n").at("zk_watch_count"), "7");
}

}  // namespace
}  // namespace holdfast::testing
