// A client that only stays alive, beside one that pipelines what is expensive: its session never ends, whatever is asked for. How many
// requests of others it waits for is counted where that can be counted: src/server/pipeline_test.cc, and beside a crowd in
// fair_crowd_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "innocent.h"
#include "large_requests.h"
#include "session_client.h"
#include "support/eventually.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing::asking {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kNodes = 20'000;
constexpr milliseconds kTimeout{2'000};
// More than any of these takes on a machine that does ten other things.
constexpr milliseconds kPatience{100'000};
// Of requests without an answer: far less than the server takes before it stops reading.
constexpr std::size_t kInFlight = 2 << 20;

std::string watched(int i) { return "/w/" + name_of(i); }

// What is pipelined, and what may be answered.
struct Greed {
  std::string name;
  int count = 1;
  std::function<Ask(int)> ask;
  std::set<std::int32_t> errors{0};
  std::function<void(SessionClient&)> before{};
};

std::vector<Greed> all_kinds() {
  const auto ephemerals = [](SessionClient& client) { create_all(client, "/e", 10'000, kEphemeral); };
  const auto watches = [](SessionClient& client) {
    for (int i = 0; i < 20'000; i += 1'000) {
      const auto exist = texts(1'000, [&](int j) { return watched(i + j); });
      ASSERT_TRUE(client.call({Op::set_watches, JuteWriter().i64(0).i32(0).raw(exist).i32(0).bytes()}).ok());
    }
  };
  const auto identities = [](SessionClient& client) {
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(
          client.call({Op::auth, JuteWriter().i32(0).text("digest").text(fmt::format("me{}:x", i)).bytes()}).ok());
    }
  };
  const auto large = std::string(900'000, 'x');
  const auto acl_of_d = [](SessionClient& client) {
    // Readable by all, after four thousand others.
    JuteWriter list;
    list.i32(4'000);
    for (int i = 0; i < 3'999; ++i) list.i32(31).text("digest").text(fmt::format("user{}:x", i));
    list.i32(31).text("world").text("anyone");
    ASSERT_TRUE(client.call({Op::set_acl, JuteWriter().text("/d").raw(list.bytes()).i32(-1).bytes()}).ok());
  };
  const auto set_watches2 = [](int i) {
    const auto paths = texts(10'000, [&](int j) { return fmt::format("/w{}/{}", i, j); });
    return Ask{Op::set_watches2, JuteWriter().i64(0).i32(0).i32(0).i32(0).raw(paths).raw(paths).bytes()};
  };
  return {
      {"ping", 20'000, [](int) { return ping(); }},
      {"exists", 20'000, [](int i) { return exists("/d/" + name_of(i)); }},
      {"existsWatched", 20'000, [](int i) { return exists(watched(i), true); }, {-101}},
      {"getData", 20'000, [](int i) { return get_data("/d/" + name_of(i)); }},
      {"getDataLarge",
       100,
       [](int) { return get_data("/large"); },
       {0},
       [large](SessionClient& client) { ASSERT_TRUE(client.call(create("/large", large)).ok()); }},
      {"setData", 5'000, [](int i) { return set_data("/d/" + name_of(i), "x"); }},
      {"setDataLarge", 60, [large](int) { return set_data("/d", large); }},
      {"create", 5'000, [](int i) { return create("/n/" + name_of(i)); }},
      {"createEphemeral", 5'000, [](int i) { return create("/e/" + name_of(i), "", kEphemeral); }},
      {"createLongAcl", 100,
       [](int i) {
         return Ask{Op::create,
                    JuteWriter().text(fmt::format("/n/{}", i)).text("").raw(long_acl(4'000, i)).i32(0).bytes()};
       }},
      {"createTooLongAcl",
       30,
       [](int i) {
         return Ask{Op::create, JuteWriter().text("/n/x").text("").raw(long_acl(30'000, i)).i32(0).bytes()};
       },
       {-114}},
      {"createContainer", 5'000,
       [](int i) {
         return Ask{Op::create_container, create("/n/" + name_of(i), "", 4).payload};
       }},
      {"createTTL",
       1'000,
       [](int i) {
         return Ask{Op::create_ttl, JuteWriter().raw(create("/n/" + name_of(i), "", 5).payload).i64(1).bytes()};
       },
       {-6}},
      {"delete", 10'000, [](int i) { return remove("/d/" + name_of(i)); }},
      {"deleteContainer", 1'000, [](int) { return by_path(Op::delete_container, "/d"); }, {-8}},
      {"getACL", 300, [](int) { return by_path(Op::get_acl, "/d"); }, {0}, acl_of_d},
      {"setACL",
       100,
       [](int i) {
         return Ask{Op::set_acl, JuteWriter().text("/n").raw(long_acl(4'000, i)).i32(-1).bytes()};
       },
       {0, -102}},
      {"getChildren", 200, [](int) { return get_children("/d"); }},
      {"getChildren2", 200, [](int) { return get_children2("/d"); }},
      {"sync", 20'000, [](int) { return by_path(Op::sync, "/"); }},
      {"check", 20'000,
       [](int) {
         return Ask{Op::check, JuteWriter().text("/d").i32(-1).bytes()};
       }},
      {"multi", 10,
       [](int i) { return multi_of(5'000, [&](int j) { return create(fmt::format("/n/{}-{}", i, j)); }); }},
      {"multiOfOneNode", 10, [](int) { return multi_of(10'000, [](int) { return set_data("/n", ""); }); }},
      {"multiThatFails", 10,
       [](int i) {
         return multi_of(5'000, [&](int j) { return create(j == 4'999 ? "/d" : fmt::format("/n/{}-{}", i, j)); });
       }},
      {"multiOfChecks",
       5,
       [](int) {
         return multi_of(30'000, [](int) { return Ask{Op::check, JuteWriter().text("/d").i32(-1).bytes()}; });
       },
       {0},
       [=](SessionClient& client) {
         identities(client);
         acl_of_d(client);
       }},
      {"multiRead", 20, [](int) { return multi_read_of(5'000, [](int j) { return get_data("/d/" + name_of(j)); }); }},
      {"multiReadOfListings", 10, [](int) { return multi_read_of(25, [](int) { return get_children("/d"); }); }},
      {"reconfig",
       1'000,
       [](int) {
         return Ask{Op::reconfig, JuteWriter().text("").text("").text("").i64(-1).bytes()};
       },
       {-123}},
      {"checkWatches",
       20'000,
       [](int i) {
         return Ask{Op::check_watches, JuteWriter().text(watched(i)).i32(2).bytes()};
       },
       {0},
       watches},
      {"removeWatches",
       20'000,
       [](int i) {
         return Ask{Op::remove_watches, JuteWriter().text(watched(i)).i32(2).bytes()};
       },
       {0},
       watches},
      {"setWatches", 10,
       [](int i) {
         const auto paths = texts(20'000, [&](int j) { return i % 2 == 0 ? watched(j) : "/d/" + name_of(j); });
         return Ask{Op::set_watches, JuteWriter()
                                         .i64(0)
                                         .raw(i % 2 == 0 ? JuteWriter().i32(0).bytes() : paths)
                                         .raw(i % 2 == 0 ? paths : JuteWriter().i32(0).bytes())
                                         .i32(0)
                                         .bytes()};
       }},
      {"setWatches2", 10, set_watches2},
      {"addWatch", 20'000, [](int i) { return add_watch(watched(i), i % 2); }},
      {"whoAmI",
       5'000,
       [](int) {
         return Ask{Op::who_am_i, {}};
       },
       {0},
       identities},
      {"getEphemerals", 200, [](int) { return by_path(Op::get_ephemerals, "/"); }, {0}, ephemerals},
      {"getAllChildrenNumber", 20'000, [](int) { return by_path(Op::get_all_children_number, "/d"); }},
      {"auth", 60,
       [](int i) {
         return Ask{Op::auth, JuteWriter().i32(0).text("digest").text(fmt::format("a{}:b", i)).bytes()};
       }},
      {"closeSession", 1, [](int) { return close_session(); }, {0}, ephemerals},
      // Not a request: the connection goes, and with it all that it watched.
      {"disconnect", 0, {}, {}, watches},
  };
}

class Fairness : public ::testing::TestWithParam<std::string> {};

TEST_P(Fairness, costs_no_session_beside_a_pipeline_of) {
  const auto kinds = all_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [](const Greed& each) { return each.name == GetParam(); });
  ASSERT_NE(kind, kinds.end());
  ZooKeeperServer server({.make = ServerMake::engine, .tick_time = milliseconds(500)});
  {
    SessionClient maker(server.port());
    for (const auto* path : {"/d", "/n", "/e"}) ASSERT_TRUE(maker.call(create(path)).ok());
    create_all(maker, "/d", kNodes, kPersistent);
  }
  Innocent innocent(server.port(), kTimeout);
  auto greedy = std::make_unique<SessionClient>(server.port(), Who{.timeout = milliseconds(10'000)});
  if (kind->before) kind->before(*greedy);
  if (HasFatalFailure()) return;

  int sent = 0;
  std::size_t in_flight = 0;
  std::vector<std::pair<std::int32_t, std::size_t>> waiting;
  std::size_t next = 0;
  while (sent < kind->count || next < waiting.size()) {
    while (sent < kind->count && in_flight < kInFlight) {
      const auto ask = kind->ask(sent++);
      waiting.emplace_back(greedy->send(ask), ask.payload.size() + 12);
      in_flight += waiting.back().second;
    }
    const auto answer = greedy->receive(kPatience);
    ASSERT_TRUE(answer.came()) << "after " << next << " answers";
    ASSERT_EQ(answer.xid, waiting[next].first) << "in the order of the requests";
    ASSERT_TRUE(kind->errors.contains(answer.err)) << answer.err;
    in_flight -= waiting[next++].second;
  }
  greedy.reset();
  // It stands whatever the other has left behind, too.
  const auto before = innocent.answers();
  (void)eventually(kPatience, [&] { return innocent.answers() >= before + 3 || innocent.ended(); });
  innocent.stop();
  EXPECT_FALSE(innocent.lost());
  EXPECT_EQ(innocent.wrong(), 0);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& each : all_kinds()) all.push_back(each.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, Fairness, ::testing::ValuesIn(names()),
                         [](const ::testing::TestParamInfo<std::string>& param) { return param.param; });

// It is not silent: what it sent is here, and only the server has been away.
TEST(Silence, of_the_server_costs_no_session_whose_client_has_spoken_meanwhile) {
  ZooKeeperServer server({.make = ServerMake::engine, .tick_time = milliseconds(200)});
  constexpr milliseconds kShort{3'000};
  bool in_time = false;
  // Again if this machine is so slow that the sessions had to end before they had a chance.
  for (int attempt = 0; attempt < 10 && !in_time; ++attempt) {
    const auto begin = Clock::now();
    std::vector<std::unique_ptr<SessionClient>> clients;
    for (int i = 0; i < 50; ++i) {
      clients.push_back(std::make_unique<SessionClient>(server.port(), Who{.timeout = kShort}));
    }
    server.pause();
    in_time = Clock::now() - begin < kShort / 2;
    for (std::size_t i = 0; i < clients.size(); ++i) clients[i]->send(i % 2 == 0 ? exists("/") : ping());
    const auto since = Clock::now();
    (void)eventually(2 * kShort, [&] { return Clock::now() - since > kShort + kShort / 2; });
    server.resume();
    if (!in_time) continue;
    for (auto& client : clients) ASSERT_TRUE(client->receive().ok());
  }
  EXPECT_TRUE(in_time);
}

}  // namespace
}  // namespace holdfast::testing::asking
