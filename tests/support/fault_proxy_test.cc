#include "fault_proxy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "free_port.h"
#include "plain_client.h"
#include "zookeeper_server.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class FaultProxyTest : public ::testing::Test {
 protected:
  // What a test wants to know of the server behind the faults.
  bool on_server(const std::string& path) { return direct_.exists(path) == ZOK; }

  ZooKeeperServer server_;
  FaultProxy proxy_{server_.port()};
  PlainClient direct_{server_.address()};
  PlainClient client_{proxy_.address()};
};

TEST_F(FaultProxyTest, passes_and_records_what_flies) {
  proxy_.clear();
  ASSERT_EQ(client_.create("/a", ZOO_SEQUENCE), ZOK);
  ASSERT_EQ(client_.exists("/b", true), ZNONODE);
  ASSERT_EQ(direct_.create("/b"), ZOK);
  ASSERT_TRUE(eventually(10s, [&] { return client_.node_events() == 1; }));

  EXPECT_EQ(proxy_.count_requests(), 2u);
  EXPECT_EQ(proxy_.count_requests(Op::exists), 1u);
  std::vector<Seen> seen;
  for (const Seen& s : proxy_.trace()) {
    if (!s.is_ping()) seen.push_back(s);
  }
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_TRUE(seen[0].is_request() && seen[0].op == Op::create && seen[0].path == "/a");
  EXPECT_TRUE(seen[1].is_reply() && seen[1].op == Op::create && seen[1].created == "/a0000000000");
  EXPECT_EQ(seen[0].xid, seen[1].xid);
  EXPECT_LE(seen[0].at, seen[1].at);
  EXPECT_TRUE(seen[2].is_request() && seen[2].watch);
  EXPECT_TRUE(seen[3].is_reply() && seen[3].err == ZNONODE);
  EXPECT_TRUE(seen[4].is_event() && seen[4].path == "/b" && seen[4].event_type == 1);
  EXPECT_EQ(to_string(seen[2]), "#1 -> exists /b xid " + std::to_string(seen[2].xid) + " watch");
}

TEST_F(FaultProxyTest, records_the_handshake_and_pings_as_such) {
  const auto trace = proxy_.trace();
  ASSERT_GE(trace.size(), 2u);
  EXPECT_TRUE(trace[0].is_handshake() && trace[0].is_request());
  EXPECT_TRUE(trace[1].is_handshake() && trace[1].is_reply());
  const PlainClient quick(proxy_.address(), 1s);
  EXPECT_TRUE(
      eventually(10s, [&] { return proxy_.count([](const Seen& s) { return s.is_ping() && s.is_reply(); }) > 0; }));
  EXPECT_EQ(proxy_.count_requests(), 0u);
}

TEST_F(FaultProxyTest, passes_four_letter_words) { EXPECT_EQ(ask(proxy_.port(), "ruok"), "imok"); }

TEST_F(FaultProxyTest, passes_frames_that_come_in_many_pieces) {
  const std::string big(900'000, 'x');
  ASSERT_EQ(zoo_create(client_.handle(), "/big", big.data(), static_cast<int>(big.size()), &ZOO_OPEN_ACL_UNSAFE, 0,
                       nullptr, 0),
            ZOK);
  std::string back(big.size(), '\0');
  int size = static_cast<int>(back.size());
  ASSERT_EQ(zoo_get(client_.handle(), "/big", 0, back.data(), &size, nullptr), ZOK);
  EXPECT_EQ(back, big);
}

TEST_F(FaultProxyTest, passes_pipelined_requests_in_order) {
  constexpr int kCount = 500;
  std::atomic<int> done{0};
  const auto count = [](int, const char*, const void* counter) {
    ++*const_cast<std::atomic<int>*>(static_cast<const std::atomic<int>*>(counter));
  };
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(zoo_acreate(client_.handle(), "/n", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_SEQUENCE, count, &done), ZOK);
  }
  ASSERT_TRUE(eventually(20s, [&] { return done == kCount; }));
  std::vector<std::string> created;
  for (const Seen& s : proxy_.trace()) {
    if (!s.created.empty()) created.push_back(s.created);
  }
  EXPECT_EQ(created.size(), static_cast<std::size_t>(kCount));
  EXPECT_TRUE(std::is_sorted(created.begin(), created.end()));
}

TEST_F(FaultProxyTest, adds_less_than_a_millisecond) {
  const auto time_of = [](PlainClient& client) {
    constexpr int kCalls = 200;
    const auto start = Clock::now();
    for (int i = 0; i < kCalls; ++i) client.exists("/none");
    return (Clock::now() - start) / kCalls;
  };
  (void)time_of(direct_);  // the server's first calls are slow
  // The least of several: a busy machine adds, it does not take away.
  auto added = Clock::duration::max();
  for (int i = 0; i < 5; ++i) added = std::min<Clock::duration>(added, time_of(client_) - time_of(direct_));
  EXPECT_LT(added, 1ms);
}

TEST_F(FaultProxyTest, cut_before_leaves_no_node) {
  const Rule rule = proxy_.cut_before({.op = Op::create, .path = "/a"});
  EXPECT_EQ(client_.create("/b"), ZOK);
  EXPECT_FALSE(rule.fired());
  EXPECT_EQ(client_.create("/a"), ZCONNECTIONLOSS);
  EXPECT_TRUE(rule.wait_fired(10s));
  EXPECT_FALSE(on_server("/a"));
  ASSERT_TRUE(client_.wait_connected());
  EXPECT_EQ(client_.create("/a"), ZOK);
  EXPECT_EQ(rule.times_fired(), 1);
}

TEST_F(FaultProxyTest, cut_after_leaves_the_node) {
  const Rule rule = proxy_.cut_after({.op = Op::create, .path = "/a"});
  EXPECT_EQ(client_.create("/a"), ZCONNECTIONLOSS);
  EXPECT_TRUE(rule.wait_fired(10s));
  EXPECT_TRUE(on_server("/a"));
  ASSERT_TRUE(client_.wait_connected());
  EXPECT_EQ(client_.create("/a"), ZNODEEXISTS);
  EXPECT_EQ(proxy_.count([](const Seen& s) { return s.is_reply() && s.created == "/a" && !s.delivered; }), 1u);
}

TEST_F(FaultProxyTest, strikes_the_nth_request_and_goes_on_as_often_as_told) {
  const Rule rule = proxy_.cut_before({.op = Op::exists, .nth = 2, .times = 2});
  const auto exists = [&] {
    EXPECT_TRUE(client_.wait_connected());
    return client_.exists("/");
  };
  EXPECT_EQ(exists(), ZOK);
  EXPECT_EQ(exists(), ZCONNECTIONLOSS);
  EXPECT_TRUE(eventually(10s, [&] { return client_.connected(); }));
  EXPECT_EQ(exists(), ZCONNECTIONLOSS);
  EXPECT_TRUE(eventually(10s, [&] { return exists() == ZOK; }));
  EXPECT_EQ(rule.times_fired(), 2);
}

TEST_F(FaultProxyTest, applies_rules_one_request_after_the_other) {
  const Rule before = proxy_.cut_before({.op = Op::create});
  const Rule after = proxy_.cut_after({.op = Op::create});
  EXPECT_EQ(client_.create("/a"), ZCONNECTIONLOSS);
  EXPECT_FALSE(after.fired());
  EXPECT_FALSE(on_server("/a"));
  ASSERT_TRUE(client_.wait_connected());
  EXPECT_EQ(client_.create("/a"), ZCONNECTIONLOSS);
  EXPECT_TRUE(after.fired());
  EXPECT_TRUE(on_server("/a"));
}

TEST_F(FaultProxyTest, forgets_a_rule_that_was_cancelled) {
  const Rule rule = proxy_.cut_before({.op = Op::create});
  rule.cancel();
  EXPECT_EQ(client_.create("/a"), ZOK);
}

TEST_F(FaultProxyTest, cuts_a_handshake_after_the_server_made_the_session) {
  const Rule rule = proxy_.cut_after({.op = Op::connect});
  const PlainClient late(proxy_.address());
  EXPECT_TRUE(rule.fired());
  EXPECT_GE(proxy_.accepted(), 3u);
}

TEST_F(FaultProxyTest, delay_holds_a_request_and_what_is_behind_it) {
  const Rule rule = proxy_.delay({.op = Op::create}, 1s);
  const auto start = Clock::now();
  std::thread creator([&] { EXPECT_EQ(client_.create("/a"), ZOK); });
  EXPECT_TRUE(rule.wait_fired(10s));
  EXPECT_FALSE(on_server("/a"));
  EXPECT_EQ(client_.exists("/a"), ZOK);  // asked later, so answered later
  EXPECT_GE(Clock::now() - start, 1s);
  creator.join();
}

TEST_F(FaultProxyTest, delivers_a_delayed_request_though_its_client_has_given_up) {
  PlainClient impatient(proxy_.address(), 1s);
  const Rule rule = proxy_.delay({.op = Op::create}, 20s);
  proxy_.refuse(true);  // ZooKeeper itself closes the old connection of a session that comes back
  EXPECT_EQ(impatient.create("/late"), ZOPERATIONTIMEOUT);
  EXPECT_FALSE(on_server("/late"));
  rule.release();
  EXPECT_TRUE(eventually(10s, [&] { return on_server("/late"); }));
}

TEST_F(FaultProxyTest, drops_a_delayed_request_once_its_session_is_back_on_another_connection) {
  PlainClient impatient(proxy_.address(), 2s);
  const Rule rule = proxy_.delay({.op = Op::create}, 20s);
  EXPECT_EQ(impatient.create("/late"), ZOPERATIONTIMEOUT);
  EXPECT_TRUE(eventually(10s, [&] { return impatient.exists("/") == ZOK; }));
  EXPECT_TRUE(eventually(
      10s, [&] { return proxy_.count([](const Seen& s) { return s.path == "/late" && !s.delivered; }) == 1; }));
  EXPECT_FALSE(on_server("/late"));
}

TEST_F(FaultProxyTest, hold_reply_waits_for_release) {
  const Rule rule = proxy_.hold_reply({.op = Op::create});
  std::atomic<bool> returned{false};
  std::thread creator([&] {
    EXPECT_EQ(client_.create("/a"), ZOK);
    returned = true;
  });
  EXPECT_TRUE(rule.wait_fired(10s));
  EXPECT_TRUE(on_server("/a"));
  EXPECT_FALSE(eventually(50ms, [&] { return returned.load(); }));
  rule.release();
  creator.join();
  EXPECT_TRUE(returned);
}

TEST_F(FaultProxyTest, a_black_hole_is_silent) {
  PlainClient quick(proxy_.address(), 2s);
  const auto opened = proxy_.open();
  proxy_.black_hole();
  const auto start = Clock::now();
  EXPECT_EQ(quick.create("/a"), ZOPERATIONTIMEOUT);
  // Not told, but noticed by itself: the C client gives up two thirds of its timeout after it last heard.
  EXPECT_GE(Clock::now() - start, 500ms);
  EXPECT_FALSE(on_server("/a"));
  // New connections are swallowed: accepted, never answered.
  EXPECT_TRUE(eventually(10s, [&] { return proxy_.accepted() > opened; }));
  EXPECT_FALSE(quick.connected());

  proxy_.heal();
  EXPECT_TRUE(quick.wait_connected() || is_unrecoverable(quick.handle()) != ZOK);
  EXPECT_TRUE(client_.wait_connected());
  EXPECT_TRUE(eventually(10s, [&] { return client_.exists("/") == ZOK; }));
}

TEST_F(FaultProxyTest, a_black_hole_swallows_the_request_or_only_its_reply) {
  const Rule before = proxy_.black_hole_before({.op = Op::create});
  PlainClient quick(proxy_.address(), 1s);
  EXPECT_EQ(quick.create("/before"), ZOPERATIONTIMEOUT);
  EXPECT_TRUE(before.fired());
  EXPECT_FALSE(on_server("/before"));
  proxy_.heal();

  PlainClient other(proxy_.address(), 1s);
  const Rule after = proxy_.black_hole_after({.op = Op::create});
  EXPECT_EQ(other.create("/after"), ZOPERATIONTIMEOUT);
  EXPECT_TRUE(after.fired());
  EXPECT_TRUE(on_server("/after"));
}

TEST_F(FaultProxyTest, half_a_black_hole_swallows_one_way) {
  PlainClient quick(proxy_.address(), 1s);
  proxy_.black_hole_server_to_client();
  EXPECT_EQ(quick.create("/answerless"), ZOPERATIONTIMEOUT);
  EXPECT_TRUE(on_server("/answerless"));
  proxy_.heal();

  PlainClient other(proxy_.address(), 1s);
  proxy_.black_hole_client_to_server();
  EXPECT_EQ(other.create("/unheard"), ZOPERATIONTIMEOUT);
  EXPECT_FALSE(on_server("/unheard"));
}

TEST_F(FaultProxyTest, a_session_expires_in_a_black_hole_and_the_client_learns_it_only_after) {
  PlainClient quick(proxy_.address(), 1s);
  ASSERT_EQ(quick.create("/mine", ZOO_EPHEMERAL), ZOK);
  proxy_.black_hole();
  EXPECT_TRUE(eventually(20s, [&] { return !on_server("/mine"); }));
  EXPECT_EQ(is_unrecoverable(quick.handle()), ZOK);
  proxy_.heal();
  EXPECT_TRUE(eventually(10s, [&] { return is_unrecoverable(quick.handle()) != ZOK; }));
}

TEST_F(FaultProxyTest, connections_that_lost_nothing_survive_a_black_hole) {
  const auto before = proxy_.accepted();
  proxy_.black_hole();
  proxy_.heal();
  EXPECT_EQ(client_.exists("/"), ZOK);
  EXPECT_EQ(proxy_.accepted(), before);
}

TEST_F(FaultProxyTest, cut_all_ends_every_connection) {
  const auto before = proxy_.accepted();
  proxy_.cut_all();
  EXPECT_TRUE(eventually(10s, [&] { return proxy_.accepted() > before && client_.connected(); }));
  EXPECT_TRUE(eventually(10s, [&] { return client_.exists("/") == ZOK; }));
  EXPECT_EQ(proxy_.open(), 1u);
}

TEST_F(FaultProxyTest, refuse_turns_new_connections_away) {
  proxy_.refuse(true);
  proxy_.cut_all();
  EXPECT_TRUE(eventually(10s, [&] { return !client_.connected(); }));
  EXPECT_FALSE(client_.wait_connected(200ms));
  proxy_.refuse(false);
  EXPECT_TRUE(client_.wait_connected());
}

TEST_F(FaultProxyTest, leads_new_connections_to_another_target) {
  const ZooKeeperServer other;
  PlainClient there(other.address());
  ASSERT_EQ(there.create("/only-there"), ZOK);
  proxy_.set_target(other.port());
  PlainClient client(proxy_.address());
  EXPECT_EQ(client.exists("/only-there"), ZOK);
}

TEST_F(FaultProxyTest, asks_the_hook_about_every_request) {
  std::atomic<int> asked{0};
  proxy_.on_request([&](const Request& request) {
    ++asked;
    return Verdict{request.path == "/bad" ? Action::cut_before : Action::pass};
  });
  EXPECT_EQ(client_.create("/good"), ZOK);
  EXPECT_EQ(client_.create("/bad"), ZCONNECTIONLOSS);
  EXPECT_GE(asked, 2);
  proxy_.on_request({});
  ASSERT_TRUE(client_.wait_connected());
  EXPECT_EQ(client_.create("/bad"), ZOK);
}

TEST(FaultProxyWithoutServer, closes_what_it_cannot_connect) {
  FaultProxy proxy(free_port());
  EXPECT_EQ(ask_or_nothing(proxy.port(), "ruok"), "");
  EXPECT_TRUE(eventually(10s, [&] { return proxy.open() == 0; }));
}

TEST(FaultProxyWithoutServer, rules_may_outlive_their_proxy) {
  std::optional<Rule> rule;
  {
    FaultProxy proxy(free_port());
    rule = proxy.hold_reply({.op = Op::create});
  }
  rule->release();
  rule->cancel();
  EXPECT_FALSE(rule->fired());
}

}  // namespace
}  // namespace holdfast::testing
