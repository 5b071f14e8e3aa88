#include "store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/simulated_disk.h"
#include "support/store_ledger.h"

namespace holdfast::store {
namespace {

using testing::Collector;
using testing::Crash;
using testing::Ledger;
using testing::Shelf;
using testing::SimulatedDisk;
using Fault = SimulatedDisk::Fault;
using Kind = AppendFailure::Kind;

class StoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> open(Crash crash = Crash::process) { return ledger_.open(disk_, options_, crash); }

  Failure refusal() {
    Collector collector;
    auto store = Store::open(disk_, options_, collector);
    EXPECT_FALSE(store);
    return store ? Failure{} : store.error();
  }

  std::size_t count(std::string_view prefix) const {
    const auto paths = disk_.paths();
    return static_cast<std::size_t>(
        std::count_if(paths.begin(), paths.end(), [&](const std::string& path) { return path.starts_with(prefix); }));
  }

  void damage(const std::string& path, std::size_t at) {
    std::string bytes = disk_.content(path);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
    disk_.set_content(path, bytes);
  }

  SimulatedDisk disk_;
  Options options_{.data_directory = "/data", .log_directory = "/log", .segment_bytes = 1000, .snapshots_kept = 2};
  Ledger ledger_{Durability::power};
};

TEST_F(StoreTest, delivers_what_was_appended_in_order_and_counts_its_starts) {
  {
    auto store = open();
    EXPECT_EQ(store->epoch(), 1);
    EXPECT_EQ(store->last_index(), 0);
    const std::string zeros("\0\0", 2);
    const std::vector<Record> records{{5, "five"}, {1ULL << 32, ""}, {(1ULL << 32) + 1, zeros}};
    ASSERT_TRUE(store->append(records));
    ASSERT_TRUE(store->append({}));
    EXPECT_EQ(store->last_index(), (1ULL << 32) + 1);
  }
  Collector collector;
  const auto store = Store::open(disk_, options_, collector);
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->epoch(), 2);
  EXPECT_EQ(collector.shelf, (Shelf{{5, "five"}, {1ULL << 32, ""}, {(1ULL << 32) + 1, std::string("\0\0", 2)}}));
  EXPECT_EQ((*store)->recovered().log_records, 3);
  EXPECT_EQ((*store)->recovered().torn_bytes, 0);
}

TEST_F(StoreTest, refuses_indexes_that_do_not_grow_and_records_above_the_limit) {
  auto store = open();
  ASSERT_TRUE(store->append(std::vector<Record>{{7, "a"}}));
  const std::string large(kRecordLimit + 1, 'x');
  for (const std::vector<Record>& bad :
       {std::vector<Record>{{7, "b"}}, {{9, "b"}, {9, "c"}}, {{9, "b"}, {8, "c"}}, {{8, large}}}) {
    const auto appended = store->append(bad);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().kind, Kind::refused);
  }
  EXPECT_EQ(store->last_index(), 7);
  store.reset();
  Collector collector;
  ASSERT_TRUE(Store::open(disk_, options_, collector));
  EXPECT_EQ(collector.shelf, (Shelf{{7, "a"}}));
}

TEST_F(StoreTest, takes_a_record_as_long_as_the_limit) {
  {
    auto store = open();
    const std::string large(kRecordLimit, 'x');
    ASSERT_TRUE(store->append(std::vector<Record>{{1, large}, {2, "b"}}));
  }
  Collector collector;
  ASSERT_TRUE(Store::open(disk_, options_, collector));
  EXPECT_EQ(collector.shelf.at(1).size(), kRecordLimit);
  EXPECT_EQ(collector.shelf.at(2), "b");
}

TEST_F(StoreTest, keeps_a_second_engine_out_and_says_where_and_who) {
  auto store = open();
  const Failure failure = refusal();
  EXPECT_EQ(failure.file, "/data");
  EXPECT_EQ(failure.message, "/data: another engine, process 4711, uses this directory");
  options_.data_directory = "/elsewhere";
  EXPECT_EQ(refusal().file, "/log");
}

TEST_F(StoreTest, refuses_to_begin_at_one_again_when_only_the_epoch_is_gone) {
  ledger_.append(*open(), {10});
  disk_.erase("/data/epoch");
  EXPECT_EQ(refusal().message, "/data/epoch: it is missing, but there are a log or snapshots; restore it from a copy");
}

TEST_F(StoreTest, removes_what_a_crash_left_unfinished_and_nothing_else) {
  ledger_.append(*open(), {10});
  for (const char* path :
       {"/data/epoch.tmp", "/data/reached.tmp", "/data/snapshot.0000000000000001.tmp", "/log/log.0000000000000009.tmp",
        "/data/notes.tmp", "/log/log.9", "/data/snapshot.000000000000000G"}) {
    disk_.set_content(path, "?");
  }
  open();
  const auto paths = disk_.paths();
  EXPECT_EQ(paths,
            (std::vector<std::string>{"/data/epoch", "/data/notes.tmp", "/data/reached",
                                      "/data/snapshot.000000000000000G", "/log/log.0000000000000001", "/log/log.9"}));
}

TEST_F(StoreTest, delivers_a_snapshot_and_the_log_behind_its_beginning) {
  {
    auto store = open();
    ledger_.append(*store, {10, 10});
    ledger_.snapshot(*store, {10, 10});
    ledger_.append(*store, {10});
  }
  auto store = open();
  EXPECT_EQ(store->recovered().snapshot_begin, 6);
  EXPECT_EQ(store->recovered().snapshot_records, 3);
  EXPECT_EQ(store->recovered().log_records, 3);  // two of them were appended while it was written
}

TEST_F(StoreTest, writes_a_snapshot_of_many_blocks_and_of_none) {
  {
    auto store = open();
    ASSERT_TRUE((*store->begin_snapshot(0))->finish(0));
  }
  EXPECT_EQ(open()->recovered().snapshot_records, 0);
  {
    auto store = open();
    ledger_.append(*store, {100'000, 1, 70'000, 65'536, 3});
    ledger_.snapshot(*store, {1});
  }
  EXPECT_EQ(open()->recovered().snapshot_records, 6);
}

TEST_F(StoreTest, keeps_the_newest_snapshots_and_the_log_they_need) {
  auto store = open();
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 4; ++j) ledger_.append(*store, {300});
    ledger_.snapshot(*store, {10});
    EXPECT_LE(count("/data/snapshot."), 2);
    EXPECT_LE(count("/log/log."), 6);
  }
  EXPECT_EQ(ledger_.snapshots(), 6);
  EXPECT_EQ(count("/data/snapshot."), 2);
  store.reset();
  // The older of the two is as good as the newer.
  damage(disk_.paths().at(3), 100);
  store = open();
  EXPECT_EQ(store->recovered().damaged_snapshots, 1);
  EXPECT_EQ(count("/data/snapshot."), 2);
  EXPECT_TRUE(disk_.paths().at(3).ends_with(".damaged"));
}

TEST_F(StoreTest, keeps_the_log_in_one_directory_with_the_snapshots_if_told_so) {
  options_.log_directory.clear();
  {
    auto store = open();
    ledger_.append(*store, {10});
    ledger_.snapshot(*store, {10});
  }
  open();
  EXPECT_EQ(count("/data/"), 4U);
}

TEST_F(StoreTest, knows_one_directory_by_several_names) {
  for (const char* name : {"/data/", "/data/.", "//data", "/x/../data"}) {
    options_.log_directory = name;
    EXPECT_TRUE(open()) << name;
  }
  EXPECT_EQ(disk_.paths(), (std::vector<std::string>{"/data/epoch", "/data/reached"}));
  options_.data_directory.clear();
  EXPECT_FALSE(refusal().message.empty());
}

TEST_F(StoreTest, names_the_newest_snapshot_if_none_is_whole_and_the_log_is_not_either) {
  {
    auto store = open();
    for (int i = 0; i < 3; ++i) {
      ledger_.append(*store, {2000});
      ledger_.snapshot(*store, {2000});
    }
  }
  const auto paths = disk_.paths();
  damage(paths.at(2), 100);
  damage(paths.at(3), 100);
  const Failure failure = refusal();
  EXPECT_EQ(failure.file, paths.at(3));
  EXPECT_EQ(failure.offset, 56);
  EXPECT_EQ(disk_.paths(), paths);
}

TEST_F(StoreTest, replays_the_whole_log_if_it_is_there_and_no_snapshot_is_whole) {
  {
    auto store = open();
    ledger_.append(*store, {10});
    ledger_.snapshot(*store, {10});
  }
  damage(disk_.paths().at(2), 0);
  EXPECT_EQ(open()->recovered().log_records, 2);
}

TEST_F(StoreTest, refuses_a_snapshot_that_knows_more_than_the_log) {
  {
    auto store = open();
    ledger_.append(*store, {10});
    ledger_.append(*store, {10});
    ledger_.snapshot(*store, {10});
  }
  const std::string path = "/log/log.0000000000000001";
  disk_.set_content(path, disk_.content(path).substr(0, 56 + 56));
  EXPECT_EQ(refusal().message,
            "/log/log.0000000000000001: at offset 112 the log ends with index 3, but had reached index 9, as "
            "/data/snapshot.0000000000000006 shows: its end is missing; restore the store from a copy");
}

TEST_F(StoreTest, names_a_segment_that_is_missing_in_the_middle) {
  {
    auto store = open();
    for (int i = 0; i < 3; ++i) ledger_.append(*store, {2000});
  }
  disk_.erase("/log/log.0000000000000002");
  EXPECT_EQ(refusal().file, "/log/log.0000000000000002");
}

TEST_F(StoreTest, says_where_a_record_stands_that_its_user_refuses) {
  {
    auto store = open();
    ledger_.append(*store, {10, 10});
  }
  struct Picky final : Recovery {
    tl::expected<void, std::string> snapshot_record(std::string_view) override { return {}; }
    tl::expected<void, std::string> log_record(Index index, std::string_view) override {
      if (index < 6) return {};
      return tl::unexpected(std::string("there is a node of an unknown kind"));
    }
  } picky;
  const auto store = Store::open(disk_, options_, picky);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().message, "/log/log.0000000000000001: at offset 112 there is a node of an unknown kind");
}

TEST_F(StoreTest, leaves_nothing_of_a_snapshot_that_was_given_up) {
  auto store = open();
  ledger_.append(*store, {10});
  {
    auto writer = store->begin_snapshot(3);
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->add("x"));
    EXPECT_FALSE(store->begin_snapshot(3));  // one at a time
    EXPECT_EQ(count("/data/snapshot."), 1);
  }
  EXPECT_EQ(count("/data/snapshot."), 0);
  EXPECT_TRUE(store->begin_snapshot(3));
}

TEST_F(StoreTest, finishes_no_snapshot_of_what_the_log_does_not_have) {
  auto store = open();
  ledger_.append(*store, {10});
  EXPECT_FALSE(store->begin_snapshot(4));
  EXPECT_FALSE((*store->begin_snapshot(3))->finish(4));
  EXPECT_FALSE((*store->begin_snapshot(3))->finish(2));
  auto writer = store->begin_snapshot(3);
  disk_.fail(disk_.calls() + 1, Fault::no_space);
  ledger_.append(*store, {10});
  ledger_.append(*store, {10});
  EXPECT_EQ(ledger_.refused(), 1);
  EXPECT_FALSE((*writer)->finish(6));  // it might show what was refused
}

TEST_F(StoreTest, refuses_groups_while_the_disk_is_full_and_goes_on_when_there_is_room) {
  auto store = open();
  ledger_.append(*store, {10});
  disk_.set_capacity(5000);
  int appended = 0;
  while (ledger_.refused() < 5 && appended < 100) {
    ledger_.append(*store, {200, 100});
    ++appended;
  }
  EXPECT_EQ(ledger_.refused(), 5);
  EXPECT_EQ(ledger_.unknown(), 0);
  EXPECT_GT(ledger_.shelf().size(), 10U);  // there was room for these, if not for zeros
  disk_.set_capacity(1 << 20);
  ledger_.append(*store, {200, 100});
  EXPECT_EQ(ledger_.refused(), 5);
  store.reset();
  disk_.crash();
  open(Crash::power);
}

TEST_F(StoreTest, says_unknown_while_it_cannot_take_back_what_it_wrote) {
  auto store = open();
  ledger_.append(*store, {10});
  disk_.fail(disk_.calls() + 1, Fault::io_error, 1000);
  ledger_.append(*store, {10});
  ledger_.append(*store, {10});
  EXPECT_EQ(ledger_.unknown(), 2);
  disk_.heal();
  ledger_.append(*store, {10});
  EXPECT_EQ(ledger_.shelf().size(), 2);
  store.reset();
  open();
}

TEST_F(StoreTest, begins_a_new_segment_after_a_sync_that_failed) {
  auto store = open();
  ledger_.append(*store, {10});
  disk_.fail(disk_.calls() + 2, Fault::io_error);  // a write, then the sync
  ledger_.append(*store, {10});
  EXPECT_EQ(ledger_.refused(), 1);
  EXPECT_EQ(count("/log/log."), 1);
  ledger_.append(*store, {10});
  EXPECT_EQ(count("/log/log."), 2);
}

TEST_F(StoreTest, syncs_every_group_or_none_as_it_was_told) {
  for (const Durability durability : {Durability::power, Durability::process}) {
    SimulatedDisk disk;
    Ledger ledger(durability);
    options_.durability = durability;
    options_.segment_bytes = 1 << 20;
    auto store = ledger.open(disk, options_, Crash::none);
    for (int i = 0; i < 3; ++i) {
      ledger.append(*store, {10});
      EXPECT_EQ(disk.all_durable("/log"), durability == Durability::power);
    }
    // A clean end makes everything durable, whatever was asked for.
    ledger.close(*store);
    EXPECT_TRUE(disk.all_durable());
    EXPECT_EQ(store->append(std::vector<Record>{{1000, "x"}}).error().kind, Kind::refused);
  }
}

TEST_F(StoreTest, makes_durable_what_it_delivers_even_if_a_sync_of_it_once_failed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimulatedDisk disk(seed);
    Ledger ledger(Durability::power);
    {
      auto store = ledger.open(disk, options_, Crash::none);
      ledger.append(*store, {10});
      disk.fail(disk.calls() + 2, Fault::io_error, 2);  // the sync, and the cut that would take the group back
      ledger.append(*store, {700, 700});
      EXPECT_EQ(ledger.unknown(), 1);
    }
    ledger.open(disk, options_, Crash::process);
    EXPECT_EQ(ledger.shelf().size(), 3);
    disk.crash();
    ledger.open(disk, options_, Crash::power);
    EXPECT_EQ(ledger.shelf().size(), 3);
  }
}

TEST_F(StoreTest, refuses_an_epoch_file_that_is_older_than_the_log) {
  open();
  const std::string old = disk_.content("/data/epoch");
  ledger_.append(*open(), {10});
  disk_.set_content("/data/epoch", old);
  EXPECT_EQ(refusal().message, "/data/epoch: it is older than /data/reached; restore the store from a copy");
}

TEST_F(StoreTest, makes_what_it_delivers_durable_first) {
  options_.durability = Durability::process;
  Ledger ledger(Durability::process);
  ledger.append(*ledger.open(disk_, options_, Crash::none), {10, 2000});
  EXPECT_FALSE(disk_.all_durable("/log"));
  const auto store = ledger.open(disk_, options_, Crash::process);
  EXPECT_TRUE(disk_.all_durable("/log"));
}

}  // namespace
}  // namespace holdfast::store
