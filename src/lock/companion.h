// companion.h -- what lives as long as a client, watches a descriptor in its loop, and does its work on the thread of its listener.
#pragma once

namespace holdfast::lock {

class Companion {
 public:
  virtual ~Companion() = default;

  // Stays open as long as the object lives.
  virtual int descriptor() const = 0;
  // In the loop, whenever there is something to read, which it takes; must not block. True: there is work.
  virtual bool drain() = 0;
  // Where the client's listener runs. May block, and may destroy the client.
  virtual void work() = 0;
};

}  // namespace holdfast::lock
