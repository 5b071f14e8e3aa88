// committer.h -- the thread that writes the log, so that the service's thread never waits for a disk.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "store/store.h"

namespace holdfast::server {

class Committer {
 public:
  struct Record {
    store::Index index;
    std::string bytes;
  };
  using Group = std::vector<Record>;
  using Result = tl::expected<void, store::AppendFailure>;
  // Called on the committer's thread.
  using Done = std::function<void(Result)>;

  explicit Committer(store::Store& store);
  // Finishes what is under way.
  ~Committer();

  // One group at a time: not before the last one is done. An empty one only repairs what a failed one may have left.
  void commit(Group group, Done done);

 private:
  void run();

  store::Store& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Group> group_;
  Done done_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace holdfast::server
