// snapshotter.h -- takes a snapshot while the service goes on.
//
// The service's thread walks over the nodes in slices of about a millisecond, whenever all that was executed is safe; a thread
// of its own writes them. What changes between two slices is in the log behind the snapshot, which puts it right.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "server/report.h"
#include "server/snapshot_due.h"
#include "store/store.h"

namespace holdfast::server {

class Snapshotter {
 public:
  // `written`: a slice is on its way to the disk, turn() may go on. Called on the snapshotter's thread.
  Snapshotter(engine::Engine& engine, store::Store& store, SnapshotDue::Bounds after, std::function<void()> written);
  // One that is under way is given up.
  ~Snapshotter();

  // In the service's thread, when all that was executed is safe. `changes` grows by one with every write.
  void turn(std::size_t changes);

  // One whole snapshot, now. Blocks. When nothing else is under way.
  void take_now();

  // How long each took. From the service's thread.
  const Latency& time() const { return time_; }

 private:
  struct Slice {
    std::optional<store::Index> begin{};  // the first
    std::vector<std::string> records{};
    std::optional<store::Index> end{};  // the last
  };

  void give(Slice slice);
  Slice next_slice();
  void run();
  bool write(const Slice& slice);

  engine::Engine& engine_;
  store::Store& store_;
  const std::function<void()> written_;
  // The service's thread.
  bool walking_ = false;
  bool begun_ = false;
  SnapshotDue due_;
  std::uint64_t bytes_ = 0;  // of the one under way
  engine::Moment began_{0};
  Latency time_;
  // Both.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Slice> slice_;
  bool busy_ = false;
  bool failed_ = false;
  bool stopping_ = false;
  // The snapshotter's thread.
  std::unique_ptr<store::SnapshotWriter> writer_;
  std::thread thread_;
};

}  // namespace holdfast::server
