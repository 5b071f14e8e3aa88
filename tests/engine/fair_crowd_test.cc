// A client that asks for little beside a crowd of connections that all ask for something expensive at the same moment, all from one
// address: it does not wait for the crowd, nor does a client that only comes to open a session, and no session ends.
//
//   engine_fair_crowd --minutes 10 --seed 7      for longer than the bounded run of CI
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "innocent.h"
#include "large_requests.h"
#include "session_client.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing::asking {

std::uint64_t seed = std::random_device{}();
std::chrono::minutes longer{0};

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kNodes = 50'000;
constexpr milliseconds kTimeout{5'000};
constexpr milliseconds kLongTimeout{100'000};
// More than any of these takes on a machine that does ten other things.
constexpr milliseconds kPatience{100'000};
constexpr int kRounds = 4;

struct Large {
  std::string name;
  int connections = 24;         // whose requests together take about a second
  std::function<Ask(int)> ask;  // of the connection of that number
  bool is_long = true;          // if it is answered as soon as it is read, no order can be seen
};

const std::vector<Large>& all_kinds() {
  static const std::vector<Large> kinds{
      {"getChildren", 500, [](int) { return get_children("/d"); }},
      {"getChildren2", 500, [](int) { return get_children2("/d"); }},
      // As long as an answer may be; too long, which is seen beforehand.
      {"multiReadOfListings", 48, [](int) { return multi_read_of(10, [](int) { return get_children("/d"); }); }},
      {"multiReadOfTooMany", 24, [](int) { return multi_read_of(100, [](int) { return get_children("/d"); }); }, false},
      {"multiRead", 100, [](int) { return multi_read_of(5'000, [](int j) { return get_data("/d/" + name_of(j)); }); }},
      {"getDataLarge", 60, [](int) { return multi_read_of(8, [](int) { return get_data("/large"); }); }},
      {"setDataLarge", 200, [](int) { return set_data("/large", std::string(900'000, 'x')); }},
      {"multi", 100,
       [](int i) { return multi_of(2'000, [&](int j) { return create(fmt::format("/n/{}-{}", i, j)); }); }},
      {"multiOfOneNode", 50, [](int) { return multi_of(10'000, [](int) { return set_data("/n", ""); }); }},
      {"multiThatFails", 100,
       [](int) {
         return multi_of(5'000, [&](int j) { return create(j == 4'999 ? "/d" : fmt::format("/n/x-{}", j)); });
       }},
      {"createLongAcl", 200,
       [](int i) {
         return Ask{Op::create,
                    JuteWriter().text(fmt::format("/n/a{}", i)).text("").raw(long_acl(4'000, i)).i32(0).bytes()};
       }},
      {"setWatches", 50,
       [](int i) {
         const auto paths = texts(20'000, [&](int j) { return fmt::format("/w{}/{}", i, j); });
         return Ask{Op::set_watches, JuteWriter().i64(0).i32(0).raw(paths).i32(0).bytes()};
       }},
  };
  return kinds;
}

class Crowd {
 public:
  Crowd(std::uint16_t port, int connections) {
    for (int i = 0; i < connections; ++i) {
      members_.push_back(std::make_unique<SessionClient>(port, Who{.timeout = kLongTimeout}));
    }
  }

  void send(const Large& large) {
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->send(large.ask(static_cast<int>(i)));
  }
  int answered() const {
    int count = 0;
    for (const auto& member : members_) count += member->raw().readable() ? 1 : 0;
    return count;
  }
  // How many answers came.
  int receive() {
    int count = 0;
    for (const auto& member : members_) count += member->receive(kPatience).came() ? 1 : 0;
    return count;
  }
  int size() const { return static_cast<int>(members_.size()); }

 private:
  std::vector<std::unique_ptr<SessionClient>> members_;
};

class FairCrowd : public ::testing::TestWithParam<std::string> {
 protected:
  FairCrowd() {
    SessionClient maker(server_.port());
    for (const auto* path : {"/d", "/n", "/large"}) EXPECT_TRUE(maker.call(create(path)).ok());
    EXPECT_TRUE(maker.call(set_data("/large", std::string(900'000, 'x'))).ok());
    create_all(maker, "/d", kNodes, kPersistent);
  }

  ZooKeeperServer server_{{.make = ServerMake::engine, .tick_time = milliseconds(500)}};
};

// All their requests are there before the small one is, when the server begins to read.
TEST_P(FairCrowd, lets_a_small_request_and_a_new_session_pass_that_sends) {
  const auto& kinds = all_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [](const Large& each) { return each.name == GetParam(); });
  ASSERT_NE(kind, kinds.end());
  Crowd crowd(server_.port(), kind->connections);
  SessionClient innocent(server_.port(), Who{.timeout = kTimeout});

  server_.pause();
  crowd.send(*kind);
  innocent.send(exists("/"));
  RawClient newcomer(server_.port());
  newcomer.send_frame(Handshake{}.bytes());
  server_.resume();

  EXPECT_TRUE(innocent.receive(kPatience).ok());
  const auto before_innocent = crowd.answered();
  const auto greeting = newcomer.receive(kPatience);
  const auto before_newcomer = crowd.answered();
  EXPECT_LE(before_innocent, crowd.size() / 2);
  ASSERT_EQ(greeting.outcome, RawClient::Outcome::frame);
  EXPECT_NE(parse_handshake_reply(greeting.frame).session, 0);
  EXPECT_LE(before_newcomer, crowd.size() * 3 / 4);
  EXPECT_EQ(crowd.receive(), crowd.size()) << "they have their turn, too";
  fmt::print("of {} requests {} were answered before the small one, {} before the new session\n", crowd.size(),
             before_innocent, before_newcomer);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& each : all_kinds()) {
    if (each.is_long) all.push_back(each.name);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, FairCrowd, ::testing::ValuesIn(names()),
                         [](const ::testing::TestParamInfo<std::string>& param) { return param.param; });

using FairCrowds = FairCrowd;

// A client keeps a lock as long as its heartbeats are answered in two thirds of its timeout.
TEST_F(FairCrowds, that_come_again_and_again_cost_no_session) {
  fmt::print("seed {}\n", seed);
  std::mt19937_64 random(seed);
  Innocent innocent(server_.port(), kTimeout);
  const auto end = Clock::now() + longer;
  int rounds = 0;
  for (; (rounds < kRounds || Clock::now() < end) && !innocent.ended(); ++rounds) {
    const auto& kind = all_kinds()[random() % all_kinds().size()];
    const auto connections = 1 + static_cast<int>(random() % static_cast<unsigned>(kind.connections));
    SCOPED_TRACE(fmt::format("round {}: {} connections, {}", rounds, connections, kind.name));
    Crowd crowd(server_.port(), connections);
    for (auto waves = 1 + random() % 3; waves > 0; --waves) {
      crowd.send(kind);
      ASSERT_EQ(crowd.receive(), connections);
    }
  }
  innocent.stop();
  fmt::print("{} rounds; the slowest of {} answers took {} ms\n", rounds, innocent.answers(),
             innocent.slowest().count());
  EXPECT_FALSE(innocent.lost());
  EXPECT_EQ(innocent.wrong(), 0);
  EXPECT_GT(innocent.answers(), 0);
  EXPECT_LT(innocent.slowest(), kTimeout * 2 / 3);
}

}  // namespace
}  // namespace holdfast::testing::asking

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--minutes") holdfast::testing::asking::longer = std::chrono::minutes(std::atoi(argv[i + 1]));
    if (option == "--seed") holdfast::testing::asking::seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return RUN_ALL_TESTS();
}
