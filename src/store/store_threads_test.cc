// Snapshots are written by one thread while another appends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/posix_disk.h"
#include "support/store_ledger.h"
#include "support/temp_dir.h"

namespace holdfast::store {
namespace {

using testing::Collector;
using testing::TempDir;

constexpr Index kGroups = 400;
constexpr int kSnapshots = 5;

class StoreThreads : public ::testing::TestWithParam<Durability> {};

TEST_P(StoreThreads, snapshots_are_written_and_logs_purged_while_others_append) {
  const TempDir directory("store");
  PosixDisk disk;
  const Options options{.data_directory = directory.path().string(),
                        .durability = GetParam(),
                        .segment_bytes = 4096,
                        .snapshots_kept = 2};
  {
    Collector collector;
    auto opened = Store::open(disk, options, collector);
    ASSERT_TRUE(opened) << opened.error().message;
    Store& store = **opened;
    std::atomic<int> snapshots = 0;
    std::jthread snapshotter([&] {
      while (snapshots < kSnapshots) {
        const Index begin = store.last_index();
        auto writer = store.begin_snapshot(begin);
        if (!writer) break;
        bool added = true;
        for (Index index = 1; index <= begin; ++index) {
          added = added && (*writer)->add(fmt::format("{} value {}", index, index));
        }
        if (!added || !(*writer)->finish(store.last_index())) break;
        ++snapshots;
      }
    });
    // Ends after both: there is always a thread to disturb. Bounded, should the other thread give up.
    for (Index index = 1; index <= kGroups || (snapshots < kSnapshots && index < 100 * kGroups); index += 2) {
      const std::string first = fmt::format("value {}", index);
      const std::string second = fmt::format("value {}", index + 1);
      ASSERT_TRUE(store.append(std::vector<Record>{{index, first}, {index + 1, second}}));
    }
    snapshotter.join();
    EXPECT_EQ(snapshots, kSnapshots);
  }
  Collector collector;
  auto opened = Store::open(disk, options, collector);
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_GE(collector.shelf.size(), kGroups);
  EXPECT_EQ(collector.shelf.size(), (*opened)->last_index());
  for (const auto& [index, bytes] : collector.shelf) ASSERT_EQ(bytes, fmt::format("value {}", index));
  EXPECT_GT((*opened)->recovered().snapshot_records, 0U);
}

INSTANTIATE_TEST_SUITE_P(Durability, StoreThreads, ::testing::Values(Durability::power, Durability::process),
                         [](const auto& param) { return param.param == Durability::power ? "power" : "process"; });

}  // namespace
}  // namespace holdfast::store
