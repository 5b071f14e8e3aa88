// store_script.h -- a life of a store, short enough to let every single call of it fail.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "store/store.h"
#include "support/simulated_disk.h"
#include "support/store_ledger.h"

namespace holdfast::testing {

// Small segments, two snapshots kept: rolls and purges happen within a few groups.
inline store::Options script_options(store::Durability durability) {
  return {.data_directory = "/data",
          .log_directory = "/log",
          .durability = durability,
          .segment_bytes = 2048,
          .snapshots_kept = 2};
}

// Opens, appends, rolls, snapshots, purges, is killed, opens again, closes, opens again; goes on after whatever fails. False if
// the store could not be opened again.
inline bool live(SimulatedDisk& disk, Ledger& ledger, store::Durability durability) {
  const store::Options options = script_options(durability);
  Crash before = Crash::none;
  for (int round = 0; round < 3; ++round) {
    auto store = ledger.open(disk, options, before, true);
    // One call fails at a time: the second attempt gets through.
    if (!store) store = ledger.open(disk, options, before, true);
    if (!store) return false;
    ledger.append(*store, {10});
    ledger.append(*store, {0, 700, 3});
    ledger.append(*store, {513});
    ledger.snapshot(*store, {40, 41});
    ledger.append(*store, {1500, 20});
    ledger.append(*store, {600});
    ledger.snapshot(*store, {30, 5});
    ledger.append(*store, {1, 2});
    if (round == 1) ledger.close(*store);
    before = Crash::process;
  }
  return true;
}

// How many calls that makes, if none fails.
inline std::uint64_t calls_of_a_life(store::Durability durability) {
  SimulatedDisk disk;
  Ledger ledger(durability);
  EXPECT_TRUE(live(disk, ledger, durability));
  EXPECT_EQ(ledger.refused() + ledger.unknown(), 0U);
  EXPECT_EQ(ledger.snapshots(), 6U);
  EXPECT_GT(disk.calls(), 150U);
  return disk.calls();
}

struct Trial {
  store::Durability durability = store::Durability::power;
  std::uint64_t call = 1;  // the first that fails
  SimulatedDisk::Fault fault = SimulatedDisk::Fault::io_error;
  std::uint64_t count = 1;  // how many fail in a row
  Crash crash = Crash::power;
  std::uint64_t seed = 1;
};

// Lives with that fault, is then killed or loses power, and opens twice without faults.
inline void endure(const Trial& trial) {
  SCOPED_TRACE(fmt::format("call {}, fault {}, count {}, crash {}, seed {}", trial.call, static_cast<int>(trial.fault),
                           trial.count, static_cast<int>(trial.crash), trial.seed));
  SimulatedDisk disk(trial.seed);
  Ledger ledger(trial.durability);
  disk.fail(trial.call, trial.fault, trial.count);
  live(disk, ledger, trial.durability);
  disk.heal();
  if (trial.crash == Crash::power) disk.crash();
  const store::Options options = script_options(trial.durability);
  if (auto store = ledger.open(disk, options, trial.crash)) ledger.append(*store, {5, 5});
  // What was delivered once is delivered for ever.
  disk.crash();
  ledger.open(disk, options, Crash::power);
}

}  // namespace holdfast::testing
