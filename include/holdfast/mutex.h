// mutex.h -- the locks themselves: fair, exclusive, across threads, processes and machines.
#pragma once

#include "holdfast/language.h"
#include "holdfast/lockable.h"

namespace holdfast {

class Client;

// Re-entrant, with the ownership rules of Curator's InterProcessMutex:
//
//   who asks                                     gets
//   same thread, same object, hold is good       in at once; released as often as acquired
//   same thread, same object, hold was lost      session_lost, until it is released
//   same thread, another object of this name     waits, as another thread does
//   another thread                               waits
//
// The thread that acquired may re-enter for as long as the hold lasts, also while the Lease is in other hands. If
// leases travel between threads of a pool, use NonReentrantMutex.
class Mutex : public Lockable {
 public:
  // True between this thread's acquire and its last release, unless the hold was lost.
  bool is_held_by_this_thread() const noexcept;

 private:
  friend class Client;
  using Lockable::Lockable;
};

// Not re-entrant: a second acquire by its holder waits, or times out. Any thread may release().
class NonReentrantMutex : public Lockable {
 public:
  bool is_held() const noexcept;

 private:
  friend class Client;
  using Lockable::Lockable;
};

}  // namespace holdfast
