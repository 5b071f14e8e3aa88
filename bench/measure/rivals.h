// rivals.h -- the two servers of a comparison, set up alike: every write is synced before it is answered.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/zookeeper_server.h"

namespace holdfast::bench {

using testing::ServerMake;

// Apache's as its own start script has it: the JVM's own choice of compilers, a collector with threads. The test
// suite's servers are made to start fast instead.
testing::ZooKeeperOptions synced(ServerMake make, std::vector<std::string> config_lines = {},
                                 const std::string& heap = "1000m");

struct Rivals {
  explicit Rivals(const std::vector<std::string>& config_lines = {}, const std::string& heap = "1000m");
  testing::ZooKeeperServer engine;
  testing::ZooKeeperServer apache;
};

// "holdfast 0.1.0, ZooKeeper 3.8.0 on Java 17", as the servers themselves say.
void print_versions(const Rivals& rivals);

}  // namespace holdfast::bench
