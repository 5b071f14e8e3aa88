// Damage to the files of a store that has lived: truncation, bytes taken out, older copies, missing files, flipped bits; one fault or two
// at once. What a start then makes of it is exact, or refused, or said; never a loss in silence, but for what looks as it did at an earlier moment.
//
//   store_damage_family --minutes 10 --seed 7      for longer than the bounded run of CI
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "store/inspection.h"
#include "support/simulated_disk.h"
#include "support/store_ledger.h"

namespace holdfast::store {
namespace {

using testing::Collector;
using testing::Crash;
using testing::Ledger;
using testing::Shelf;
using testing::SimulatedDisk;

using Image = std::map<std::string, std::string>;

std::uint64_t first_seed = 1;
std::chrono::minutes longer{0};
std::ostringstream warnings;

// Enough that each kind of fault meets each kind of file many times over.
constexpr std::uint64_t kRounds = 4'000;
constexpr std::uint64_t kLargestGroup = 3;  // of records

class Round {
 public:
  explicit Round(std::uint64_t seed) : random_(seed), ledger_(pick(3) == 0 ? Durability::process : Durability::power) {
    options_.durability = ledger_.durability();
    live();
    image_ = image_of(disk_);
  }

  // What became of it.
  std::string judge() {
    const std::uint64_t faults = 1 + pick(2);
    for (std::uint64_t i = 0; i < faults; ++i) damage();
    warnings.str("");
    SimulatedDisk disk;
    for (const auto& [path, bytes] : image_) disk.set_content(path, bytes);
    SCOPED_TRACE(done_);
    const bool whole = inspect(disk, options_).whole;
    Collector collector;
    const auto store = Store::open(disk, options_, collector);
    if (!store) {
      EXPECT_FALSE(store.error().message.empty());
      EXPECT_FALSE(store.error().file.empty());
      EXPECT_FALSE(whole) << "the operator was told that it is whole: " << store.error().message;
      EXPECT_EQ(image_of(disk), image_) << "a store that is refused is left as it is";
      accept();
      return "refused";
    }
    expect_beginning(collector.shelf);
    EXPECT_GT((*store)->epoch(), epoch_) << "an epoch is given out twice";
    if (collector.shelf == ledger_.shelf()) return "exact";
    if (may_look_earlier(collector.shelf.size())) return "earlier";
    EXPECT_FALSE(warnings.str().empty()) << collector.shelf.size() << " records of " << ledger_.shelf().size()
                                         << " are there, and nothing was said";
    return "said";
  }

 private:
  static Image image_of(const SimulatedDisk& disk) {
    Image image;
    for (const std::string& path : disk.paths()) image[path] = disk.content(path);
    return image;
  }

  std::uint64_t pick(std::uint64_t count) { return random_() % count; }

  void live() {
    const std::uint64_t steps = 3 + pick(12);
    auto store = ledger_.open(disk_, options_, Crash::none);
    for (std::uint64_t i = 0; i < steps && store; ++i) {
      switch (pick(6)) {
        case 0: ledger_.snapshot(*store, {1 + pick(50)}); break;
        case 1:
          if (pick(2) == 0) ledger_.close(*store);
          store.reset();
          store = ledger_.open(disk_, options_, Crash::process);
          break;
        default: ledger_.append(*store, std::vector<std::size_t>(1 + pick(kLargestGroup), pick(300)));
      }
      past_.push_back({image_of(disk_), ledger_.shelf().size()});
    }
    epoch_ = store->epoch();
    if (pick(3) == 0) ledger_.close(*store);
  }

  void damage() {
    auto file = image_.begin();
    std::advance(file, static_cast<std::ptrdiff_t>(pick(image_.size())));
    const std::string path = file->first;
    std::string& bytes = file->second;
    const std::size_t at = bytes.empty() ? 0 : pick(bytes.size());
    const auto note = [&](const std::string& what) { done_ += fmt::format("{} {}; ", path, what); };
    switch (pick(6)) {
      case 0:
        note(fmt::format("cut to {}", at));
        bytes.resize(at);
        break;
      case 1: {
        const std::size_t count = 1 + pick(16);
        note(fmt::format("{} bytes taken out at {}", count, at));
        bytes.erase(at, count);
        break;
      }
      case 2: {
        const auto& [then, records] = past_[pick(past_.size())];
        const auto older = then.find(path);
        if (older == then.end()) return damage();
        note("older");
        if (path.ends_with("/reached")) reached_ = records;
        bytes = older->second;
        break;
      }
      case 3:
        note("missing");
        image_.erase(file);
        break;
      case 4:
        if (bytes.empty()) return damage();
        note(fmt::format("bit flipped at {}", at));
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
        break;
      default: {
        const std::size_t count = std::min<std::size_t>(bytes.size() - at, 1 + pick(600));
        note(fmt::format("{} zeros at {}", count, at));
        bytes.replace(at, count, std::string(count, '\0'));
      }
    }
  }

  // The memory put back to an earlier moment, and the log with it, look as they did then. With durability `power` that is so for no more than one
  // group behind it; with `process` the log alone says nothing of groups.
  bool may_look_earlier(std::size_t records) const {
    if (!reached_) return false;
    return ledger_.durability() == Durability::process || records <= *reached_ + kLargestGroup;
  }

  void expect_beginning(const Shelf& shelf) const {
    ASSERT_LE(shelf.size(), ledger_.shelf().size());
    ASSERT_TRUE(std::equal(shelf.begin(), shelf.end(), ledger_.shelf().begin())) << "altered bytes";
  }

  // The way on: a beginning of what there was, or still refused; no epoch twice; and a store as any other from then on.
  void accept() {
    SimulatedDisk disk;
    for (const auto& [path, bytes] : image_) disk.set_content(path, bytes);
    Options options = options_;
    options.accept_loss = true;
    Collector collector;
    {
      const auto store = Store::open(disk, options, collector);
      if (!store) return;
      expect_beginning(collector.shelf);
      EXPECT_GT((*store)->epoch(), epoch_);
      EXPECT_FALSE((*store)->recovered().losses.empty());
    }
    Collector again;
    auto store = Store::open(disk, options_, again);
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(again.shelf, collector.shelf);
    const Index next = (*store)->last_index() + 1;
    ASSERT_TRUE((*store)->append(std::vector<Record>{{next, "new"}}));
    store->reset();
    Collector last;
    store = Store::open(disk, options_, last);
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(last.shelf.size(), collector.shelf.size() + 1);
  }

  std::mt19937_64 random_;
  SimulatedDisk disk_;
  Options options_{.data_directory = "/data", .log_directory = "/log", .segment_bytes = 700, .snapshots_kept = 2};
  Ledger ledger_;
  struct Moment {
    Image image;
    std::size_t records;
  };
  std::vector<Moment> past_;
  std::optional<std::size_t> reached_{};  // put back to when there were as many
  Image image_;
  std::uint64_t epoch_ = 0;
  std::string done_;
};

TEST(StoreDamageFamily, is_exact_refused_or_said) {
  std::map<std::string, std::uint64_t> tally;
  const auto until = std::chrono::steady_clock::now() + longer;
  std::uint64_t seed = first_seed;
  for (; !::testing::Test::HasFailure(); ++seed) {
    if (seed - first_seed >= kRounds && std::chrono::steady_clock::now() >= until) break;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ++tally[Round(seed).judge()];
  }
  fmt::print("seeds {} to {}: {} exact, {} refused, {} said, {} as at an earlier moment\n", first_seed, seed - 1,
             tally["exact"], tally["refused"], tally["said"], tally["earlier"]);
  EXPECT_GT(tally["exact"], 0U);
  EXPECT_GT(tally["refused"], 0U);
}

}  // namespace
}  // namespace holdfast::store

int main(int argc, char** argv) {
  // Before anything is logged.
  auto logger = std::make_shared<spdlog::logger>(
      "holdfast", std::make_shared<spdlog::sinks::ostream_sink_mt>(holdfast::store::warnings));
  logger->set_level(spdlog::level::warn);
  spdlog::register_logger(logger);
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--minutes") holdfast::store::longer = std::chrono::minutes(std::atoi(argv[i + 1]));
    if (option == "--seed") holdfast::store::first_seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return RUN_ALL_TESTS();
}
