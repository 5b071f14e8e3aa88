// network.h -- clients and one real ZooKeeper, with a network between them that fails on command.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/plain_client.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

// Long enough for a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kSoon{10};

// A heartbeat is not part of what an acquire costs: exists on / (or a sync, on an ensemble), and the watch on a ticket of our own that
// the first one after it was made sets.
inline bool is_heartbeat(const Seen& seen) {
  return seen.op == Op::exists || (seen.op == Op::sync && seen.path == "/") ||
         (seen.op == Op::get_data && seen.watch && seen.own_node);
}

class Network : public ::testing::Test {
 protected:
  Client connect(ClientOptions options = {}) { return Client::connect("zk://" + proxy_.address(), std::move(options)); }
  // Past the faults.
  Client connect_directly(ClientOptions options = {}) {
    return Client::connect("zk://" + server_.address(), std::move(options));
  }
  std::vector<std::string> tickets(const std::string& name) { return observer_.children("/" + name); }
  bool empties(const std::string& name, std::chrono::milliseconds within = kSoon) {
    return eventually(within, [&] { return tickets(name).empty(); });
  }

  ZooKeeperServer server_;
  FaultProxy proxy_{server_.port()};
  PlainClient observer_{server_.address()};
};

}  // namespace holdfast::testing
