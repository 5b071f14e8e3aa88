// engine_line.h -- a line to the engine inside this process: ZooKeeper's protocol without a socket.
#pragma once

#include <memory>

#include "holdfast/spi/executor.h"
#include "server/runtime.h"
#include "zk/line.h"

namespace holdfast::embedded {

// It is lost when the engine drops it: its disk is in doubt, or this process slept past the session.
std::shared_ptr<zk::Line> line_to(std::shared_ptr<server::Runtime> engine, spi::Executor& executor,
                                  zk::Line::Events events);

}  // namespace holdfast::embedded
