// multi_lock.h -- many names as one lock: all or nothing.
#pragma once

#include <cstddef>
#include <string>

#include "holdfast/language.h"
#include "holdfast/lockable.h"

namespace holdfast {

class Client;

// One name of a MultiLock, and how it is wanted.
struct LockItem {
  enum class Kind {
    mutex,  // excludes, and is excluded by, Mutex
    write,  // SharedMutex, to write
    read,   // SharedMutex, to read
  };

  std::string name;
  Kind kind = Kind::mutex;
};

// For work on several resources together. Made by Client::multi_lock(). What it can do is in lockable.h; path() is that of the first name.
//
// Example:
//
//   holdfast::MultiLock transfer = client.multi_lock({{"accounts/1"}, {"accounts/2"}});
//   std::scoped_lock hold(transfer);
//
// No deadlock: it takes its place in all queues at one moment, in one transaction of the service, and holds when it is its turn in every
// one of them. So two MultiLocks with the same names come in the same order in every queue, whatever order they name them in. (A thread
// that holds one lock and then asks for a MultiLock with it can still deadlock.)
//
//   state                        tickets
//   waiting                      one in every queue, at its turn in some
//   held                         one in every queue, at its turn in all
//   one lost, or removed         none: all are given back, and lost() fires
//   timed out, failed, released  none
//
// One deadline for all names, and one token, which is larger than that of every earlier ticket in any of its queues. Re-entrant for the
// thread that holds it.
//
// Round trips of an uncontended acquire: two, however many names.
//
// Thread safety: as Lockable.
class MultiLock : public Lockable {
 public:
  // Other clients of the service would have to wait for a larger transaction.
  static constexpr std::size_t kMaxNames = 64;

  // True between this thread's acquire and its last release, unless the hold was lost.
  bool is_held_by_this_thread() const noexcept;

 private:
  friend class Client;
  using Lockable::Lockable;
};

}  // namespace holdfast
