// snapshotter.h -- takes a snapshot while the service goes on.
//
// The loop walks over the nodes in slices of about a millisecond, whenever all that was executed is safe; the loop's background writes
// them. What changes between two slices is in the log behind the snapshot, which puts it right.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "server/loop.h"
#include "server/snapshot_due.h"
#include "server/statistics.h"
#include "store/store.h"

namespace holdfast::server {

class Snapshotter {
 public:
  // `written`: a slice is written, turn() may go on. Posted to the loop, maybe after the snapshotter is gone.
  Snapshotter(Loop& loop, engine::Engine& engine, store::Store& store, SnapshotDue::Bounds after,
              std::function<void()> written);
  // One that is under way is given up.
  ~Snapshotter() = default;

  // In the loop, when all that was executed is safe. `changes` grows by one with every write.
  void turn(std::size_t changes);

  // One whole snapshot, now. Blocks. When nothing else is under way.
  void take_now();

  // How long each took. From the loop.
  const Latency& time() const { return time_; }

 private:
  struct Slice {
    std::optional<store::Index> begin{};  // the first
    std::vector<std::string> records{};
    std::optional<store::Index> end{};  // the last
  };

  // To the background, which has nothing else to do.
  void give(Slice slice);
  Slice next_slice();
  bool write(const Slice& slice);

  Loop& loop_;
  engine::Engine& engine_;
  store::Store& store_;
  const std::function<void()> written_;
  // The loop's.
  bool walking_ = false;
  bool begun_ = false;
  SnapshotDue due_;
  std::uint64_t bytes_ = 0;  // of the one under way
  engine::Moment began_{0};
  Latency time_;
  // Both; what failed_ says counts once busy_ is false.
  std::atomic<bool> busy_ = false;
  std::atomic<bool> failed_ = false;
  // The background's.
  std::unique_ptr<store::SnapshotWriter> writer_;
  std::unique_ptr<Background> background_;  // the last member: it uses the others
};

}  // namespace holdfast::server
