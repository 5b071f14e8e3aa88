// snapshot_due.h -- when the next snapshot is due: after so many writes, or after so many bytes of log.
//
// Bytes count because a start has to read the log and the disk has to hold it: 400 writes of 1 MB are 400 MB of log. A state that is
// larger than the bound is not written again for less log than the last snapshot had bytes: snapshots then cost at most
// as many bytes as the log itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace holdfast::server {

class SnapshotDue {
 public:
  struct Bounds {
    std::size_t changes = 0;
    std::uint64_t bytes = 0;
  };
  // Changes and bytes of log, either since the engine was started.
  struct Progress {
    std::size_t changes = 0;
    std::uint64_t bytes = 0;
  };

  // `before`: what the log of earlier lives has that no snapshot has. `snapshot_bytes`: of the newest snapshot.
  SnapshotDue(Bounds bounds, Progress before, std::uint64_t snapshot_bytes)
      : bounds_(bounds), before_(before), snapshot_bytes_(snapshot_bytes) {}

  bool is_due(Progress now) const {
    return before_.changes + (now.changes - begun_.changes) >= bounds_.changes ||
           before_.bytes + (now.bytes - begun_.bytes) >= std::max(bounds_.bytes, snapshot_bytes_);
  }
  // Also if it comes to nothing: the next is tried after as much.
  void begin(Progress now) {
    begun_ = now;
    before_ = {};
  }
  void finish(std::uint64_t snapshot_bytes) { snapshot_bytes_ = snapshot_bytes; }

 private:
  Bounds bounds_;
  Progress before_;
  Progress begun_;
  std::uint64_t snapshot_bytes_;
};

}  // namespace holdfast::server
