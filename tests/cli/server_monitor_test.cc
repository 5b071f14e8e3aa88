// What a running server tells of itself, asked and not made up.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "cli/server_command.h"
#include "cli/server_settings.h"
#include "session_client.h"
#include "support/four_letter_word.h"

namespace holdfast::testing {
namespace {

std::vector<std::string> with_all_words(const TempDir& dir, const std::string& more = {}) {
  return with(kAnyPort, {"--config", settings(dir, more)});
}

// "key=value" and "key: value" lines.
std::map<std::string, std::string> lines_of(const std::string& text) {
  std::map<std::string, std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto sign = line.find_first_of("=:");
    if (sign == std::string::npos) continue;
    const auto begin = line.find_first_not_of(' ', sign + 1);
    lines[line.substr(0, sign)] = begin == std::string::npos ? "" : line.substr(begin);
  }
  return lines;
}

TEST(Monitoring, counts_connections_that_were_turned_away) {
  const TempDir dir("monitor");
  Server server(with_all_words(dir, "limits: {connections_per_address: 3}\n"));
  server.serves();
  EXPECT_EQ(value(server, "zk_connection_rejected"), 0);
  {
    const asking::SessionClient one(server.port());
    const asking::SessionClient two(server.port());
    asking::SessionClient three(server.port());
    RawClient four(server.port());
    EXPECT_EQ(four.receive().outcome, RawClient::Outcome::closed);
  }
  EXPECT_TRUE(server.says("was turned away: there are 3 connections, 3 of them from 127.0.0.1")) << server.errors();
  // One, and one more for every question that came while all three were still there.
  EXPECT_GE(value(server, "zk_connection_rejected"), 1);
  EXPECT_EQ(value(server, "zk_refused_connections"), value(server, "zk_connection_rejected"));
}

TEST(Monitoring, tells_the_port_that_the_kernel_chose_and_the_sizes_of_its_directories) {
  const TempDir dir("monitor");
  const std::string data = dir / "data";
  auto arguments = with_all_words(dir);
  Server server(with(arguments, {"--data", data}));
  server.serves();
  asking::SessionClient client(server.port());
  const std::string text(100'000, 'x');
  ASSERT_TRUE(client.call(asking::create("/big", text)).ok());
  auto conf = lines_of(ask(server.port(), "conf"));
  EXPECT_EQ(conf["clientPort"], std::to_string(server.port()));
  EXPECT_EQ(conf["secureClientPort"], "-1");
  EXPECT_EQ(conf["dataDir"], data);
  EXPECT_GE(std::stoll(conf["dataLogSize"]), 100'000);
  auto dirs = lines_of(ask(server.port(), "dirs"));
  EXPECT_GE(std::stoll(dirs["logdir_size"]), 100'000);
  std::int64_t there = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(data)) {
    if (file.is_regular_file()) there += static_cast<std::int64_t>(file.file_size());
  }
  EXPECT_EQ(std::stoll(dirs["datadir_size"]), there);
}

TEST(Monitoring, counts_packets_nodes_watches_sessions_and_bytes) {
  const TempDir dir("monitor");
  Server server(with_all_words(dir));
  server.serves();
  const auto sent = value(server, "zk_packets_sent");
  const auto received = value(server, "zk_packets_received");
  const auto nodes = value(server, "zk_znode_count");
  asking::SessionClient client(server.port());
  ASSERT_TRUE(client.call(asking::create("/a", "12345", asking::kEphemeral)).ok());
  ASSERT_TRUE(client.call(asking::get_data("/a", true)).ok());
  ASSERT_TRUE(client.call(asking::ping()).came());
  EXPECT_EQ(value(server, "zk_packets_received"), received + 4);  // the handshake, too
  EXPECT_EQ(value(server, "zk_packets_sent"), sent + 4);
  EXPECT_EQ(value(server, "zk_znode_count"), nodes + 1);
  EXPECT_EQ(value(server, "zk_watch_count"), 1);
  EXPECT_EQ(value(server, "zk_ephemerals_count"), 1);
  EXPECT_EQ(value(server, "zk_global_sessions"), 1);
  EXPECT_GT(value(server, "zk_approximate_data_size"), 5);
  EXPECT_GT(value(server, "zk_client_memory_used"), 0);
  EXPECT_GT(value(server, "zk_client_memory_limit"), value(server, "zk_client_memory_used"));

  const auto cons = ask(server.port(), "cons");
  EXPECT_NE(cons.find("queued=0,recved=4,sent=4"), std::string::npos) << cons;
  EXPECT_NE(ask(server.port(), "wchs").find("1 connections watching 1 paths\nTotal watches:1\n"), std::string::npos);
  EXPECT_NE(ask(server.port(), "stat").find("Connections: 2\n"), std::string::npos);  // and the one that asks
}

TEST(Monitoring, counts_failed_logins) {
  const TempDir dir("monitor");
  const std::string users = dir / "users";
  std::ofstream(users) << "orders:08sob9dMDb87qFrxEU6Yzq8j3HU=\n";
  std::filesystem::permissions(users, std::filesystem::perms::owner_read);
  Server server(with(with_all_words(dir), {"--require-auth", users}));
  server.serves();
  asking::SessionClient client(server.port());
  client.raw().send_request(-4, 100, JuteWriter().i32(0).text("digest").text("orders:wrong").bytes());
  EXPECT_TRUE(client.call(asking::exists("/")).came());
  EXPECT_EQ(value(server, "zk_auth_failed_count"), 1);
  EXPECT_TRUE(server.says("failed to log in as \"orders\"")) << server.errors();
  EXPECT_EQ(server.errors().find("wrong"), std::string::npos) << "a password in the log";
}

TEST(Monitoring, says_what_it_does_not_know_and_what_it_is_not) {
  const TempDir dir("monitor");
  Server server(with_all_words(dir));
  server.serves();
  for (const std::string word : {"gtmk", "stmk", "hash"}) {
    EXPECT_EQ(ask(server.port(), word), word + " is not known to this server.\n");
  }
  EXPECT_NE(ask(server.port(), "envi").find("\njava.version=none"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::testing
