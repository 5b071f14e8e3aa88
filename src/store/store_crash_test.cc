// Every call of a store's life fails once, and the power goes at every call. store_fault_test.cc has every combination.
#include <gtest/gtest.h>

#include "support/store_script.h"

namespace holdfast::store {
namespace {

using testing::Crash;
using Fault = testing::SimulatedDisk::Fault;

void fail_each_call(Durability durability) {
  const std::uint64_t calls = testing::calls_of_a_life(durability);
  for (std::uint64_t call = 1; call <= calls && !::testing::Test::HasFailure(); ++call) {
    for (const Fault fault : {Fault::io_error, Fault::short_one}) {
      const Crash crash = (call + static_cast<std::uint64_t>(fault)) % 2 == 0 ? Crash::process : Crash::power;
      testing::endure({durability, call, fault, 1, crash, call});
    }
  }
}

void die_at_each_call(Durability durability) {
  const std::uint64_t calls = testing::calls_of_a_life(durability);
  for (std::uint64_t call = 1; call <= calls && !::testing::Test::HasFailure(); ++call) {
    testing::endure({durability, call, Fault::power_off, 1, Crash::power, call});
    // The same for the process alone: what it did not get to sync is still there, until the power goes later.
    testing::endure({durability, call, Fault::power_off, 1, Crash::process, call});
  }
}

TEST(StoreCrash, loses_nothing_acknowledged_whichever_call_fails) { fail_each_call(Durability::power); }

TEST(StoreCrash, loses_nothing_acknowledged_whichever_call_fails_without_a_sync_per_group) {
  fail_each_call(Durability::process);
}

TEST(StoreCrash, recovers_from_death_and_loss_of_power_at_every_call) { die_at_each_call(Durability::power); }

TEST(StoreCrash, recovers_from_death_and_loss_of_power_at_every_call_without_a_sync_per_group) {
  die_at_each_call(Durability::process);
}

}  // namespace
}  // namespace holdfast::store
