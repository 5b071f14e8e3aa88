// Every call of a store's life fails, in every way, alone and in a row, followed by every kind of crash; and the power goes at
// every call, many times over.
#include <gtest/gtest.h>

#include "support/store_script.h"

namespace holdfast::store {
namespace {

using testing::Crash;
using Fault = testing::SimulatedDisk::Fault;

class StoreFault : public ::testing::TestWithParam<Durability> {
 protected:
  void fail_each_call(Fault fault) {
    const std::uint64_t calls = testing::calls_of_a_life(GetParam());
    for (std::uint64_t call = 1; call <= calls && !HasFailure(); ++call) {
      for (const std::uint64_t count : {1, 2, 5}) {
        for (const Crash crash : {Crash::process, Crash::power}) {
          testing::endure({GetParam(), call, fault, count, crash, 100 * call + count});
        }
      }
    }
  }
};

TEST_P(StoreFault, loses_nothing_acknowledged_when_calls_fail) { fail_each_call(Fault::io_error); }

TEST_P(StoreFault, loses_nothing_acknowledged_when_there_is_no_room) { fail_each_call(Fault::no_space); }

TEST_P(StoreFault, loses_nothing_acknowledged_when_writes_are_cut_short) { fail_each_call(Fault::short_one); }

TEST_P(StoreFault, recovers_from_a_loss_of_power_at_every_call) {
  const std::uint64_t calls = testing::calls_of_a_life(GetParam());
  for (std::uint64_t call = 1; call <= calls && !HasFailure(); ++call) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Crash crash = seed % 4 == 0 ? Crash::process : Crash::power;
      testing::endure({GetParam(), call, Fault::power_off, 1, crash, seed * 7919 + call});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Durability, StoreFault, ::testing::Values(Durability::power, Durability::process),
                         [](const auto& param) { return param.param == Durability::power ? "power" : "process"; });

}  // namespace
}  // namespace holdfast::store
