// Clients of several makes pass one lock around as fast as they can.
#include <cstdio>
#include <map>

#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A run of 1,000 takes 2 to 4 s on an idle machine.
constexpr auto kRunTimeout = 120s;

class HandOver : public Interop {
 protected:
  // One peer for each entry, all in the queue before the first is granted. Returns how often the lock went from one make
  // to another.
  std::size_t pass_around(const std::vector<Make>& makes, std::size_t rounds) {
    std::vector<Peer*> peers;
    for (const auto make : makes) peers.push_back(&start(make));
    auto client = connect();
    auto mutex = client.mutex(kPath);
    auto gate = mutex.acquire();
    for (std::size_t i = 0; i < peers.size(); ++i) peers[i]->start_rounds(rounds, oracle_directory(), id(makes[i], i));
    EXPECT_TRUE(queue_becomes(peers.size() + 1));
    const auto began = Peer::Clock::now();
    EXPECT_FALSE(gate.release());
    for (auto* peer : peers) peer->finish_rounds(kRunTimeout);
    const std::chrono::duration<double> took = Peer::Clock::now() - began;

    const auto grants = checked_grants();
    EXPECT_EQ(grants.size(), makes.size() * rounds);
    std::map<std::string, std::size_t> of_each;
    for (const auto& grant : grants) ++of_each[grant.id];
    for (std::size_t i = 0; i < makes.size(); ++i) EXPECT_EQ(of_each[id(makes[i], i)], rounds) << id(makes[i], i);
    EXPECT_TRUE(queue_becomes(0));

    const auto make_of = [](const Oracle::Grant& grant) { return grant.id.substr(0, grant.id.find('-')); };
    std::size_t changes = 0;
    for (std::size_t i = 1; i < grants.size(); ++i) changes += make_of(grants[i - 1]) != make_of(grants[i]) ? 1U : 0U;
    RecordProperty("changes", static_cast<int>(changes));
    std::printf("%zu hand-overs in %.2f s, %zu from one make to another\n", grants.size(), took.count(), changes);
    return changes;
  }

 private:
  static std::string id(Make make, std::size_t i) { return std::string(to_string(make)) + "-" + std::to_string(i); }
};

// How many changes there must be: every peer goes to the end of the queue after each of its rounds, so while all have
// rounds left, the makes take turns. A quick client may be in the queue again before a slow one, which makes them fewer.

TEST_F(HandOver, a_thousand_among_two_of_curator_and_two_of_ours) {
  EXPECT_GE(pass_around({Make::curator, Make::holdfast, Make::curator, Make::holdfast}, 250), 100U);
}

TEST_F(HandOver, three_hundred_among_kazoo_and_ours) {
  EXPECT_GE(pass_around({Make::kazoo, Make::holdfast}, 150), 30U);
}

TEST_F(HandOver, three_hundred_among_all_three) {
  EXPECT_GE(pass_around({Make::curator, Make::kazoo, Make::holdfast}, 100), 50U);
}

}  // namespace
}  // namespace holdfast::testing
