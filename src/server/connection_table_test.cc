#include "server/connection_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/recorded_peer.h"

namespace holdfast::server {
namespace {

class ConnectionTableTest : public ::testing::Test {
 protected:
  std::shared_ptr<testing::RecordedPeer> peer() const { return std::make_shared<testing::RecordedPeer>(); }

  engine::Engine engine_;
  std::vector<std::string> lines_;
  Refusals refusals_{[this](const std::string& line) { lines_.push_back(line); },
                     [] { return Refusals::Clock::time_point(); }};
  std::vector<ConnectionId> dropped_;
  ConnectionTable table_{engine_, refusals_,
                         [this](ClientConnection& connection) { dropped_.push_back(connection.id); }};
};

TEST_F(ConnectionTableTest, finds_a_connection_until_it_is_dropped) {
  const auto at_other_end = peer();
  const auto first = table_.add(at_other_end, {.address = "10.0.0.1:1", .ip = "10.0.0.1"}, 5);
  const auto second = table_.add(peer(), {.address = "10.0.0.2:1", .ip = "10.0.0.2"}, 6);
  EXPECT_NE(first->id, second->id);
  EXPECT_EQ(table_.size(), 2U);
  EXPECT_EQ(table_.find(first->id), first);
  EXPECT_EQ(engine_.identities(first->id).size(), 1U) << "the engine knows its address";
  table_.drop(*first);
  EXPECT_EQ(table_.find(first->id), nullptr);
  EXPECT_EQ(at_other_end->closed, 1);
  EXPECT_EQ(dropped_, std::vector{first->id});
  EXPECT_TRUE(first->leaving);
  EXPECT_EQ(table_.find(second->id), second);
}

TEST_F(ConnectionTableTest, sends_nothing_to_a_connection_that_was_dropped_and_closes_it_once) {
  const auto at_other_end = peer();
  const auto connection = table_.add(at_other_end, {}, 0);
  connection->send("one");
  table_.drop(*connection);
  connection->send("two");
  table_.drop(*connection);
  EXPECT_EQ(at_other_end->frames, std::vector<std::string>{"one"});
  EXPECT_EQ(at_other_end->closed, 1);
  EXPECT_EQ(table_.traffic().sent, 1);
}

TEST_F(ConnectionTableTest, drops_all) {
  std::vector<std::shared_ptr<testing::RecordedPeer>> peers;
  for (int i = 0; i < 10; ++i) {
    peers.push_back(peer());
    table_.add(peers.back(), {}, 0);
  }
  table_.drop_all();
  EXPECT_TRUE(table_.empty());
  for (const auto& each : peers) EXPECT_EQ(each->closed, 1);
}

TEST_F(ConnectionTableTest, says_why_it_refused_a_client_and_counts_it) {
  const auto connection = table_.add(peer(), {.address = "10.0.0.1:1", .ip = "10.0.0.1"}, 0);
  table_.refuse(*connection, Refusal::frame, "sent nonsense");
  EXPECT_TRUE(table_.empty());
  EXPECT_EQ(refusals_.count(Refusal::frame), 1U);
  EXPECT_EQ(lines_, std::vector<std::string>{"10.0.0.1:1 was turned away: it sent nonsense"});
}

TEST_F(ConnectionTableTest, resets_what_each_connection_counts_but_not_the_traffic_of_all) {
  const auto connection = table_.add(peer(), {}, 0);
  connection->send("one");
  connection->report.latency.add(3);
  table_.reset_each();
  EXPECT_EQ(connection->report.sent, 0);
  EXPECT_EQ(connection->report.latency.count, 0);
  EXPECT_EQ(table_.traffic().sent, 1);
}

TEST(TrafficStatistics, keep_the_sizes_and_latencies_of_answers) {
  TrafficStatistics traffic;
  EXPECT_EQ(traffic.min_response_size, -1);
  traffic.answered(3, true, 100);
  traffic.answered(1, false, 4);
  EXPECT_EQ(traffic.min_response_size, 20);
  EXPECT_EQ(traffic.max_response_size, 116);
  EXPECT_EQ(traffic.last_response_size, 20);
  EXPECT_EQ(traffic.response_bytes, 136);
  EXPECT_EQ(traffic.update_latency.total, 3);
  EXPECT_EQ(traffic.read_latency.total, 1);
  EXPECT_EQ(traffic.latency.count, 2);
}

}  // namespace
}  // namespace holdfast::server
