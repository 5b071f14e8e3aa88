#include "zookeeper_ensemble.h"

#include <fmt/format.h>

#include <stdexcept>

#include "eventually.h"
#include "free_port.h"

namespace holdfast::testing {
namespace {

// Losing the race for one of nine ports this often is no accident.
constexpr int kPortAttempts = 5;

}  // namespace

ZooKeeperEnsemble::ZooKeeperEnsemble(ZooKeeperOptions options, std::size_t size, QuorumLinks links) {
  for (int attempt = 1;; ++attempt) {
    start(options, size, links);
    try {
      // Each by itself first: that notices a member which ended, and says why.
      for (const auto& server : servers_) server->wait_until_serving();
      (void)leader();
      return;
    } catch (const PortTaken&) {
      if (attempt == kPortAttempts) throw;
    }
  }
}

void ZooKeeperEnsemble::start(const ZooKeeperOptions& options, std::size_t size, QuorumLinks links) {
  servers_.clear();
  relays_.clear();
  // Per member: clients, followers to the leader, election.
  const std::vector<std::uint16_t> ports = free_ports(3 * size);
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<std::string> peers;
    for (std::size_t j = 0; j < size; ++j) {
      // A member listens where its own configuration says, and looks for the others there too. Nobody compares the
      // configurations, unless reconfigEnabled.
      auto quorum_port = ports[3 * j + 1];
      if (links == QuorumLinks::relayed && i != j) {
        quorum_port = relays_.emplace(std::pair(i, j), std::make_unique<TcpRelay>(quorum_port)).first->second->port();
      }
      peers.push_back(fmt::format("server.{}=127.0.0.1:{}:{}", j + 1, quorum_port, ports[3 * j + 2]));
    }
    servers_.push_back(std::make_unique<ZooKeeperServer>(
        options, QuorumMember{.id = static_cast<int>(i) + 1, .client_port = ports[3 * i], .peers = std::move(peers)}));
  }
}

std::string ZooKeeperEnsemble::connect_string() const {
  std::string text;
  for (const auto& server : servers_) text += (text.empty() ? "" : ",") + server->address();
  return text;
}

std::optional<std::size_t> ZooKeeperEnsemble::find_leader() const {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i]->mode() == "leader") return i;
  }
  return std::nullopt;
}

std::size_t ZooKeeperEnsemble::leader() const {
  std::optional<std::size_t> found;
  if (!eventually(ZooKeeperServer::kStartTimeout, [&] { return (found = find_leader()).has_value(); })) {
    throw std::runtime_error("the ensemble has no leader");
  }
  return *found;
}

std::vector<std::size_t> ZooKeeperEnsemble::followers() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i]->mode() == "follower") found.push_back(i);
  }
  return found;
}

void ZooKeeperEnsemble::restart(std::size_t i) {
  server(i).restart();
  server(i).wait_until_serving();
}

void ZooKeeperEnsemble::stall_link(std::size_t follower) {
  const auto relay = relays_.find({follower, leader()});
  if (relay == relays_.end()) throw std::logic_error("no relay between this member and the leader");
  relay->second->stall();
}

void ZooKeeperEnsemble::heal_links() {
  for (const auto& [link, relay] : relays_) relay->heal();
}

void ZooKeeperEnsemble::wait_until_serving(std::chrono::milliseconds timeout) const {
  const auto settled = [this] {
    for (const auto& server : servers_) {
      if (server->up() && !server->serving()) return false;
    }
    return find_leader().has_value();
  };
  if (eventually(timeout, settled)) return;
  std::string what = "the ensemble does not serve";
  for (const auto& server : servers_) {
    what += fmt::format("\n{} ({}), whose log ends:\n{}", server->address(), server->up() ? "up" : "down",
                        server->log_tail());
  }
  throw std::runtime_error(what);
}

}  // namespace holdfast::testing
