// permits.h -- what a Semaphore is inside.
//
//   turns     a mutex: a client that asks for permits stands in line here, and holds it until it has them
//   permits   a ticket for every permit that is held, or waited for by the client whose turn it is
//
// The service says where these two queues are (spi::SemaphoreQueues). Safety comes from the count of tickets in `permits`, this client's
// included. The mutex makes it fair, and keeps two clients that both have some of the permits they need from waiting for each other.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "lock/core.h"
#include "lock/owner.h"

namespace holdfast::lock {

class Permits {
 public:
  // `count`: a number, or the full name of a shared count.
  Permits(std::shared_ptr<Core> core, const std::string& name, std::variant<std::size_t, std::string> count,
          LockOptions options);

  const std::shared_ptr<Owner>& owner() const { return owner_; }
  const std::string& path() const { return owner_->path(); }
  // The most that one acquire may ask for.
  std::int64_t most() const { return most_; }

 private:
  struct Place;

  const std::int64_t most_;
  const std::shared_ptr<Owner> owner_;
};

}  // namespace holdfast::lock
