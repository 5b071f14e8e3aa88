#include "store/posix_disk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "support/store_ledger.h"
#include "support/temp_dir.h"

namespace holdfast::store {
namespace {

using testing::Crash;
using testing::Ledger;
using testing::TempDir;

TEST(PosixDisk, reads_what_was_written_and_cuts_it) {
  const TempDir directory("store");
  const std::string path = directory / "file";
  PosixDisk disk;
  EXPECT_EQ(disk.open(path, Disk::Mode::read).error(), std::errc::no_such_file_or_directory);
  const auto file = disk.open(path, Disk::Mode::create);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write_at(3, "abc"));
  ASSERT_TRUE((*file)->sync());
  std::string bytes(10, 'x');
  EXPECT_EQ((*file)->read_at(1, bytes), 5U);
  EXPECT_EQ(bytes.substr(0, 5), std::string("\0\0abc", 5));
  ASSERT_TRUE((*file)->truncate(4));
  EXPECT_EQ((*file)->size(), 4U);
  EXPECT_FALSE((*disk.open(path, Disk::Mode::read))->write_at(0, "x"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST(PosixDisk, makes_lists_renames_and_removes) {
  const TempDir directory("store");
  PosixDisk disk;
  const std::string deep = directory / "a/b/";
  ASSERT_TRUE(disk.make_directory(deep));
  ASSERT_TRUE(disk.make_directory(deep));
  ASSERT_TRUE(disk.open(deep + "/x", Disk::Mode::create));
  ASSERT_TRUE(disk.rename(deep + "/x", deep + "/y"));
  ASSERT_TRUE(disk.sync_directory(deep));
  EXPECT_EQ(disk.list(deep), std::vector<std::string>{"y"});
  ASSERT_TRUE(disk.remove(deep + "/y"));
  EXPECT_EQ(disk.list(deep), std::vector<std::string>{});
  EXPECT_FALSE(disk.remove(deep + "/y"));
  EXPECT_FALSE(disk.list(directory / "nowhere"));
  { std::ofstream(directory / "file") << "x"; }
  EXPECT_EQ(disk.make_directory(directory / "file").error(), std::errc::not_a_directory);
}

TEST(PosixDisk, gives_a_lock_to_one_at_a_time_and_says_who_has_it) {
  const TempDir directory("store");
  PosixDisk disk;
  auto lock = disk.lock(directory / "lock");
  ASSERT_TRUE(lock);
  const auto second = disk.lock(directory / "lock");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error, std::errc::resource_unavailable_try_again);
  EXPECT_EQ(second.error().process, ::getpid());
  lock->reset();
  EXPECT_TRUE(disk.lock(directory / "lock"));
  EXPECT_NE(disk.random(), disk.random());
}

TEST(PosixDisk, keeps_a_directory_locked_although_the_lock_file_is_removed) {
  const TempDir directory("store");
  PosixDisk disk;
  const std::string path = directory / "lock";
  EXPECT_FALSE(disk.locked_by(path));
  const auto lock = disk.lock(path);
  ASSERT_TRUE(lock);
  EXPECT_EQ(disk.locked_by(path), ::getpid());
  ASSERT_TRUE(disk.remove(path));
  EXPECT_EQ(disk.locked_by(path), 0);
  const auto second = disk.lock(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error, std::errc::resource_unavailable_try_again);
}

TEST(PosixDisk, knows_when_a_locked_directory_was_moved_or_replaced) {
  const TempDir directory("store");
  PosixDisk disk;
  const std::string data = directory / "data";
  ASSERT_TRUE(disk.make_directory(data));
  const auto lock = disk.lock(data + "/lock");
  ASSERT_TRUE(lock);
  EXPECT_TRUE((*lock)->in_place());
  ASSERT_TRUE(disk.rename(data, directory / "elsewhere"));
  EXPECT_FALSE((*lock)->in_place());
  ASSERT_TRUE(disk.make_directory(data));
  EXPECT_FALSE((*lock)->in_place());
}

TEST(PosixDisk, knows_one_start_of_the_machine_from_the_next) {
  PosixDisk disk;
  EXPECT_NE(disk.boot(), 0U);
  EXPECT_EQ(disk.boot(), PosixDisk().boot());
}

TEST(PosixDisk, writes_nothing_into_a_directory_that_was_put_in_the_place_of_its_own) {
  const TempDir directory("store");
  PosixDisk disk;
  const Options options{.data_directory = directory / "data", .segment_bytes = 1'000};
  Ledger ledger(Durability::power);
  auto store = ledger.open(disk, options, Crash::process);
  ledger.append(*store, {900, 900});
  ASSERT_TRUE(disk.rename(options.data_directory, directory / "elsewhere"));
  ASSERT_TRUE(disk.make_directory(options.data_directory));
  ledger.append(*store, {10});  // in a new segment
  EXPECT_EQ(ledger.refused(), 1U);
  EXPECT_FALSE(store->begin_snapshot(store->last_index()));
  EXPECT_EQ(disk.list(options.data_directory), std::vector<std::string>{});
  ASSERT_EQ(::rmdir(options.data_directory.c_str()), 0);
  ASSERT_TRUE(disk.rename(directory / "elsewhere", options.data_directory));
  ledger.append(*store, {10});
  EXPECT_EQ(ledger.refused(), 1U);
}

TEST(PosixDisk, carries_a_store_through_restarts) {
  const TempDir directory("store");
  PosixDisk disk;
  for (const Durability durability : {Durability::power, Durability::process}) {
    const std::string name = durability == Durability::power ? "power" : "process";
    const Options options{.data_directory = directory / name,
                          .log_directory = directory / (name + "-log"),
                          .durability = durability,
                          .segment_bytes = 4096};
    Ledger ledger(durability);
    for (int round = 0; round < 4; ++round) {
      auto store = ledger.open(disk, options, Crash::process);
      ASSERT_TRUE(store);
      for (int i = 0; i < 10; ++i) ledger.append(*store, {100, 0, 1000});
      ledger.snapshot(*store, {50});
      ledger.append(*store, {7});
      if (round == 2) ledger.close(*store);
    }
    ASSERT_TRUE(ledger.open(disk, options, Crash::process));
    EXPECT_EQ(ledger.snapshots(), 4U);
    EXPECT_EQ(ledger.refused() + ledger.unknown(), 0U);
  }
}

}  // namespace
}  // namespace holdfast::store
