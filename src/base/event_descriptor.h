// event_descriptor.h -- wakes a thread that waits in poll(2).
//
//   Thread A                                    Thread B
//   poll({event.fd(), POLLIN}); event.clear();  event.set();
//
// Thread safety: all of it, from any thread.
#pragma once

#include "base/descriptor.h"

namespace holdfast::base {

class EventDescriptor {
 public:
  // Throws std::system_error.
  EventDescriptor();

  // Readable from set() on, until clear().
  int fd() const noexcept { return fd_.get(); }
  void set() const noexcept;
  void clear() const noexcept;

 private:
  const Descriptor fd_;
};

}  // namespace holdfast::base
