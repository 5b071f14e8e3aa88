// interop.h -- one real server, and lock clients of several makes in front of it, each in its own process.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/holdfast.h"
#include "support/eventually.h"
#include "support/oracle.h"
#include "support/peer.h"
#include "support/plain_client.h"
#include "support/temp_dir.h"
#include "support/zookeeper_server.h"

namespace holdfast::testing {

enum class Make { holdfast, curator, kazoo };

const char* to_string(Make make) noexcept;

// Long enough for a starved machine; nothing waits for it when all is well.
inline constexpr std::chrono::seconds kSoon{30};
// No session of a peer that is alive ends, however slow the machine is.
inline constexpr std::chrono::seconds kLongSession{30};
// Of a peer that is to be killed: short, but not so short that a starved machine ends it before we do.
inline constexpr std::chrono::milliseconds kVictimSession{3'000};
// Long enough to see that somebody who should wait does.
inline constexpr std::chrono::milliseconds kShortWait{200};

// A node in the queue, as the server has it.
struct Node {
  std::string name;
  std::string data;
  std::uint64_t czxid = 0;  // what everybody here gives out as the token
  std::uint64_t owner = 0;  // the session that made it and with which it goes; 0 if it stays

  std::int64_t sequence() const { return std::stoll(name.substr(name.size() - 10)); }
};

// Whether the name of this machine leads to an address. Java asks for its own that way (InetAddress.getLocalHost), and Curator writes nothing into its nodes
// if it is not told any.
bool host_name_resolves();

// Starts nothing but the server. All peers stand in the queue of kPath.
class Interop : public ::testing::Test {
 protected:
  static constexpr const char* kPath = "/interop/orders/1";

  explicit Interop(ZooKeeperOptions options = {}) : server_(std::move(options)) {}

  // Every peer that was not killed must still be able to end in order, and have lost nothing. (A sanitizer that found
  // something in one of ours shows here, too.)
  void TearDown() override;

  Peer& start(Make make, std::chrono::milliseconds session_timeout = kLongSession,
              const std::vector<std::string>& more_arguments = {});
  // KIND as in tests/peers/README.md.
  Peer& start(Make make, const std::string& kind, std::chrono::milliseconds session_timeout = kLongSession) {
    return start(make, session_timeout, {kind});
  }

  // This process in the queue, for what is easier to see from inside.
  Client connect(ClientOptions options = {.session_timeout = kLongSession}) {
    return Client::connect("zk://" + server_.address(), std::move(options));
  }

  // A session of this process that takes no part in any lock.
  PlainClient& observer() { return observer_; }

  // The queue as the server lists it, in the order of the sequence numbers.
  std::vector<Node> queue(const std::string& path = kPath);
  [[nodiscard]] bool queue_becomes(std::size_t length) {
    return eventually(kSoon, [&] { return queue().size() == length; });
  }
  // Two queues make a semaphore: who has a permit, or waits for one, and who may take one.
  static std::string leases() { return std::string(kPath) + "/leases"; }
  static std::string locks() { return std::string(kPath) + "/locks"; }
  // Nothing if there is no such node.
  std::optional<Node> node(const std::string& path);

  // The critical sections that were completed, in order. Fails the test on any overlap, and unless the tokens grow from
  // client to client.
  std::vector<Oracle::Grant> checked_grants() const;

  const std::filesystem::path& oracle_directory() const { return oracle_directory_.path(); }

 private:
  ZooKeeperServer server_;
  std::string address_ = server_.address();
  PlainClient observer_{address_, kLongSession};
  TempDir oracle_directory_{"oracle"};
  std::deque<Peer> peers_;  // never moved
};

}  // namespace holdfast::testing
