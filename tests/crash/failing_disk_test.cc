// The whole engine on a disk that fails: at every single call, in every way, and until it is mended.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "disk_round.h"
#include "support/eventually.h"

namespace holdfast::testing::asking {
namespace {

// More calls than there are; what fails for so long fails until it is mended.
constexpr std::uint64_t kForEver = 1'000'000;

struct Tally {
  std::size_t rounds = 0;
  std::size_t refused = 0;
  std::size_t unknown = 0;
};

// Every `step`th call fails, and the `count` - 1 behind it.
Tally fail_at_every_call(SimulatedDisk::Fault fault, std::uint64_t count, std::uint64_t step) {
  Tally tally;
  int past_the_end = 0;
  for (std::uint64_t call = 1;; call += step) {
    SCOPED_TRACE(fmt::format("call {}", call));
    DiskRound round(call);
    const auto first = round.disk().calls();
    round.disk().fail(first + call, fault, count);
    round.write_all();
    const bool reached = round.disk().calls() >= first + call;
    round.disk().heal();
    round.expect_recovery();
    round.crash_and_look();
    ++tally.rounds;
    tally.refused += round.refused();
    tally.unknown += round.unknown();
    // Not the same number of calls in each round: a snapshot may be under way when the next is due.
    past_the_end = reached ? 0 : past_the_end + 1;
    if (past_the_end == 5 || ::testing::Test::HasFailure()) break;
  }
  fmt::print("{} rounds, {} writes refused, {} unknown\n", tally.rounds, tally.refused, tally.unknown);
  return tally;
}

TEST(FailingDisk, that_has_no_space_at_any_one_call_refuses_and_goes_on) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::no_space, 1, 1);
  EXPECT_GT(tally.refused, 0U);
}

TEST(FailingDisk, that_writes_half_at_any_one_call_refuses_and_goes_on) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::short_one, 1, 1);
  EXPECT_GT(tally.refused, 0U);
}

TEST(FailingDisk, that_has_an_error_at_any_one_call_refuses_and_goes_on) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::io_error, 1, 1);
  EXPECT_GT(tally.refused, 0U);
}

// Nobody can tell what is in the log, for a while.
TEST(FailingDisk, that_cannot_take_back_what_it_wrote_closes_connections_and_goes_on_when_it_can) {
  const auto tally = fail_at_every_call(SimulatedDisk::Fault::io_error, 3, 9);
  EXPECT_GT(tally.unknown, 0U);
}

TEST(FailingDisk, that_is_full_refuses_every_write_answers_every_read_and_goes_on_when_there_is_room) {
  for (std::uint64_t room = 0; room < 500; room += 50) {
    SCOPED_TRACE(fmt::format("{} bytes left", room));
    DiskRound round(room);
    round.write_all();
    round.fill_up(room);
    round.write_in_vain();
    round.disk().set_capacity(std::numeric_limits<std::uint64_t>::max());
    round.expect_recovery();
    round.crash_and_look();
  }
}

// For longer than sessions last: whoever is silent ends afterwards, whoever comes back in time does not.
TEST(FailingDisk, that_leaves_the_log_in_doubt_for_long_costs_no_session_that_comes_back_and_keeps_none_that_does_not) {
  DiskRound round(1);
  round.write_all();
  SessionClient silent(round.port(), {.timeout = kShort});
  ASSERT_TRUE(silent.call(create("/silent", "", kEphemeral)).ok());
  SessionClient back(round.port(), {.timeout = kShort});
  ASSERT_TRUE(back.call(create("/back", "", kEphemeral)).ok());
  round.disk().fail(round.disk().calls() + 1, SimulatedDisk::Fault::io_error, kForEver);
  round.expect_silence();
  const auto since = std::chrono::steady_clock::now();
  ASSERT_TRUE(eventually(kSoon, [&] { return std::chrono::steady_clock::now() - since > 10 * kShort; }));
  round.disk().heal();
  std::unique_ptr<SessionClient> again;
  ASSERT_TRUE(eventually(kSoon, [&] {
    again = std::make_unique<SessionClient>(round.port(), back.who());
    return again->greeting().has_value();
  }));
  EXPECT_TRUE(again->accepted());
  EXPECT_TRUE(again->call(exists("/back")).ok());
  EXPECT_TRUE(eventually(kSoon, [&] {
    EXPECT_TRUE(again->call(ping()).ok());
    return again->call(exists("/silent")).err == -101;
  })) << "a session that nobody speaks for is still there";
  EXPECT_EQ(round.client().call(exists("/d/in-doubt")).err, -101);
}

TEST(FailingDisk, that_leaves_the_log_in_doubt_does_not_keep_the_engine_from_stopping) {
  DiskRound round(1);
  round.write_all();
  round.disk().fail(round.disk().calls() + 1, SimulatedDisk::Fault::io_error, kForEver);
  round.expect_silence();
  round.stop();
  round.disk().heal();
  round.crash_and_look();
}

}  // namespace
}  // namespace holdfast::testing::asking
