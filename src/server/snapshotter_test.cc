#include "server/snapshotter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "server/recovery.h"
#include "support/engine/state.h"
#include "support/manual_loop.h"
#include "support/simulated_disk.h"

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

const wire::AclList kOpen{{wire::permission::kAll, {"world", "anyone"}}};

class SnapshotterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.data_dir = "/data";
    auto opened = recover(engine_, disk_, options_, loop_.now());
    ASSERT_TRUE(opened) << opened.error();
    store_ = std::move(*opened);
  }
  void begin(std::size_t after) {
    snapshotter_ =
        std::make_unique<Snapshotter>(loop_, engine_, *store_, SnapshotDue::Bounds{after, std::uint64_t{1} << 40},
                                      [this] { snapshotter_->turn(changes_); });
  }
  // Writes a node, as the pipeline does, and tells the snapshotter.
  void write(const std::string& path) {
    const auto zxid = static_cast<wire::Zxid>(store_->last_index() + 1);
    const wire::Request create = wire::Create{.op = wire::Op::create, .path = path, .data = "data", .acl = kOpen};
    auto outcome = engine_.execute({}, zxid, 0, create);
    ASSERT_EQ(outcome.code, wire::Code::ok);
    const auto bytes = encode(outcome.transaction);
    const store::Record record{static_cast<store::Index>(zxid), bytes};
    ASSERT_TRUE(store_->append({&record, 1}));
    engine_.settle({}, create, outcome, [](engine::ConnectionId, const wire::Event&) {});
    ++changes_;
    if (snapshotter_) snapshotter_->turn(changes_);
  }
  void write_many(int count) {
    for (int i = 0; i < count; ++i) write("/n" + std::to_string(next_++));
  }
  std::size_t snapshots() const {
    const auto paths = disk_.paths();
    return static_cast<std::size_t>(std::count_if(paths.begin(), paths.end(), [](const std::string& path) {
      return path.find("/snapshot") != std::string::npos && path.find("tmp") == std::string::npos;
    }));
  }
  // What another life finds.
  std::string recovered() {
    snapshotter_.reset();
    store_.reset();
    engine::Engine other;
    auto opened = recover(other, disk_, options_, loop_.now());
    if (!opened) return opened.error();
    from_snapshot_ = (*opened)->recovered().snapshot_records;
    from_log_ = (*opened)->recovered().log_records;
    return testing::describe(other);
  }

  EngineOptions options_;
  testing::ManualLoop loop_;
  testing::SimulatedDisk disk_;
  engine::Engine engine_;
  std::unique_ptr<store::Store> store_;
  std::size_t changes_ = 0;
  int next_ = 0;
  std::uint64_t from_snapshot_ = 0;
  std::uint64_t from_log_ = 0;
  std::unique_ptr<Snapshotter> snapshotter_;
};

TEST_F(SnapshotterTest, takes_one_after_so_many_changes_and_not_before) {
  begin(10);
  write_many(9);
  loop_.run_for(1s);
  EXPECT_EQ(snapshots(), 0U);
  write_many(1);
  loop_.run_for(1s);
  EXPECT_EQ(snapshots(), 1U);
  EXPECT_EQ(snapshotter_->time().count, 1);
  const auto before = testing::describe(engine_);
  EXPECT_EQ(recovered(), before);
  EXPECT_GE(from_snapshot_, 10U);
  EXPECT_EQ(from_log_, 0U);
}

TEST_F(SnapshotterTest, lets_writes_go_on_between_its_slices_and_loses_none_of_them) {
  begin(3'000);
  write_many(2'999);
  loop_.hold_background(true);
  write_many(1);  // begins the walk, and gives the first slice away
  write_many(500);
  EXPECT_EQ(snapshots(), 0U);
  loop_.hold_background(false);
  loop_.run_for(1s);
  EXPECT_EQ(snapshots(), 1U);
  const auto before = testing::describe(engine_);
  EXPECT_EQ(recovered(), before);
  EXPECT_GE(from_snapshot_, 3'000U);
}

TEST_F(SnapshotterTest, goes_on_without_one_when_the_disk_is_full_and_tries_again_after_as_many_changes) {
  begin(10);
  write_many(9);
  loop_.hold_background(true);
  write_many(1);
  disk_.fail(disk_.calls() + 1, testing::SimulatedDisk::Fault::no_space, 1'000'000);
  loop_.hold_background(false);
  loop_.run_for(1s);
  EXPECT_EQ(snapshots(), 0U);
  disk_.heal();
  write_many(9);
  loop_.run_for(1s);
  EXPECT_EQ(snapshots(), 0U);
  write_many(2);
  loop_.run_for(1s);
  EXPECT_EQ(snapshots(), 1U);
  const auto before = testing::describe(engine_);
  EXPECT_EQ(recovered(), before);
}

TEST_F(SnapshotterTest, takes_a_whole_one_at_once_when_asked) {
  begin(1'000'000);
  snapshotter_->take_now();
  EXPECT_EQ(snapshots(), 0U) << "nothing was ever written";
  write_many(2'500);
  snapshotter_->take_now();
  EXPECT_EQ(snapshots(), 1U);
  const auto before = testing::describe(engine_);
  EXPECT_EQ(recovered(), before);
  EXPECT_EQ(from_log_, 0U);
}

TEST_F(SnapshotterTest, leaves_nothing_but_the_log_when_it_is_given_up_in_the_middle) {
  begin(1'500);
  loop_.hold_background(true);
  write_many(1'600);
  const auto before = testing::describe(engine_);
  EXPECT_EQ(recovered(), before);
  EXPECT_EQ(from_snapshot_, 0U);
  EXPECT_EQ(from_log_, 1'600U);
}

}  // namespace
}  // namespace holdfast::server
