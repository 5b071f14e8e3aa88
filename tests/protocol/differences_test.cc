// Where the engine answers otherwise than ZooKeeper, and means it: one test for each row of docs/protocol.md. Both
// servers are asked, so that a row whose reason is gone is noticed.
#include <gtest/gtest.h>

#include "asker.h"
#include "server_pair.h"
#include "support/eventually.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Longer than any answer takes, as there is none to wait for.
constexpr auto kNoAnswer = 1s;

class AcceptedDifference : public ::testing::Test {
 protected:
  ZooKeeperServer apache_{server_options(ServerMake::apache)};
  ZooKeeperServer engine_{server_options(ServerMake::engine)};
};

TEST_F(AcceptedDifference, a_check_on_its_own_is_answered) {
  const auto check_root = JuteWriter().text("/").i32(-1);
  Asker theirs(apache_.port());
  theirs.raw().send_request(1, static_cast<std::int32_t>(Op::check), check_root.bytes());
  EXPECT_EQ(theirs.raw().receive(kNoAnswer).outcome, RawClient::Outcome::silence);
  EXPECT_EQ(theirs.err(Op::exists, JuteWriter().text("/").boolean(false)), 0) << "it goes on after that";
  EXPECT_EQ(Asker(engine_.port()).err(Op::check, check_root), 0);
}

TEST_F(AcceptedDifference, a_create_with_a_ttl_but_without_its_flags_is_refused) {
  const auto no_ttl = create_payload("/a").i64(-1);
  Asker theirs(apache_.port());
  EXPECT_FALSE(theirs.err(Op::create_ttl, no_ttl));
  EXPECT_TRUE(eventually(10s, [&] { return !apache_.serving(); })) << "ZooKeeper survived";

  Asker ours(engine_.port());
  EXPECT_EQ(ours.err(Op::create_ttl, no_ttl), -8);
  EXPECT_EQ(ours.err(Op::exists, JuteWriter().text("/a").boolean(false)), -101);
}

TEST_F(AcceptedDifference, a_client_cannot_create_sessions_by_request) {
  const auto timeout = JuteWriter().i32(1);
  Asker theirs(apache_.port());
  theirs.raw().send_request(1, static_cast<std::int32_t>(Op::create_session), timeout.bytes());
  const auto received = theirs.raw().receive();
  ASSERT_EQ(received.outcome, RawClient::Outcome::frame);
  EXPECT_EQ(parse_handshake_reply(received.frame).session, theirs.session());
  EXPECT_TRUE(theirs.is_closed()) << "it expires now, as it asked for";

  Asker ours(engine_.port());
  EXPECT_EQ(ours.err(Op::create_session, timeout), -6);
  EXPECT_TRUE(ours.is_closed());
}

TEST_F(AcceptedDifference, a_wrong_password_does_not_disturb_the_rightful_owner) {
  const auto disturb = [](std::uint16_t port, Asker& owner) {
    const Asker intruder(port, {.session = owner.session(), .password = std::string(16, 'x')});
    EXPECT_EQ(intruder.session(), 0);
    return owner.is_closed(kNoAnswer);
  };
  Asker theirs(apache_.port());
  EXPECT_TRUE(disturb(apache_.port(), theirs));
  Asker ours(engine_.port());
  EXPECT_FALSE(disturb(engine_.port(), ours));
  EXPECT_EQ(ours.err(Op::exists, JuteWriter().text("/").boolean(false)), 0);
}

TEST_F(AcceptedDifference, null_where_text_belongs_is_malformed) {
  const auto create_with = [](const Text& scheme, const Text& id) {
    return JuteWriter().text("/a").text("").i32(1).i32(31).text(scheme).text(id).i32(0);
  };
  const JuteWriter nothing;
  const auto null = path_payload(std::nullopt);
  const auto null_list = JuteWriter().i64(0).i32(0).i32(0).i32(-1);
  struct Row {
    Op op;
    JuteWriter payload;
    std::int32_t theirs;
    std::int32_t ours = -5;
  };
  std::vector<Row> rows{
      // Here they agree.
      {Op::exists, JuteWriter(null).boolean(false), -5},
      {Op::get_data, JuteWriter(null).boolean(false), -5},
      {Op::get_children, JuteWriter(null).boolean(false), -5},
      {Op::get_acl, null, -5},
      {Op::delete_node, JuteWriter(null).i32(-1), -5},
      {Op::create, create_payload(std::nullopt), -5},
      {Op::create, create_with("world", std::nullopt), -5},
      {Op::create, create_with(std::nullopt, "x"), -114, -114},
      {Op::create, create_with(std::nullopt, std::nullopt), -114, -114},  // Java's new Id()
      {Op::check_watches, JuteWriter(null).i32(3), -5},
      {Op::get_ephemerals, null, 0, 0},
      // Here ZooKeeper gets further, and stumbles later or not at all.
      {Op::set_data, JuteWriter(null).text("").i32(-1), -8},
      {Op::set_acl, JuteWriter(null).i32(1).i32(31).text("world").text("anyone").i32(-1), -8},
      {Op::check, JuteWriter(null).i32(-1), -8},
      {Op::remove_watches, JuteWriter(null).i32(3), -121},
      {Op::sync, null, 0},
      {Op::add_watch, JuteWriter(null).i32(0), 0},
      // And here we do: none is none.
      {Op::set_watches, null_list, -5, 0},
  };
  Asker theirs(apache_.port());
  Asker ours(engine_.port());
  for (const Row& row : rows) {
    EXPECT_EQ(theirs.err(row.op, row.payload), row.theirs) << to_string(row.op);
    EXPECT_EQ(ours.err(row.op, row.payload), row.ours) << to_string(row.op);
  }
}

TEST_F(AcceptedDifference, text_is_given_back_as_it_came) {
  struct Row {
    std::string sent;
    std::string theirs;
  };
  const Row rows[] = {{"/\xf0\x9f\x98\x80", "/\xed\xa0\xbd\xed\xb8\x80"},  // a smile, as CESU-8
                      {"/\xff", "/\xef\xbf\xbd"}};                         // no UTF-8 at all
  Asker theirs(apache_.port());
  Asker ours(engine_.port());
  for (const Row& row : rows) {
    EXPECT_EQ(theirs.ask(Op::sync, path_payload(row.sent)).body, path_payload(row.theirs).bytes());
    EXPECT_EQ(ours.ask(Op::sync, path_payload(row.sent)).body, path_payload(row.sent).bytes());
    // Nodes cannot have such names.
    EXPECT_EQ(theirs.err(Op::create, create_payload(row.sent)), -8);
    EXPECT_EQ(ours.err(Op::create, create_payload(row.sent)), -8);
  }
}

TEST_F(AcceptedDifference, nobody_watches_a_relative_path) {
  const auto relative = JuteWriter().text("a").i32(3);
  EXPECT_EQ(Asker(apache_.port()).err(Op::check_watches, relative), -5);
  EXPECT_EQ(Asker(engine_.port()).err(Op::check_watches, relative), -121);
}

TEST_F(AcceptedDifference, there_is_no_body_behind_an_error) {
  const auto a_write = JuteWriter().i32(2).boolean(false).i32(-1).text("/a").i32(-1).i32(-1).boolean(true).i32(-1);
  const auto theirs = Asker(apache_.port()).ask(Op::multi_read, a_write);
  const auto ours = Asker(engine_.port()).ask(Op::multi_read, a_write);
  EXPECT_EQ(theirs.err, -5);
  EXPECT_EQ(theirs.body, JuteWriter().i32(-1).boolean(true).i32(-1).bytes());
  EXPECT_EQ(ours.err, -5);
  EXPECT_EQ(ours.body, "");
}

TEST_F(AcceptedDifference, quotas_are_nodes_like_others) {
  const auto counted = [](std::uint16_t port) {
    Asker asker(port);
    for (const char* path : {"/a", "/zookeeper/quota/a"}) EXPECT_EQ(asker.err(Op::create, create_payload(path)), 0);
    const std::string stats = "/zookeeper/quota/a/zookeeper_stats";
    EXPECT_EQ(asker.err(Op::create, create_payload("/zookeeper/quota/a/zookeeper_limits", "count=9,bytes=-1")), 0);
    EXPECT_EQ(asker.err(Op::create, create_payload(stats, "count=0,bytes=0")), 0);
    EXPECT_EQ(asker.err(Op::create, create_payload("/a/b", "four")), 0);
    const auto answer = asker.ask(Op::get_data, JuteWriter().text(stats).boolean(false));
    return JuteReader(answer.body).text();
  };
  EXPECT_EQ(counted(apache_.port()), "count=2,bytes=4");
  EXPECT_EQ(counted(engine_.port()), "count=0,bytes=0");
}

TEST_F(AcceptedDifference, every_start_begins_a_new_epoch_of_zxids) {
  const auto epochs_apart = [](ZooKeeperServer& server) {
    const std::int64_t before = Asker(server.port()).ask(Op::create, create_payload("/a")).zxid;
    server.restart();
    const std::int64_t after = Asker(server.port()).ask(Op::create, create_payload("/b")).zxid;
    EXPECT_GT(after, before);
    return (after >> 32) - (before >> 32);
  };
  EXPECT_EQ(epochs_apart(apache_), 0);
  EXPECT_GT(epochs_apart(engine_), 0);
}

TEST_F(AcceptedDifference, a_path_has_at_most_a_thousand_levels) {
  const auto deepest = [](std::uint16_t port) {
    Asker asker(port);
    std::string path;
    for (int level = 1; level <= 1'001; ++level) {
      path += "/d";
      if (const auto err = asker.err(Op::create, create_payload(path)); err != 0) return level - 1;
    }
    return 1'001;
  };
  EXPECT_EQ(deepest(apache_.port()), 1'001);
  EXPECT_EQ(deepest(engine_.port()), 1'000);
}

}  // namespace
}  // namespace holdfast::testing
