#include "zookeeper_server.h"

#include <gtest/gtest.h>

#include "plain_client.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST(ZooKeeperServer, serves_and_tells_who_watches_what) {
  const ZooKeeperServer server;
  EXPECT_EQ(server.mode(), "standalone");
  EXPECT_EQ(server.four_letter_word("ruok"), "imok");
  PlainClient client(server.address());
  ASSERT_EQ(client.create("/a", ZOO_EPHEMERAL), ZOK);
  ASSERT_EQ(client.create("/b"), ZOK);
  ASSERT_EQ(client.exists("/a", true), ZOK);
  ASSERT_EQ(client.exists("/b", true), ZOK);
  const std::set<SessionId> watching{client.session()};
  const auto all = parse_watches(server.four_letter_word("wchp"));
  EXPECT_EQ(all, (std::map<std::string, std::set<SessionId>>{{"/a", watching}, {"/b", watching}}));
  EXPECT_EQ(parse_watches(server.four_letter_word("wchc")), all);
  EXPECT_EQ(server.watches(), (std::map<std::string, std::set<SessionId>>{{"/b", watching}})) << "without its own";
  EXPECT_EQ(parse_ephemerals(server.four_letter_word("dump")).at(client.session()), std::set<std::string>{"/a"});
  EXPECT_EQ(parse_mntr(server.four_letter_word("mntr")).at("zk_watch_count"), "2");
  EXPECT_EQ(server.watch_count(), 1U);
  EXPECT_EQ(server.own_watch_count(), 1U);
}

TEST(ZooKeeperServer, keeps_port_data_and_sessions_over_a_restart) {
  ZooKeeperServer server;
  const auto port = server.port();
  PlainClient client(server.address());
  const auto session = client.session();
  ASSERT_EQ(client.create("/a", ZOO_EPHEMERAL), ZOK);
  server.kill();
  EXPECT_FALSE(server.up());
  EXPECT_FALSE(server.serving());
  ASSERT_TRUE(eventually(10s, [&] { return !client.connected(); }));
  server.restart();
  EXPECT_EQ(server.port(), port);
  ASSERT_TRUE(client.wait_connected());
  EXPECT_EQ(client.session(), session);
  EXPECT_EQ(client.exists("/a"), ZOK);
  server.stop();
  server.restart();
  ASSERT_TRUE(client.wait_connected());
  EXPECT_TRUE(eventually(10s, [&] { return client.exists("/a") == ZOK; }));
}

TEST(ZooKeeperServer, says_nothing_while_paused) {
  ZooKeeperServer server;
  server.pause();
  EXPECT_EQ(ask_or_nothing(server.port(), "ruok", 100ms), "");
  server.resume();
  EXPECT_EQ(server.four_letter_word("ruok"), "imok");
}

TEST(ZooKeeperServer, grants_the_session_timeout_that_was_asked_for) {
  const ZooKeeperServer server;
  const PlainClient quick(server.address(), 1s);
  EXPECT_EQ(zoo_recv_timeout(quick.handle()), 1'000);
  const PlainClient slow(server.address(), 30s);
  EXPECT_EQ(zoo_recv_timeout(slow.handle()), 30'000);
}

TEST(ZooKeeperServer, shows_its_log_when_it_cannot_start) {
  try {
    const ZooKeeperServer server(ZooKeeperOptions{.config_lines = {"tickTime=nonsense"}});
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace holdfast::testing
