// reactor.h -- an Executor that also watches descriptors.
//
// The stores that come with the library use it for their sockets (backend/connect.cc). The public SPI has no descriptors: a store with a client
// library of its own has that library's threads.
#pragma once

#include <memory>

#include "holdfast/spi/executor.h"

namespace holdfast::net {

class Reactor : public spi::Executor {
 public:
  // Watches a descriptor as long as it lives. Destroy it from inside, before the descriptor is closed; then nothing runs any more.
  class Readiness {
   public:
    virtual ~Readiness() = default;
    // Runs `ready` once as soon as the descriptor is writable, too.
    virtual void when_writable() = 0;
  };

  // Runs `ready` whenever there is something to read from `fd`, which must not block, or it has ended or failed. From inside only. Nothing: the
  // system has no room for it, or the Reactor was stopped.
  virtual std::unique_ptr<Readiness> watch(int fd, Function ready) = 0;
};

}  // namespace holdfast::net
