// options.h -- refuses settings of ZooKeeper that make no sense before anything is started.
#pragma once

#include "holdfast/zookeeper_options.h"

namespace holdfast::zookeeper {

// Throws Error(invalid_argument) with a sentence that says what would be right.
void check(const ZooKeeperOptions& options);

}  // namespace holdfast::zookeeper
