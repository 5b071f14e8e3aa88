// context.h -- what the parts of one client share. All of it outlives every claim.
#pragma once

#include "holdfast/clock.h"
#include "holdfast/retry.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "lock/session.h"
#include "lock/sweeper.h"

namespace holdfast::lock {

struct Context {
  spi::Executor& executor;
  spi::QueueBackend& backend;
  Session& session;
  Sweeper& sweeper;
  RetryPolicy retry;
  Clock::duration connection_timeout;
};

}  // namespace holdfast::lock
