// Every call of a store's life fails once, in every way; and the power goes at every call.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/simulated_disk.h"
#include "support/store_ledger.h"
#include "support/store_script.h"

namespace holdfast::store {
namespace {

using testing::Crash;
using testing::Ledger;
using testing::SimulatedDisk;
using Fault = SimulatedDisk::Fault;

std::uint64_t calls_of_a_life(Durability durability) {
  SimulatedDisk disk;
  Ledger ledger(durability);
  EXPECT_TRUE(testing::live(disk, ledger, durability));
  EXPECT_EQ(ledger.refused() + ledger.unknown(), 0);
  EXPECT_EQ(ledger.snapshots(), 6);
  return disk.calls();
}

// Lives with that fault, then is killed or loses power, and opens twice without faults.
void live_with(Durability durability, std::uint64_t call, Fault fault, std::uint64_t count, Crash crash,
               std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("call {}, fault {}, count {}, seed {}", call, static_cast<int>(fault), count, seed));
  SimulatedDisk disk(seed);
  Ledger ledger(durability);
  disk.fail(call, fault, count);
  testing::live(disk, ledger, durability);
  disk.heal();
  if (crash == Crash::power) disk.crash();
  const Options options = testing::script_options(durability);
  {
    auto store = ledger.open(disk, options, crash);
    if (store) ledger.append(*store, {5, 5});
  }
  // What was delivered once is delivered for ever.
  if (crash == Crash::power) disk.crash();
  ledger.open(disk, options, crash);
}

void live_with_each_call_failing(Durability durability, std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t calls = calls_of_a_life(durability);
  ASSERT_GT(calls, 150);
  for (std::uint64_t call = 1; call <= calls && !::testing::Test::HasFailure(); ++call) {
    for (const Fault fault : {Fault::io_error, Fault::no_space, Fault::short_one}) {
      for (const Crash crash : {Crash::process, Crash::power}) {
        live_with(durability, call, fault, count, crash, seed + call);
      }
    }
  }
}

TEST(StoreFault, nothing_acknowledged_is_lost_whichever_call_fails) {
  live_with_each_call_failing(Durability::power, 1, 1);
}

TEST(StoreFault, nothing_acknowledged_is_lost_whichever_call_fails_without_a_sync_per_group) {
  live_with_each_call_failing(Durability::process, 1, 1);
}

TEST(StoreFault, nothing_acknowledged_is_lost_when_several_calls_fail_in_a_row) {
  for (const std::uint64_t count : {2, 3, 7}) live_with_each_call_failing(Durability::power, count, 1000 * count);
}

TEST(StoreFault, recovers_from_a_loss_of_power_at_every_call) {
  for (const Durability durability : {Durability::power, Durability::process}) {
    const std::uint64_t calls = calls_of_a_life(durability);
    for (std::uint64_t call = 1; call <= calls && !HasFailure(); ++call) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        live_with(durability, call, Fault::power_off, 1, Crash::power, seed * 7919 + call);
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::store
