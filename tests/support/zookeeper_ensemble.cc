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

ZooKeeperEnsemble::ZooKeeperEnsemble(ZooKeeperOptions options, std::size_t size) {
  for (int attempt = 1;; ++attempt) {
    start(options, size);
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

void ZooKeeperEnsemble::start(const ZooKeeperOptions& options, std::size_t size) {
  servers_.clear();
  // Per member: clients, followers to the leader, election.
  const std::vector<std::uint16_t> ports = free_ports(3 * size);
  std::vector<std::string> peers;
  for (std::size_t i = 0; i < size; ++i) {
    peers.push_back(fmt::format("server.{}=127.0.0.1:{}:{}", i + 1, ports[3 * i + 1], ports[3 * i + 2]));
  }
  for (std::size_t i = 0; i < size; ++i) {
    servers_.push_back(std::make_unique<ZooKeeperServer>(
        options, QuorumMember{.id = static_cast<int>(i) + 1, .client_port = ports[3 * i], .peers = peers}));
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

void ZooKeeperEnsemble::wait_until_serving(std::chrono::milliseconds timeout) const {
  const auto settled = [this] {
    for (const auto& server : servers_) {
      if (server->up() && !server->serving()) return false;
    }
    return find_leader().has_value();
  };
  if (!eventually(timeout, settled)) throw std::runtime_error("the ensemble does not serve");
}

}  // namespace holdfast::testing
