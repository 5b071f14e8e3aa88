#include "support/zk_client_fixture.h"

namespace holdfast::zk {
namespace {

TEST_F(ZooKeeperClient, fires_each_watch_once_and_sets_the_others_again) {
  const auto client = open();
  line().welcome();
  client->get("/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->get("/b", keep(), 2);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->get("/gone", keep(), 3);
  line().reply(line().said.back().xid, Code::no_node);
  line().tell(EventType::node_deleted, "/a");
  line().tell(EventType::node_deleted, "/a");
  EXPECT_EQ(fired_, (std::vector<std::pair<Client::WatchId, EventType>>{{1, EventType::node_deleted}}));
  lose();
  executor_.run_for(1s);
  line().welcome();
  ASSERT_EQ(line().said.size(), 1u);
  EXPECT_EQ(line().said[0].op, wire::Op::set_watches);
  wire::Reader body(line().said[0].body);
  EXPECT_EQ(body.i64(), 7);
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/b"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
}

// One number for all of them: an event is told once.
TEST_F(ZooKeeperClient, keeps_watches_that_stay_and_sets_every_kind_again) {
  const auto client = open();
  line().welcome();
  client->exists("/absent", keep(), 1);
  line().reply(line().said.back().xid, Code::no_node);
  client->exists("/there", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, stat());
  client->add_watch("/node", wire::AddWatchMode::persistent, 1, keep());
  line().reply(line().said.back().xid, Code::ok);
  client->add_watch("/tree", wire::AddWatchMode::persistent_recursive, 1, keep());
  line().reply(line().said.back().xid, Code::ok);
  client->get("/tree/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  line().tell(EventType::node_deleted, "/tree/a");
  line().tell(EventType::node_created, "/tree/b/c");
  line().tell(EventType::node_created, "/treetop");
  line().tell(EventType::node_children_changed, "/node");
  line().tell(EventType::node_data_changed, "/node");
  EXPECT_EQ(fired_, (std::vector<std::pair<Client::WatchId, EventType>>{{1, EventType::node_deleted},
                                                                        {1, EventType::node_created},
                                                                        {1, EventType::node_children_changed},
                                                                        {1, EventType::node_data_changed}}));
  lose();
  executor_.run_for(1s);
  line().welcome();
  ASSERT_EQ(line().said.size(), 1u);
  EXPECT_EQ(line().said[0].op, wire::Op::set_watches2);
  wire::Reader body(line().said[0].body);
  (void)body.i64();
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/there"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/absent"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/node"});
  EXPECT_EQ(body.texts(), std::vector<std::string>{"/tree"});
}

TEST_F(ZooKeeperClient, does_not_set_again_what_was_removed) {
  const auto client = open();
  line().welcome();
  client->get("/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->add_watch("/a", wire::AddWatchMode::persistent, 1, keep());
  line().reply(line().said.back().xid, Code::ok);
  client->remove_watches("/a", wire::WatchKind::data, keep());
  line().reply(line().said.back().xid, Code::ok);
  const auto again = [&] {
    lose();
    executor_.run_for(1s);
    line().welcome();
    return line().said.size();
  };
  ASSERT_EQ(again(), 1u);
  wire::Reader body(line().said[0].body);
  (void)body.i64();
  EXPECT_EQ(body.texts(), std::vector<std::string>{});
  client->remove_watches("/a", wire::WatchKind::any, keep());
  line().reply(line().said.back().xid, Code::ok);
  EXPECT_EQ(again(), 0u);
}

TEST_F(ZooKeeperClient, sets_many_watches_again_in_frames_that_servers_take) {
  const auto client = open();
  line().welcome();
  const std::string long_name(1'000, 'x');
  for (Client::WatchId i = 1; i <= 2'000; ++i) {
    client->get("/" + std::to_string(i) + long_name, keep(), i);
    line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  }
  lose();
  executor_.run_for(1s);
  line().welcome();
  std::size_t paths = 0;
  for (const auto& each : line().said) {
    ASSERT_EQ(each.op, wire::Op::set_watches);
    EXPECT_LT(each.body.size(), 200u * 1024);
    wire::Reader body(each.body);
    (void)body.i64();
    paths += body.texts().size();
  }
  EXPECT_EQ(paths, 2'000u);
  EXPECT_GT(line().said.size(), 10u);
}

// What one frame of watches was told up to here, the next one may not have been.
TEST_F(ZooKeeperClient, remembers_what_it_has_seen_only_once_all_watches_are_set_again) {
  const auto client = open();
  line().welcome();
  for (Client::WatchId i = 1; i <= 300; ++i) {
    client->get("/" + std::to_string(i) + std::string(1'000, 'x'), keep(), i);
    line().reply(line().said.back().xid, Code::ok, text_and_stat(""), 7);
  }
  const auto again = [&] {
    lose();
    executor_.run_for(1s);
    line().welcome();
    return wire::Reader(line().said.back().body).i64();
  };
  EXPECT_EQ(again(), 7);
  ASSERT_EQ(line().count(wire::Op::set_watches), 3u);
  line().reply(wire::kSetWatchesXid, Code::ok, {}, 100);
  line().reply(wire::kPingXid, Code::ok, {}, 100);
  line().reply(wire::kSetWatchesXid, Code::ok, {}, 100);
  EXPECT_EQ(again(), 7);
  for (int i = 0; i < 3; ++i) line().reply(wire::kSetWatchesXid, Code::ok, {}, 100);
  EXPECT_EQ(again(), 100);
}

TEST_F(ZooKeeperClient, whose_watches_are_refused_fires_them_so_that_somebody_looks) {
  const auto client = open();
  line().welcome();
  client->get("/a", keep(), 1);
  line().reply(line().said.back().xid, Code::ok, text_and_stat(""));
  client->get_children("/b", keep(), 2);
  wire::Writer none;
  none.texts({});
  line().reply(line().said.back().xid, Code::ok, none.bytes());
  lose();
  executor_.run_for(1s);
  line().welcome();
  line().reply(wire::kSetWatchesXid, Code::throttled);
  EXPECT_EQ(fired_, (std::vector<std::pair<Client::WatchId, EventType>>{{1, EventType::node_data_changed},
                                                                        {2, EventType::node_children_changed}}));
}

}  // namespace
}  // namespace holdfast::zk
