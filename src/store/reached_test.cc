// A log that lost its end is refused, or its loss is accepted on purpose; it is never taken for a whole one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/epoch_file.h"
#include "store/file_names.h"
#include "store/inspection.h"
#include "store/segment_format.h"
#include "support/simulated_disk.h"
#include "support/store_ledger.h"

namespace holdfast::store {
namespace {

using testing::Collector;
using testing::Crash;
using testing::Ledger;
using testing::Shelf;
using testing::SimulatedDisk;

const std::string kLast = "/log/log.0000000000000001";
const std::string kReached = "/data/reached";

class ReachedTest : public ::testing::TestWithParam<Durability> {
 protected:
  ReachedTest() { options_.durability = GetParam(); }

  std::unique_ptr<Store> open(Crash crash = Crash::process) { return ledger_.open(disk_, options_, crash); }

  Failure refusal() {
    Collector collector;
    auto store = Store::open(disk_, options_, collector);
    EXPECT_FALSE(store) << collector.shelf.size() << " records of " << ledger_.shelf().size();
    EXPECT_FALSE(store::inspect(disk_, options_).whole);
    return store ? Failure{} : store.error();
  }

  // As an operator does it who has decided to. Later starts are as usual.
  Shelf accept() {
    Collector collector;
    Options options = options_;
    options.accept_loss = true;
    {
      auto store = Store::open(disk_, options, collector);
      EXPECT_TRUE(store) << store.error().message;
      if (!store) return {};
      losses_ = (*store)->recovered().losses;
      epoch_ = (*store)->epoch();
    }
    Collector again;
    auto store = Store::open(disk_, options_, again);
    EXPECT_TRUE(store) << store.error().message;
    EXPECT_EQ(again.shelf, collector.shelf);
    return again.shelf;
  }

  void expect_beginning(const Shelf& shelf) const {
    ASSERT_LE(shelf.size(), ledger_.shelf().size());
    EXPECT_TRUE(std::equal(shelf.begin(), shelf.end(), ledger_.shelf().begin()));
  }

  // Records of a life that is then killed.
  std::string live_and_die() {
    auto store = open();
    for (int i = 0; i < 5; ++i) ledger_.append(*store, {10, 100});
    store.reset();
    return disk_.content(kLast);
  }

  SegmentHeader segment_header(std::uint64_t number) const {
    const std::string bytes = disk_.content("/log/" + numbered(kSegmentPrefix, number));
    return parse_segment_header(std::string_view(bytes).substr(0, kSegmentHeaderBytes)).value().header;
  }

  SimulatedDisk disk_;
  Options options_{.data_directory = "/data", .log_directory = "/log", .segment_bytes = 100'000, .snapshots_kept = 2};
  Ledger ledger_{GetParam()};
  std::vector<std::string> losses_;
  std::uint64_t epoch_ = 0;
};

TEST_P(ReachedTest, refuses_a_log_that_was_truncated_anywhere_after_the_process_died) {
  const std::string whole = live_and_die();
  const std::size_t end = whole.find_last_not_of('\0') + 1;
  for (std::size_t size = 56; size < end; size += 4) {
    SCOPED_TRACE(size);
    disk_.set_content(kLast, whole.substr(0, size));
    const Failure failure = refusal();
    ASSERT_EQ(failure.file, kLast);
    ASSERT_TRUE(failure.offset);
    EXPECT_LE(*failure.offset, size);
    EXPECT_NE(failure.message.find("but had reached index 30, as /data/reached shows"), std::string::npos)
        << failure.message;
  }
  // Zeros that were written ahead are no loss.
  disk_.set_content(kLast, whole.substr(0, (end + 7) / 8 * 8));
  EXPECT_EQ(open()->last_index(), 30U);
}

// Two faults at once. Of the one group behind what it knows nothing can be said: so does a start look that died while it wrote that group.
TEST_P(ReachedTest, an_older_one_does_not_hide_for_more_than_one_group_that_the_end_was_cut_off) {
  struct Moment {
    std::string reached;
    std::size_t records;
  };
  std::vector<Moment> moments;
  {
    auto store = open();
    for (int i = 0; i < 5; ++i) {
      ledger_.append(*store, {10, 100});
      moments.push_back({disk_.content(kReached), ledger_.shelf().size()});
    }
  }
  const std::string whole = disk_.content(kLast);
  const std::size_t end = whole.find_last_not_of('\0') + 1;
  std::size_t refused = 0;
  for (const auto& moment : moments) {
    for (std::size_t size = 56; size < end; size += 4) {
      SimulatedDisk disk;
      for (const std::string& path : disk_.paths()) disk.set_content(path, disk_.content(path));
      disk.set_content(kLast, whole.substr(0, size));
      disk.set_content(kReached, moment.reached);
      Collector collector;
      const auto store = Store::open(disk, options_, collector);
      refused += store ? 0 : 1;
      if (!store) continue;
      expect_beginning(collector.shelf);
      EXPECT_GE(collector.shelf.size(), moment.records);
      if (GetParam() == Durability::power) {
        EXPECT_LE(collector.shelf.size(), moment.records + 2) << "more than a group is lost at " << size;
      }
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST_P(ReachedTest, refuses_a_log_of_which_bytes_were_taken_out) {
  const std::string whole = live_and_die();
  for (const std::size_t at : {56U, 300U, 700U}) {
    for (const std::size_t count : {1U, 8U, 56U}) {
      SCOPED_TRACE(fmt::format("{} at {}", count, at));
      std::string bytes = whole;
      disk_.set_content(kLast, bytes.erase(at, count));
      EXPECT_EQ(refusal().file, kLast);
    }
  }
}

TEST_P(ReachedTest, refuses_an_older_copy_of_the_log) {
  std::string older;
  {
    auto store = open();
    ledger_.append(*store, {10});
    older = disk_.content(kLast);
    ledger_.append(*store, {10});
  }
  disk_.set_content(kLast, older);
  EXPECT_EQ(refusal().file, kLast);
}

TEST_P(ReachedTest, refuses_an_older_log_although_the_newest_snapshot_is_damaged_after_a_clean_end) {
  std::string older;
  {
    auto store = open();
    ledger_.append(*store, {10});
    older = disk_.content(kLast);
    ledger_.append(*store, {10});
    ledger_.snapshot(*store, {10});
    ledger_.close(*store);
  }
  const std::string snapshot = "/data/snapshot.0000000000000006";
  std::string bytes = disk_.content(snapshot);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  disk_.set_content(snapshot, bytes);
  disk_.set_content(kLast, older);
  // The name of the snapshot says it, too: a version without the file `reached` did not see that.
  std::optional<Epoch> epoch = *read_epoch(disk_, "/data");
  EXPECT_EQ(refusal().file, kLast);
  epoch->has_reached = false;
  ASSERT_TRUE(write_epoch(disk_, "/data", *epoch));
  EXPECT_EQ(refusal().file, kLast);
}

TEST_P(ReachedTest, starts_after_a_loss_of_power_that_left_it_behind) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SimulatedDisk disk(seed);
    Ledger ledger(GetParam());
    {
      auto store = ledger.open(disk, options_, Crash::none);
      for (int i = 0; i < 5; ++i) ledger.append(*store, {10, 600});
    }
    disk.crash();
    EXPECT_TRUE(ledger.open(disk, options_, Crash::power)) << seed;
  }
}

TEST_P(ReachedTest, is_made_for_a_store_of_a_version_that_did_not_have_it) {
  live_and_die();
  // That version wrote no flags.
  disk_.erase(kReached);
  EXPECT_EQ(refusal().file, kReached);
  const auto epoch = *read_epoch(disk_, "/data");
  ASSERT_TRUE(epoch);
  Epoch old = *epoch;
  old.has_reached = false;
  ASSERT_TRUE(write_epoch(disk_, "/data", old));
  EXPECT_EQ(open()->last_index(), 30U);
  EXPECT_EQ(disk_.content(kReached).size(), 600U);
}

TEST_P(ReachedTest, has_a_second_copy_for_when_one_is_torn) {
  live_and_die();
  const std::string whole = disk_.content(kReached);
  for (const std::size_t slot : {0U, 512U}) {
    std::string bytes = whole;
    bytes.replace(slot, 44, std::string(44, 'x'));
    disk_.set_content(kReached, bytes);
    EXPECT_EQ(open()->last_index(), 30U);
  }
  disk_.set_content(kReached, std::string(600, 'x'));
  EXPECT_EQ(refusal().file, kReached);
}

TEST_P(ReachedTest, notices_an_older_epoch_file_even_if_nothing_was_written_since) {
  live_and_die();
  const std::string older = disk_.content("/data/epoch");
  open();
  disk_.set_content("/data/epoch", older);
  EXPECT_EQ(refusal().message, "/data/epoch: it is older than /data/reached; restore the store from a copy");
}

TEST_P(ReachedTest, can_be_overruled_by_an_operator_who_accepts_the_loss) {
  const std::string whole = live_and_die();
  disk_.set_content(kLast, whole.substr(0, 400));
  refusal();
  const Shelf shelf = accept();
  expect_beginning(shelf);
  EXPECT_FALSE(shelf.empty());
  EXPECT_LT(shelf.size(), ledger_.shelf().size());
  ASSERT_EQ(losses_.size(), 1U);
  EXPECT_NE(losses_[0].find(kLast + ": at offset "), std::string::npos) << losses_[0];
  // Every start since the copy was made may have given out numbers.
  EXPECT_EQ(epoch_, 1 + kEpochsOfALoss);
  EXPECT_EQ(disk_.content(kLast + ".damaged"), whole.substr(0, 400));
}

TEST_P(ReachedTest, leaves_a_directory_alone_that_has_no_store_whose_loss_could_be_accepted) {
  Options options = options_;
  options.accept_loss = true;
  disk_.set_content("/data/letter.txt", "to a friend");
  const auto before = disk_.paths();
  Collector collector;
  const auto store = Store::open(disk_, options, collector);
  ASSERT_FALSE(store) << "a store was made";
  EXPECT_EQ(store.error().message, "/data: there is no store in it, so there is no loss to accept");
  EXPECT_EQ(disk_.paths(), before);
}

TEST_P(ReachedTest, lets_an_operator_go_on_without_what_is_behind_a_damaged_record) {
  options_.segment_bytes = 300;
  {
    auto store = open();
    for (int i = 0; i < 9; ++i) ledger_.append(*store, {100});
  }
  std::string bytes = disk_.content("/log/log.0000000000000002");
  bytes[120] = static_cast<char>(bytes[120] ^ 1);
  disk_.set_content("/log/log.0000000000000002", bytes);
  EXPECT_EQ(refusal().file, "/log/log.0000000000000002");
  const Shelf shelf = accept();
  expect_beginning(shelf);
  EXPECT_EQ(shelf.size(), 2U);
  EXPECT_EQ(disk_.content("/log/log.0000000000000002.damaged"), bytes);
  EXPECT_TRUE(disk_.content("/log/log.0000000000000003.damaged").size() > 56);
}

TEST_P(ReachedTest, lets_an_operator_go_on_with_a_snapshot_alone_if_that_has_everything) {
  {
    auto store = open();
    ledger_.append(*store, {10, 10});
    auto writer = store->begin_snapshot(6);
    for (const auto& [index, text] : ledger_.shelf()) ASSERT_TRUE((*writer)->add(fmt::format("{} {}", index, text)));
    ASSERT_TRUE((*writer)->finish(6));
    writer->reset();
    ledger_.close(*store);
  }
  disk_.set_content(kLast, disk_.content(kLast).substr(0, 80));
  EXPECT_EQ(refusal().file, kLast);
  EXPECT_EQ(accept(), ledger_.shelf());
  EXPECT_EQ(open()->last_index(), 6U);
}

// The newest snapshot is cut off, and the log that the older one would need is gone.
TEST_P(ReachedTest, lets_an_operator_go_on_with_an_older_snapshot_that_needs_no_log) {
  options_.segment_bytes = 200;
  Shelf at_first;
  {
    auto store = open();
    const auto snapshot = [&] {
      auto writer = store->begin_snapshot(store->last_index());
      for (const auto& [index, text] : ledger_.shelf()) ASSERT_TRUE((*writer)->add(fmt::format("{} {}", index, text)));
      ASSERT_TRUE((*writer)->finish(store->last_index()));
    };
    ledger_.append(*store, {10, 10});
    snapshot();
    at_first = ledger_.shelf();
    for (int i = 0; i < 9; ++i) ledger_.append(*store, {100});
    snapshot();
    ledger_.append(*store, {100});
    ledger_.close(*store);
  }
  std::string newest;
  std::vector<std::string> segments;
  const auto in_data = disk_.list("/data");
  for (const auto& name : *in_data) {
    if (name.starts_with("snapshot.")) newest = std::max(newest, fmt::format("/data/{}", name));
  }
  const auto in_log = disk_.list("/log");
  for (const auto& name : *in_log) {
    if (name.starts_with("log.")) segments.push_back("/log/" + name);
  }
  std::sort(segments.begin(), segments.end());
  ASSERT_GE(segments.size(), 3U);
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) disk_.erase(segments[i]);
  disk_.set_content(newest, disk_.content(newest).substr(0, disk_.content(newest).size() - 5));
  EXPECT_EQ(refusal().file, newest);
  EXPECT_EQ(accept(), at_first);
  EXPECT_TRUE(disk_.content(segments.back() + ".damaged").size() > 56);
  EXPECT_FALSE(losses_.empty());
}

TEST_P(ReachedTest, lets_an_operator_go_on_with_the_log_before_a_gap_and_keeps_the_rest) {
  options_.segment_bytes = 200;
  {
    auto store = open();
    for (int i = 0; i < 9; ++i) ledger_.append(*store, {100});
    ledger_.close(*store);
  }
  const std::string missing = "/log/log.0000000000000003";
  const auto before = *disk_.list("/log");
  disk_.erase(missing);
  EXPECT_EQ(refusal().file, missing);
  const Shelf shelf = accept();
  expect_beginning(shelf);
  EXPECT_EQ(shelf.size(), 2U) << "all of the first two segments";
  for (const auto& name : before) {
    const auto path = "/log/" + name;
    if (!name.starts_with("log.") || path == missing || path <= "/log/log.0000000000000002") continue;
    EXPECT_TRUE(disk_.content(path + ".damaged").size() > 56) << path << " is kept";
  }
}

// Whichever header is damaged: no more is lost than what stood in that segment and behind it, and of that nothing which a snapshot has.
TEST_P(ReachedTest, lets_an_operator_go_on_behind_a_damaged_header_if_a_snapshot_has_what_stood_there) {
  options_.segment_bytes = 200;
  {
    auto store = open();
    for (const std::size_t meanwhile : {10U, 100U}) {
      for (int i = 0; i < 5; ++i) ledger_.append(*store, {100});
      ledger_.snapshot(*store, {meanwhile});
    }
    for (int i = 0; i < 5; ++i) ledger_.append(*store, {100});
    ledger_.close(*store);
  }
  const Index newest = numbers_of(*disk_.list("/data"), kSnapshotPrefix).back();
  const auto numbers = numbers_of(*disk_.list("/log"), kSegmentPrefix);
  std::size_t unnecessary = 0;
  for (const std::uint64_t number : numbers) {
    const std::string path = "/log/" + numbered(kSegmentPrefix, number);
    SCOPED_TRACE(path);
    SimulatedDisk disk;
    for (const std::string& name : disk_.paths()) disk.set_content(name, disk_.content(name));
    std::string bytes = disk.content(path);
    bytes[20] = static_cast<char>(bytes[20] ^ 1);
    disk.set_content(path, bytes);
    Collector refused;
    const auto refusal = Store::open(disk, options_, refused);
    ASSERT_FALSE(refusal) << "a damaged header is told, needed or not";
    EXPECT_EQ(refusal.error().file, path);

    Collector collector;
    Options options = options_;
    options.accept_loss = true;
    {
      const auto store = Store::open(disk, options, collector);
      ASSERT_TRUE(store) << store.error().message;
      losses_ = (*store)->recovered().losses;
    }
    expect_beginning(collector.shelf);
    EXPECT_EQ(disk.content(path + ".damaged"), bytes);
    ASSERT_FALSE(losses_.empty());
    if (number != numbers.back() && segment_header(number + 1).after <= newest) {
      ++unnecessary;
      EXPECT_EQ(collector.shelf, ledger_.shelf()) << "nothing was lost";
      EXPECT_EQ(losses_.size(), 1U);
      EXPECT_NE(losses_[0].find("; a snapshot has everything that stood in it"), std::string::npos) << losses_[0];
    } else {
      EXPECT_LT(collector.shelf.size(), ledger_.shelf().size());
      EXPECT_EQ(losses_[0].find("a snapshot has"), std::string::npos) << losses_[0];
    }
    // No segment was removed.
    for (const std::uint64_t other : numbers) {
      const std::string name = numbered(kSegmentPrefix, other);
      const auto is_it = [&](const std::string& found) { return found == name || found == name + ".damaged"; };
      const auto found = *disk.list("/log");
      EXPECT_TRUE(std::any_of(found.begin(), found.end(), is_it)) << name;
    }
    Collector again;
    const auto store = Store::open(disk, options_, again);
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(again.shelf, collector.shelf);
  }
  EXPECT_GE(unnecessary, 2U);
}

TEST_P(ReachedTest, asks_an_operator_where_the_log_is_before_its_loss_is_accepted) {
  live_and_die();
  Options wrong = options_;
  wrong.log_directory.clear();
  const auto message = [&] {
    Collector collector;
    const auto store = Store::open(disk_, wrong, collector);
    return store ? std::string("it was opened") : store.error().message;
  };
  EXPECT_NE(message().find("if the log is in another directory, name that (--log-dir)"), std::string::npos)
      << message();
  wrong.accept_loss = true;
  EXPECT_EQ(message(),
            "/data: there is no log in it; if that is in another directory, name it with --log-dir; if it is lost, say "
            "so with --log-dir /data");
  EXPECT_EQ(accept(), ledger_.shelf()) << "nothing was changed";
}

TEST_P(ReachedTest, lets_an_operator_go_on_without_the_epoch_file_and_repeats_no_epoch) {
  live_and_die();
  open();
  open();
  disk_.erase("/data/epoch");
  EXPECT_EQ(refusal().file, "/data/epoch");
  EXPECT_EQ(accept(), ledger_.shelf());
  EXPECT_EQ(epoch_, 3 + kEpochsOfALoss);
}

TEST_P(ReachedTest, lets_an_operator_raise_the_epoch_of_a_copy_that_is_whole) {
  live_and_die();
  EXPECT_EQ(accept(), ledger_.shelf());
  EXPECT_TRUE(losses_.empty());
  EXPECT_EQ(epoch_, 1 + kEpochsOfALoss);
}

TEST_P(ReachedTest, shows_an_operator_what_is_there_and_changes_nothing) {
  {
    auto store = open();
    ledger_.append(*store, {10, 10});
    ledger_.snapshot(*store, {10});
    ledger_.append(*store, {10});
    EXPECT_EQ(inspect(disk_, options_).lines.front(), "/data: an engine (process 4711) uses it now");
    EXPECT_TRUE(inspect(disk_, options_).whole);
  }
  const auto paths = disk_.paths();
  const Inspection found = inspect(disk_, options_);
  EXPECT_TRUE(found.whole);
  EXPECT_EQ(disk_.paths(), paths);
  const std::string text = fmt::format("{}", fmt::join(found.lines, "\n"));
  for (const char* part :
       {"/data: no engine uses it", "/log: no engine uses it", "epoch                      opened 1 times",
        "reached                    index 12, in log.0000000000000002 up to offset ", "snapshot.0000000000000006  ",
        "bytes, 3 records, from index 6 to 9", "log.0000000000000001       ", "log.0000000000000002       ",
        "1 records, after index 9 up to 12",
        "\nwhole: a start begins with snapshot.0000000000000006 and reads the log up to index 12"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  const Inspection nothing = inspect(disk_, {.data_directory = "/nowhere"});
  EXPECT_FALSE(nothing.whole);
}

INSTANTIATE_TEST_SUITE_P(Durability, ReachedTest, ::testing::Values(Durability::power, Durability::process),
                         [](const auto& param) { return param.param == Durability::power ? "power" : "process"; });

}  // namespace
}  // namespace holdfast::store
