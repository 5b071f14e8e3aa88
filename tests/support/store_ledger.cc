#include "support/store_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::testing {

using store::Index;

namespace {

std::string on_paper(Index index, std::string_view bytes) { return fmt::format("{} {}", index, bytes); }

}  // namespace

tl::expected<void, std::string> Collector::snapshot_record(std::string_view bytes) {
  Index index = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), index);
  if (error != std::errc()) return tl::unexpected(std::string("there is no index in a snapshot's record"));
  shelf[index] = bytes.substr(static_cast<std::size_t>(end - bytes.data()) + 1);
  return {};
}

tl::expected<void, std::string> Collector::log_record(Index index, std::string_view bytes) {
  shelf[index] = bytes;
  return {};
}

std::unique_ptr<store::Store> Ledger::open(store::Disk& disk, const store::Options& options, Crash crash,
                                           bool may_fail) {
  Collector collector;
  auto opened = store::Store::open(disk, options, collector);
  if (!opened) {
    const store::Failure& failure = opened.error();
    EXPECT_TRUE(may_fail) << failure.message;
    EXPECT_TRUE(failure.error) << "refused, and the disk did not even fail: " << failure.message;
    EXPECT_FALSE(failure.file.empty());
    return nullptr;
  }
  judge(collector.shelf, crash);
  EXPECT_GT((*opened)->epoch(), epoch_);
  EXPECT_EQ((*opened)->last_index(), collector.shelf.empty() ? 0 : collector.shelf.rbegin()->first);
  epoch_ = (*opened)->epoch();
  // From here on it is settled: what was delivered stays, what was not never comes back.
  shelf_ = std::move(collector.shelf);
  in_doubt_.clear();
  secured_ = (*opened)->last_index();
  return std::move(*opened);
}

void Ledger::judge(const Shelf& delivered, Crash crash) const {
  Shelf possible = shelf_;
  possible.insert(in_doubt_.begin(), in_doubt_.end());
  // A beginning of what is possible, with every index up to `needed` in it.
  ASSERT_LE(delivered.size(), possible.size());
  auto expected = possible.begin();
  for (const auto& [index, bytes] : delivered) {
    ASSERT_EQ(index, expected->first);
    ASSERT_TRUE(bytes == expected->second) << "altered bytes at index " << index;
    ++expected;
  }
  const bool may_lose = durability_ == store::Durability::process && crash == Crash::power;
  const Index acknowledged = shelf_.empty() ? 0 : shelf_.rbegin()->first;
  const Index needed = may_lose ? secured_ : acknowledged;
  const Index reached = delivered.empty() ? 0 : delivered.rbegin()->first;
  ASSERT_GE(reached, needed) << "what was acknowledged is gone";
}

void Ledger::append(store::Store& store, const std::vector<std::size_t>& sizes) {
  ++attempts_;
  Shelf group;
  // Not dense; and what was refused is tried again under the same index, with other bytes.
  Index index = store.last_index();
  for (const std::size_t size : sizes) {
    std::string bytes = fmt::format("{}.", attempts_);
    bytes.resize(std::max(size, bytes.size()), static_cast<char>('a' + attempts_ % 26));
    group[index += 3] = bytes;
  }
  std::vector<store::Record> records;
  for (const auto& [number, bytes] : group) records.push_back({number, bytes});
  const auto appended = store.append(records);
  if (appended) {
    shelf_.merge(group);
    in_doubt_.clear();  // it was removed before this one was written
    EXPECT_EQ(store.last_index(), shelf_.rbegin()->first);
    return;
  }
  EXPECT_TRUE(appended.error().error);
  EXPECT_FALSE(appended.error().message.empty());
  if (appended.error().kind == store::AppendFailure::Kind::refused) {
    ++refused_;
    in_doubt_.clear();  // the same
  } else {
    ++unknown_;
    // A second one that is unknown was not even written.
    if (in_doubt_.empty()) in_doubt_ = std::move(group);
  }
}

void Ledger::snapshot(store::Store& store, const std::vector<std::size_t>& meanwhile) {
  auto writer = store.begin_snapshot(store.last_index());
  if (!writer) return;
  const Shelf at_first = shelf_;
  bool added = true;
  const auto add = [&](Index index) { added = added && (*writer)->add(on_paper(index, shelf_.at(index))).has_value(); };
  for (const auto& [index, bytes] : at_first) add(index);
  append(store, meanwhile);
  // One of the group is in the snapshot, the others are not.
  if (shelf_.size() > at_first.size()) add(shelf_.rbegin()->first);
  if (!added || !(*writer)->finish(store.last_index())) return;
  ++snapshots_;
  secured_ = store.last_index();
}

void Ledger::close(store::Store& store) {
  if (store.close()) secured_ = store.last_index();
}

}  // namespace holdfast::testing
