// Damage that no crash can do: bits that flip, files that vanish. It is refused with file and offset, or does no harm; bytes that
// were altered are never delivered.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/simulated_disk.h"
#include "support/store_ledger.h"
#include "support/store_script.h"

namespace holdfast::store {
namespace {

using testing::Collector;
using testing::Crash;
using testing::Ledger;
using testing::Shelf;
using testing::SimulatedDisk;

using Image = std::map<std::string, std::string>;

Image image_of(const SimulatedDisk& disk) {
  Image image;
  for (const std::string& path : disk.paths()) image[path] = disk.content(path);
  return image;
}

struct Outcome {
  std::optional<Failure> failure;
  Shelf shelf;
  Recovered recovered;
};

Outcome open(const Image& image) {
  SimulatedDisk disk;
  for (const auto& [path, bytes] : image) disk.set_content(path, bytes);
  Collector collector;
  auto store = Store::open(disk, testing::script_options(Durability::power), collector);
  if (!store) {
    // A store that is refused is left as it is.
    EXPECT_EQ(image_of(disk), image);
    return {store.error(), {}, {}};
  }
  return {std::nullopt, std::move(collector.shelf), (*store)->recovered()};
}

class StoreDamage : public ::testing::TestWithParam<bool> {
 protected:
  StoreDamage() {
    SimulatedDisk disk;
    Ledger ledger(Durability::power);
    const Options options = testing::script_options(Durability::power);
    for (const bool last : {false, true}) {
      auto store = ledger.open(disk, options, Crash::process);
      ledger.append(*store, {20});
      ledger.append(*store, {3, 4});
      ledger.snapshot(*store, {20});
      ledger.append(*store, {20, 30});
      ledger.append(*store, {8, 13});
      if (last && GetParam()) ledger.close(*store);
    }
    shelf_ = ledger.shelf();
    image_ = image_of(disk);
    // What was written ahead is as long as it is dull.
    for (auto& [path, bytes] : image_) {
      if (!path.starts_with("/log/log.")) continue;
      bytes.resize(std::min(bytes.size(), bytes.find_last_not_of('\0') + 65));
    }
  }

  Image image_;
  Shelf shelf_;
};

TEST_P(StoreDamage, is_refused_or_harmless_wherever_a_bit_flips) {
  std::size_t refused = 0;
  for (const auto& [path, bytes] : image_) {
    for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at) {
      SCOPED_TRACE(fmt::format("{} at {}", path, at));
      Image image = image_;
      image[path][at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
      const Outcome outcome = open(image);
      if (!outcome.failure) {
        ASSERT_EQ(outcome.shelf, shelf_);
        continue;
      }
      ++refused;
      EXPECT_EQ(outcome.failure->file, path);
      ASSERT_TRUE(outcome.failure->offset);
      EXPECT_LE(*outcome.failure->offset, at);
      EXPECT_NE(outcome.failure->message.find(fmt::format("{}: at offset {} ", path, *outcome.failure->offset)),
                std::string::npos);
    }
  }
  EXPECT_GT(refused, 100U);
}

TEST_P(StoreDamage, is_refused_or_harmless_whichever_file_vanishes) {
  std::size_t refused = 0;
  for (const auto& [path, bytes] : image_) {
    SCOPED_TRACE(path);
    Image image = image_;
    image.erase(path);
    const Outcome outcome = open(image);
    if (outcome.failure) {
      ++refused;
      EXPECT_TRUE(path.starts_with(outcome.failure->file)) << outcome.failure->message;
    } else {
      EXPECT_EQ(outcome.shelf, shelf_);
    }
  }
  EXPECT_GE(refused, 3U);  // the epoch, the last segment and how far it has got
}

TEST_P(StoreDamage, is_noticed_when_the_log_belongs_to_another_store) {
  Image image = image_;
  SimulatedDisk disk(99);
  Collector collector;
  { ASSERT_TRUE(Store::open(disk, testing::script_options(Durability::power), collector)); }
  image["/data/epoch"] = disk.content("/data/epoch");
  image["/data/reached"] = disk.content("/data/reached");
  const Outcome outcome = open(image);
  ASSERT_TRUE(outcome.failure);
  EXPECT_NE(outcome.failure->message.find("another store"), std::string::npos) << outcome.failure->message;
}

INSTANTIATE_TEST_SUITE_P(End, StoreDamage, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "closed" : "killed"; });

}  // namespace
}  // namespace holdfast::store
