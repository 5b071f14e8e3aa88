// store_ledger.h -- a user of the store that remembers what it was told, and judges what it gets back.
//
// Its state is every record ever acknowledged, by index. After a restart the store must deliver all of them, byte for byte, and
// nothing else but a beginning of the one group whose fate was left open.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace holdfast::testing {

using Shelf = std::map<store::Index, std::string>;

// Collects what is delivered. A snapshot's records are "index bytes" in the ledger's own form.
class Collector final : public store::Recovery {
 public:
  tl::expected<void, std::string> snapshot_record(std::string_view bytes) override;
  tl::expected<void, std::string> log_record(store::Index index, std::string_view bytes) override;

  Shelf shelf;
};

// What the crash was that came before an open().
enum class Crash { none, process, power };

class Ledger {
 public:
  explicit Ledger(store::Durability durability) : durability_(durability) {}

  // Opens it and compares. A failure is legal if the disk failed, never because of the bytes.
  std::unique_ptr<store::Store> open(store::Disk& disk, const store::Options& options, Crash crash,
                                     bool may_fail = false);

  // One group of records of these sizes.
  void append(store::Store& store, const std::vector<std::size_t>& sizes);
  // While it is written, a group is appended; it may or may not be in the snapshot.
  void snapshot(store::Store& store, const std::vector<std::size_t>& meanwhile);
  void close(store::Store& store);

  store::Durability durability() const { return durability_; }
  const Shelf& shelf() const { return shelf_; }
  std::uint64_t snapshots() const { return snapshots_; }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t unknown() const { return unknown_; }

 private:
  void judge(const Shelf& delivered, Crash crash) const;

  store::Durability durability_;
  Shelf shelf_;               // acknowledged
  Shelf in_doubt_;            // of the append() that ended with `unknown`, or that a crash cut off
  store::Index secured_ = 0;  // up to here even power loss must not take anything
  std::uint64_t epoch_ = 0;
  std::uint64_t attempts_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace holdfast::testing
