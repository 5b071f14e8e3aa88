#include "interop.h"

#include <netdb.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace holdfast::testing {
namespace {

std::vector<std::string> command(Make make) {
  switch (make) {
    case Make::holdfast: return {HOLDFAST_LOCK_WORKER};
    case Make::kazoo: return {HOLDFAST_PYTHON, HOLDFAST_KAZOO_PEER};
    case Make::curator: break;
  }
  // A peer lives for seconds: the quick compiler, the collector without threads.
  return {HOLDFAST_JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-XX:-UsePerfData",
          "-cp",         HOLDFAST_PEER_CLASSPATH,   "CuratorPeer"};
}

}  // namespace

const char* to_string(Make make) noexcept {
  switch (make) {
    case Make::holdfast: return "holdfast";
    case Make::curator: return "curator";
    case Make::kazoo: return "kazoo";
  }
  return "?";
}

bool host_name_resolves() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return false;
  if (std::string_view(name.data()) == "localhost") return true;  // which Java does not look up
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.data(), nullptr, &hints, &found) != 0) return false;
  ::freeaddrinfo(found);
  return true;
}

void Interop::TearDown() {
  constexpr int kKilled = 128 + SIGKILL;
  for (auto& peer : peers_) {
    EXPECT_EQ(peer.lost_at(), std::nullopt);
    const int status = peer.exit();
    EXPECT_TRUE(status == 0 || status == kKilled) << "a peer ended with status " << status;
  }
}

Peer& Interop::start(Make make, std::chrono::milliseconds session_timeout,
                     const std::vector<std::string>& more_arguments) {
  auto argv = command(make);
  argv.insert(argv.end(), {address_, kPath, std::to_string(session_timeout.count())});
  argv.insert(argv.end(), more_arguments.begin(), more_arguments.end());
  return peers_.emplace_back(std::move(argv), to_string(make));
}

std::optional<Node> Interop::node(const std::string& path) {
  std::string data(1024, '\0');  // more than any card
  int length = static_cast<int>(data.size());
  Stat stat{};
  const int code = zoo_get(observer_.handle(), path.c_str(), 0, data.data(), &length, &stat);
  if (code == ZNONODE) return std::nullopt;
  if (code != ZOK) throw std::runtime_error(path + ": " + zerror(code));
  data.resize(static_cast<std::size_t>(std::max(length, 0)));  // -1: no data
  return Node{.name = path.substr(path.rfind('/') + 1),
              .data = std::move(data),
              .czxid = static_cast<std::uint64_t>(stat.czxid),
              .owner = static_cast<std::uint64_t>(stat.ephemeralOwner)};
}

std::vector<Node> Interop::queue(const std::string& path) {
  std::vector<Node> nodes;
  String_vector children{};
  const int code = zoo_get_children(observer_.handle(), path.c_str(), 0, &children);
  if (code != ZOK && code != ZNONODE) throw std::runtime_error(path + ": " + zerror(code));
  for (int i = 0; i < children.count; ++i) {
    // Between the listing and this a node may go.
    if (auto found = node(path + "/" + children.data[i])) nodes.push_back(std::move(*found));
  }
  deallocate_String_vector(&children);
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.sequence() < b.sequence(); });
  return nodes;
}

std::vector<Oracle::Grant> Interop::checked_grants() const {
  const Oracle oracle(oracle_directory());
  EXPECT_EQ(oracle.overlaps(), std::vector<std::string>());
  auto grants = oracle.grants();
  for (std::size_t i = 1; i < grants.size(); ++i) {
    EXPECT_LT(std::stoull(grants[i - 1].token), std::stoull(grants[i].token))
        << "grant " << i << ": " << grants[i - 1].id << ", then " << grants[i].id;
  }
  return grants;
}

}  // namespace holdfast::testing
