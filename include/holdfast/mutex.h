// mutex.h -- an exclusive lock, fair across threads, processes and machines.
#pragma once

#include "holdfast/language.h"
#include "holdfast/lockable.h"

namespace holdfast {

class Client;

// A re-entrant mutex: the one to use unless its leases travel between threads. It is made by Client::mutex(). What it can do is in
// lockable.h: states, deadlines, errors, round trips, thread safety.
//
// Example:
//
//   holdfast::Mutex mutex = client.mutex("orders/123");
//   std::scoped_lock hold(mutex);
//
// Ownership, with the rules of Curator's InterProcessMutex. A thread that asks for it
//
//   by the same object, and holds it             enters immediately, and releases as often as it acquired
//   by the same object, and has lost its hold    gets session_lost, until it has released every entry
//   by another object of the same name           waits, as another thread does
//   and does not hold it                         waits
//
// The thread that acquired may re-enter as long as the hold lasts, also while another thread has the Lease. If leases travel between the
// threads of a pool, use NonReentrantMutex.
class Mutex : public Lockable {
 public:
  // True between this thread's acquire and its last release, unless the hold was lost.
  bool is_held_by_this_thread() const noexcept;

 private:
  friend class Client;
  using Lockable::Lockable;
};

// A mutex that belongs to no thread: any thread may release() it. A second acquire by its holder waits, or times out. Made by
// Client::non_reentrant_mutex(); otherwise as Mutex.
class NonReentrantMutex : public Lockable {
 public:
  // True between an acquire by this object and its release, by whichever thread, unless the hold was lost.
  bool is_held() const noexcept;

 private:
  friend class Client;
  using Lockable::Lockable;
};

}  // namespace holdfast
