#include "engine/change.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/engine.h"

namespace holdfast::engine {
namespace {

Transaction example() {
  const wire::AclList acl{{wire::permission::kAll, {"world", "anyone"}}, {wire::permission::kRead, {"digest", "a:b"}}};
  return {.zxid = 0x1'0000'0007,
          .time = 1'731'700'000'123,
          .changes = {SessionOpened{0x0100'0000'0000'0001, 30'000, std::string(16, '\x80')},
                      NodeCreated{"/a", "data", acl, Kind::ttl, 5'000, 1},
                      NodeCreated{"/a/b", std::nullopt, {}, Kind::ephemeral, 0x0100'0000'0000'0001, 1},
                      NodeCreated{"/c", "", acl, Kind::container, 0, 2}, DataSet{"/a", std::nullopt, 3},
                      DataSet{"/a", "", -1}, AclSet{"/a", acl, 9}, NodeRemoved{"/a/b"},
                      SessionClosed{0x0100'0000'0000'0001}}};
}

TEST(Change, comes_back_as_it_was) {
  const auto bytes = encode(example());
  Transaction decoded;
  ASSERT_TRUE(decode(bytes, decoded));
  EXPECT_EQ(decoded.zxid, 0x1'0000'0007);
  EXPECT_EQ(decoded.time, 1'731'700'000'123);
  ASSERT_EQ(decoded.changes.size(), 9u);
  const auto& opened = std::get<SessionOpened>(decoded.changes[0]);
  EXPECT_EQ(opened.session, 0x0100'0000'0000'0001);
  EXPECT_EQ(opened.timeout, 30'000);
  EXPECT_EQ(opened.password, std::string(16, '\x80'));
  const auto& created = std::get<NodeCreated>(decoded.changes[1]);
  EXPECT_EQ(created.path, "/a");
  EXPECT_EQ(created.data, "data");
  EXPECT_EQ(created.acl.size(), 2u);
  EXPECT_EQ(created.kind, Kind::ttl);
  EXPECT_EQ(created.owner, 5'000);
  EXPECT_EQ(created.parent_creations, 1);
  EXPECT_EQ(std::get<NodeCreated>(decoded.changes[2]).data, std::nullopt);
  EXPECT_EQ(std::get<NodeCreated>(decoded.changes[3]).data, "");
  EXPECT_EQ(std::get<DataSet>(decoded.changes[4]).data, std::nullopt);
  EXPECT_EQ(std::get<DataSet>(decoded.changes[5]).version, -1);
  EXPECT_EQ(std::get<AclSet>(decoded.changes[6]).version, 9);
  EXPECT_EQ(std::get<NodeRemoved>(decoded.changes[7]).path, "/a/b");
  EXPECT_EQ(std::get<SessionClosed>(decoded.changes[8]).session, 0x0100'0000'0000'0001);
  EXPECT_EQ(encode(decoded), bytes);
}

TEST(Change, of_nothing_comes_back) {
  Transaction decoded;
  EXPECT_TRUE(decode(encode(Transaction{.zxid = 1}), decoded));
  EXPECT_TRUE(decoded.changes.empty());
}

TEST(Change, that_is_cut_short_is_refused) {
  const auto bytes = encode(example());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Transaction decoded;
    EXPECT_FALSE(decode(std::string_view(bytes).substr(0, length), decoded)) << length;
  }
}

TEST(Change, that_is_too_long_is_refused) {
  Transaction decoded;
  EXPECT_FALSE(decode(encode(example()) + '\0', decoded));
}

// Checksums find these before; but nothing may happen that is worse than a wrong state.
TEST(Change, with_any_byte_flipped_is_refused_or_applied_and_never_crashes) {
  const auto bytes = encode(example());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      auto damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      Engine engine;
      if (!engine.replay(damaged, Moment(0))) ++refused;
    }
  }
  EXPECT_GT(refused, bytes.size());
}

TEST(Change, of_an_unknown_kind_is_refused) {
  auto bytes = encode(Transaction{.changes = {SessionClosed{1}}});
  Transaction decoded;
  ASSERT_TRUE(decode(bytes, decoded));
  bytes[3] = 2;  // the format
  EXPECT_FALSE(decode(bytes, decoded));
  bytes[3] = 1;
  for (const char tag : {'\0', '\x07', '\x7f'}) {
    bytes[27] = tag;
    EXPECT_FALSE(decode(bytes, decoded));
  }
}

TEST(Snapshot, record_that_is_cut_short_or_too_long_is_refused) {
  Engine source;
  Outcome opened = source.open_session(1, 1, 5, "word", std::chrono::seconds(1), Moment(0));
  source.settle({}, wire::WhoAmI{}, opened, {});
  source.begin_snapshot();
  std::size_t records = 0;
  while (const auto record = source.next_snapshot_record()) {
    ++records;
    for (std::size_t length = 0; length < record->size(); ++length) {
      Engine engine;
      EXPECT_FALSE(engine.restore(std::string_view(*record).substr(0, length), Moment(0))) << length;
      EXPECT_EQ(engine.sessions().size(), 0u);
    }
    Engine engine;
    EXPECT_FALSE(engine.restore(*record + '\0', Moment(0)));
  }
  EXPECT_EQ(records, 5u);
}

TEST(Snapshot, record_of_a_node_without_a_parent_is_refused) {
  Engine source;
  Engine engine;
  Transaction made{.zxid = 1, .changes = {NodeCreated{.path = "/a"}, NodeCreated{.path = "/a/b"}}};
  ASSERT_TRUE(source.replay(encode(made), Moment(0)));
  source.begin_snapshot();
  std::string last;
  while (auto record = source.next_snapshot_record()) last = *record;
  EXPECT_FALSE(engine.restore(last, Moment(0)));
}

}  // namespace
}  // namespace holdfast::engine
