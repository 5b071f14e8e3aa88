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

// The number of permits of a Semaphore, kept by the service, so that an operator can change it while clients wait. Made by
// Client::shared_count(). It is the node of Curator's SharedCount: four bytes, big-endian. It stays when its makers are gone.
//
// Example:
//
//   holdfast::SharedCount limit = client.shared_count("imports/limit", 3);
//   holdfast::Semaphore imports = client.semaphore("imports", limit);
//   limit.set(5);  // two waiters more get a permit
//
// Each call is one round trip, and takes at most the client's connection timeout. Throws Error: not_connected, cancelled, refused (what lies
// there is not a count, or it was removed).
//
// Thread safety: all members from any thread. It may outlive the Client; calls are then `cancelled`.
class SharedCount {
 public:
  std::int32_t get() const;
  // The last one to set it wins. Waiters of semaphores look again immediately; permits that are held stay held.
  void set(std::int32_t count);

  // Where it is on the service, such as "/app/imports/limit".
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
