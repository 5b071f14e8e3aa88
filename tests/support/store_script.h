// store_script.h -- a life of a store, short enough to let every single call of it fail.
#pragma once

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

}  // namespace holdfast::testing
