// Who holds and who waits: ours and each make, in both roles, for every kind of lock.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "interop.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Ours, and who it meets. What one holds excludes what the other asks for.
struct Meeting {
  const char* name;
  const char* our_kind;
  Make other;
  const char* other_kind;
};

constexpr Meeting kMeetings[] = {
    {"mutexes_of_ours", "mutex", Make::holdfast, "mutex"},
    {"mutexes_of_ours_and_curator", "mutex", Make::curator, "mutex"},
    {"mutexes_of_ours_and_kazoo", "mutex", Make::kazoo, "mutex"},
    {"writers_of_ours", "write", Make::holdfast, "write"},
    {"writers_of_ours_and_curator", "write", Make::curator, "write"},
    {"writers_of_ours_and_kazoo", "write", Make::kazoo, "write"},
    {"a_writer_and_a_reader_of_ours", "write", Make::holdfast, "read"},
    {"a_writer_of_ours_and_a_reader_of_curator", "write", Make::curator, "read"},
    {"a_writer_of_ours_and_a_reader_of_kazoo", "write", Make::kazoo, "read"},
    {"a_reader_of_ours_and_a_writer_of_curator", "read", Make::curator, "write"},
    {"a_reader_of_ours_and_a_writer_of_kazoo", "read", Make::kazoo, "write"},
    {"semaphores_of_ours", "semaphore:1", Make::holdfast, "semaphore:1"},
    {"semaphores_of_ours_and_curator", "semaphore:1", Make::curator, "semaphore:1"},
    {"semaphores_of_ours_and_kazoo", "semaphore:1", Make::kazoo, "semaphore:1"},
};

class Matrix : public Interop, public ::testing::WithParamInterface<Meeting> {
 protected:
  void waits_for(Peer& holder, Peer& contender) {
    const auto first = holder.acquire();
    EXPECT_TRUE(nothing_but(first)) << "the token is that of the node";
    const auto asked = Peer::Clock::now();
    EXPECT_EQ(contender.acquire_within(kShortWait), std::nullopt);
    EXPECT_GE(Peer::Clock::now() - asked, kShortWait);
    EXPECT_TRUE(nothing_but(first)) << "who gave up left something behind";

    contender.send("acquire");
    ASSERT_TRUE(eventually(kSoon, [&] { return nodes().size() > 1; }));
    EXPECT_EQ(contender.reply(0ms), std::nullopt);
    holder.release();
    const auto second = contender.expect("acquired ").substr(9);
    EXPECT_LT(std::stoull(first), std::stoull(second));
    EXPECT_TRUE(nothing_but(second));
    contender.release();
    EXPECT_TRUE(eventually(kSoon, [&] { return nodes().empty(); }));
  }

 private:
  // All nodes of the lock, whatever it is made of.
  std::vector<Node> nodes() {
    if (!std::string_view(GetParam().our_kind).starts_with("semaphore")) return queue();
    auto all = queue(leases());
    std::ranges::copy(queue(locks()), std::back_inserter(all));
    return all;
  }
  [[nodiscard]] bool nothing_but(const std::string& token) {
    return eventually(kSoon, [&] {
      const auto all = nodes();
      return all.size() == 1 && std::to_string(all.front().czxid) == token;
    });
  }
};

TEST_P(Matrix, each_waits_until_the_other_releases) {
  auto& ours = start(Make::holdfast, GetParam().our_kind);
  auto& other = start(GetParam().other, GetParam().other_kind);
  {
    SCOPED_TRACE("ours holds");
    waits_for(ours, other);
  }
  {
    SCOPED_TRACE("the other holds");
    waits_for(other, ours);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Matrix, ::testing::ValuesIn(kMeetings),
                         [](const auto& instance) { return instance.param.name; });

struct Heritage {
  Make holder;
  Make heir;
};

class MatrixOfKills : public Interop, public ::testing::WithParamInterface<Heritage> {};

// Killed holders of a mutex are in kill_test.cc, those of a permit in semaphore_test.cc.
TEST_P(MatrixOfKills, a_waiting_writer_inherits_from_one_that_is_killed) {
  auto& holder = start(GetParam().holder, "write", kVictimSession);
  auto& heir = start(GetParam().heir, "write");
  const auto first = holder.acquire();
  heir.send("acquire");
  ASSERT_TRUE(queue_becomes(2));
  ASSERT_EQ(heir.reply(0ms), std::nullopt);

  holder.kill9();
  const auto killed = Peer::Clock::now();
  const auto second = heir.expect("acquired ").substr(9);
  EXPECT_GE(Peer::Clock::now() - killed, kVictimSession / 2) << "a hold that was not respected, see kill_test.cc";
  EXPECT_LT(std::stoull(first), std::stoull(second));
  EXPECT_EQ(queue().size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    All, MatrixOfKills,
    ::testing::Values(Heritage{Make::holdfast, Make::curator}, Heritage{Make::curator, Make::holdfast},
                      Heritage{Make::holdfast, Make::kazoo}, Heritage{Make::kazoo, Make::holdfast}),
    [](const auto& instance) {
      return std::string(to_string(instance.param.holder)) + "_then_" + to_string(instance.param.heir);
    });

// As fast as they can, where one step at a time shows nothing.
class MatrixInMotion : public Interop {
 protected:
  void excludes_each_other(const std::string& kind) {
    constexpr std::size_t kRounds = 50;
    std::vector<Peer*> peers;
    for (const auto make : {Make::holdfast, Make::curator, Make::kazoo}) peers.push_back(&start(make, kind));
    for (std::size_t i = 0; i < peers.size(); ++i) {
      peers[i]->start_rounds(kRounds, oracle_directory(), std::to_string(i));
    }
    for (auto* peer : peers) peer->finish_rounds(kSoon);
    const auto grants = checked_grants();
    EXPECT_EQ(grants.size(), peers.size() * kRounds);
    std::size_t changes = 0;
    for (std::size_t i = 1; i < grants.size(); ++i) changes += grants[i - 1].id != grants[i].id ? 1U : 0U;
    EXPECT_GE(changes, kRounds / 2) << "they hardly met";
  }
};

TEST_F(MatrixInMotion, of_writers_of_all_makes_has_never_two_inside) { excludes_each_other("write"); }
TEST_F(MatrixInMotion, of_semaphores_of_all_makes_has_never_two_inside) { excludes_each_other("semaphore:1"); }

}  // namespace
}  // namespace holdfast::testing
