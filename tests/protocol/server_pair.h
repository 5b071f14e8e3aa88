// server_pair.h -- Apache ZooKeeper and the engine, set up alike.
#pragma once

#include <chrono>
#include <string>

#include "support/zookeeper_server.h"

namespace holdfast::testing {

struct PairOptions {
  // zookeeper.extendedTypesEnabled: nodes with a time to live.
  bool extended_types = true;
};

inline ZooKeeperOptions server_options(ServerMake make, PairOptions options = {}) {
  ZooKeeperOptions made{.make = make};
  // Nobody may remove a container while its Stat is compared.
  made.container_check_interval = std::chrono::hours(1);
  if (options.extended_types) made.java_options.emplace_back("-Dzookeeper.extendedTypesEnabled=true");
  // "super:secret", one of the users of vocabulary.h.
  made.java_options.emplace_back(
      "-Dzookeeper.DigestAuthenticationProvider.superDigest=super:lK75jTNcA+U9vtVEw5vB51mj/w4=");
  return made;
}

}  // namespace holdfast::testing
