// zookeeper_ensemble.h -- three real servers with a leader.
//
// Members are numbered from 0. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tcp_relay.h"
#include "zookeeper_server.h"

namespace holdfast::testing {

// How followers reach their leader. Elections are direct in either case.
enum class QuorumLinks { direct, relayed };

class ZooKeeperEnsemble {
 public:
  // Returns once there is a leader and every member serves; throws std::runtime_error otherwise.
  explicit ZooKeeperEnsemble(ZooKeeperOptions options = {}, std::size_t size = 3,
                             QuorumLinks links = QuorumLinks::direct);

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

  // Nothing passes between `follower` and the leader it has now, and neither is told. The follower goes on answering
  // reads for syncLimit ticks. All other links stay, elections too. Throws std::logic_error unless links are relayed
  // and `follower` is not the leader itself.
  void stall_link(std::size_t follower);
  // What was held back arrives now.
  void heal_links();

  // Waits until there is a leader and every member that is up serves. A paused one never does.
  void wait_until_serving(std::chrono::milliseconds timeout = ZooKeeperServer::kStartTimeout) const;

 private:
  void start(const ZooKeeperOptions& options, std::size_t size, QuorumLinks links);

  // From the first to the second. Declared before the servers, which end first.
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<TcpRelay>> relays_;
  std::vector<std::unique_ptr<ZooKeeperServer>> servers_;
};

}  // namespace holdfast::testing
