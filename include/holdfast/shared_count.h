// shared_count.h -- a number that all clients see: how many permits a semaphore has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "holdfast/language.h"

namespace holdfast {

namespace lock {
class Core;
}

// The same node as Curator's SharedCount: four bytes, big-endian. Stays when its makers are gone.
//
// Thread safety: all members from any thread. Each is one round trip, not longer than the client's connection timeout; they throw
// Error: not_connected, refused (also: what lies there is not a count), cancelled.
class SharedCount {
 public:
  std::int32_t get() const;
  // Semaphores that wait for permits look again at once; permits that are held stay so.
  void set(std::int32_t count);

  // Where it is on the service.
  const std::string& path() const noexcept { return path_; }

 private:
  friend class Client;
  SharedCount(std::shared_ptr<lock::Core> core, std::string name, std::string path) noexcept
      : core_(std::move(core)), name_(std::move(name)), path_(std::move(path)) {}

  std::shared_ptr<lock::Core> core_;
  std::string name_;
  std::string path_;
};

}  // namespace holdfast
