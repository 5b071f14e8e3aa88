// reactor.h -- an Executor that also watches descriptors.
//
// A store of our own that talks over sockets is made with one (backend/connect.cc). The public SPI has no descriptors: a store that brings a
// client library has that library's threads.
#pragma once

#include <memory>

#include "holdfast/spi/executor.h"

namespace holdfast::net {

class Reactor : public spi::Executor {
 public:
  // Of a descriptor, while it lives. To be destroyed from inside, before the descriptor is closed; then nothing runs any more.
  class Readiness {
   public:
    virtual ~Readiness() = default;
    // As soon as something can be written, too, once.
    virtual void when_writable() = 0;
  };

  // Runs `ready` whenever there is something to read from `fd`, which does not block, or it has ended or failed. From inside only. None: the
  // system has no room for it, or the Reactor has been stopped.
  virtual std::unique_ptr<Readiness> watch(int fd, Function ready) = 0;
};

}  // namespace holdfast::net
