// multi_lock.h -- many names as one lock: all or nothing.
#pragma once

#include <cstddef>
#include <string>

#include "holdfast/language.h"
#include "holdfast/lockable.h"

namespace holdfast {

class Client;

// One of the names of a MultiLock, and how it is wanted.
struct LockItem {
  enum class Kind {
    mutex,  // excludes, and is excluded by, Mutex
    write,  // SharedMutex, to write
    read,   // SharedMutex, to read
  };

  std::string name;
  Kind kind = Kind::mutex;
};

// Takes its place in all queues at one moment, in one transaction of the service, and holds when it is its turn in every one
// of them. So two MultiLocks that name the same locks come in the same order everywhere, whatever order they name them in, and
// cannot wait for each other in a circle. One deadline for all; a caller that gives up leaves none of them behind.
//
// It has one token, which is larger than that of every ticket before it in any of the names. When one of the names is lost, all
// are. Re-entrant for the thread that holds it. Round trips of an uncontended acquire: two.
//
// Thread safety: as Lockable. path() is that of the first name.
class MultiLock : public Lockable {
 public:
  // More make a transaction that other clients of the service would have to wait for.
  static constexpr std::size_t kMaxNames = 64;

  // True between this thread's acquire and its last release, unless the hold was lost.
  bool is_held_by_this_thread() const noexcept;

 private:
  friend class Client;
  using Lockable::Lockable;
};

}  // namespace holdfast
