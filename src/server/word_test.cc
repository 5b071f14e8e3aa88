// Four-letter words over real sockets. What the answers say is in four_letter_words_test.cc.
#include <gtest/gtest.h>

#include "server/recording_host.h"
#include "support/eventually.h"
#include "support/socket_client.h"

namespace holdfast::server {
namespace {

using testing::eventually;
using testing::framed;
using testing::SocketClient;
using namespace std::chrono_literals;

constexpr auto kSoon = 10s;

EngineOptions all_words() {
  EngineOptions options;
  options.four_letter_words = {"*"};
  return options;
}

TEST(Word, is_answered_and_the_connection_closed) {
  RecordingServer server(all_words());
  SocketClient client(server.port());
  client.send("ruok");
  EXPECT_EQ(client.receive_all(), "imok");
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(eventually(kSoon, [&] { return server.gone_count() == 1; }));
  EXPECT_EQ(server.frame_count(), 0U);
}

TEST(Word, may_come_in_bytes_with_a_newline_and_half_a_close) {
  RecordingServer server(all_words());
  SocketClient client(server.port());
  for (const char byte : std::string("srvr\r\n")) client.send({&byte, 1});
  client.half_close();
  EXPECT_TRUE(client.receive_all().starts_with("Zookeeper version: 3.8.0-holdfast-"));
  EXPECT_TRUE(client.ended());
}

TEST(Word, is_answered_out_of_a_report_while_its_own_connection_still_counts) {
  RecordingServer server(all_words());
  server.inside([&] { server.report.statistics.state.nodes = 4'711; });
  SocketClient client(server.port());
  client.send("srvr");
  EXPECT_NE(client.receive_all().find("\nNode count: 4711\n"), std::string::npos);
  EXPECT_EQ(server.inside([&] { return server.words; }), std::vector<std::string>{"srvr"});
}

TEST(Word, that_is_not_in_the_whitelist_is_refused) {
  EngineOptions options;
  options.four_letter_words = {"mntr"};
  RecordingServer server(options);
  for (const std::string word : {"ruok", "dump"}) {
    SocketClient client(server.port());
    client.send(word);
    EXPECT_EQ(client.receive_all(), word + " is not executed because it is not in the whitelist.\n");
    EXPECT_TRUE(client.ended());
  }
  SocketClient client(server.port());
  client.send("mntr");
  EXPECT_TRUE(client.receive_all().starts_with("zk_version\t3.8.0"));
}

TEST(Word, that_nobody_knows_is_a_frame_that_is_too_long) {
  RecordingServer server(all_words());
  SocketClient client(server.port());
  client.send("abcd");
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_TRUE(client.ended());
}

TEST(Word, is_none_after_the_first_frame) {
  RecordingServer server(all_words());
  SocketClient client(server.port());
  client.send(framed("hello") + "ruok");
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_TRUE(client.ended());
}

TEST(Word, has_an_answer_of_limited_size_and_no_half_lines) {
  EngineOptions options = all_words();
  options.limits.answer = 200;
  RecordingServer server(options);
  server.inside([&] { server.report.watch_list.assign(1'000, {.path = "/some/path", .sessions = {1}}); });
  SocketClient client(server.port());
  client.send("wchp");
  const std::string answer = client.receive_all();
  EXPECT_GT(answer.size(), 150U);
  EXPECT_LE(answer.size(), 200U);
  EXPECT_TRUE(answer.ends_with('\n'));
}

}  // namespace
}  // namespace holdfast::server
