// zookeeper_ensemble.h -- three real servers with a leader.
//
// Members are numbered from 0. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "zookeeper_server.h"

namespace holdfast::testing {

class ZooKeeperEnsemble {
 public:
  // Returns once there is a leader and every member serves; throws std::runtime_error otherwise.
  explicit ZooKeeperEnsemble(ZooKeeperOptions options = {}, std::size_t size = 3);

  std::size_t size() const noexcept { return servers_.size(); }
  ZooKeeperServer& server(std::size_t i) { return *servers_.at(i); }

  // "127.0.0.1:p0,127.0.0.1:p1,127.0.0.1:p2"
  std::string connect_string() const;

  // Asked of the servers now; nothing during an election. A leader that was paused does not count.
  std::optional<std::size_t> find_leader() const;
  // Waits for one. Throws std::runtime_error if there is none in time.
  std::size_t leader() const;
  // Members that follow now, in order.
  std::vector<std::size_t> followers() const;

  void kill(std::size_t i) { server(i).kill(); }
  void stop(std::size_t i) { server(i).stop(); }
  void pause(std::size_t i) { server(i).pause(); }
  void resume(std::size_t i) { server(i).resume(); }
  // Returns once the member serves again; it needs a majority for that.
  void restart(std::size_t i);

  // Waits until there is a leader and every member that is up serves. A paused one never does.
  void wait_until_serving(std::chrono::milliseconds timeout = ZooKeeperServer::kStartTimeout) const;

 private:
  void start(const ZooKeeperOptions& options, std::size_t size);

  std::vector<std::unique_ptr<ZooKeeperServer>> servers_;
};

}  // namespace holdfast::testing
