// Fairness across processes: the order of the queue is the order of the grants.
#include <set>

#include "interop.h"

namespace holdfast::testing {
namespace {

constexpr std::size_t kProcesses = 5;
constexpr std::size_t kWaitersEach = 10;
constexpr std::size_t kWaiters = kProcesses * kWaitersEach;

class Crowd : public Interop {};

TEST_F(Crowd, of_fifty_waiters_in_five_processes_is_granted_in_ticket_order) {
  std::vector<Peer*> processes;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    processes.push_back(&start(Make::holdfast, kLongSession, {"--sessions", std::to_string(kWaitersEach)}));
  }
  auto client = connect();
  auto mutex = client.mutex(kPath);
  auto lease = mutex.acquire();
  // All at once, so that the tickets of the processes are mixed.
  for (std::size_t i = 0; i < kProcesses; ++i) {
    processes[i]->start_rounds(1, oracle_directory(), "crowd-" + std::to_string(i));
  }
  ASSERT_TRUE(queue_becomes(kWaiters + 1));

  const auto nodes = queue();
  EXPECT_EQ(nodes.front().czxid, lease.token());
  std::set<std::uint64_t> sessions;
  std::vector<std::string> expected;
  for (const auto& node : nodes) {
    sessions.insert(node.owner);
    if (node.czxid != lease.token()) expected.push_back(std::to_string(node.czxid));
  }
  EXPECT_EQ(sessions.size(), kWaiters + 1);
  ASSERT_EQ(expected.size(), kWaiters);
  ASSERT_TRUE(Oracle(oracle_directory()).grants().empty()) << "somebody was granted while we hold";

  ASSERT_FALSE(lease.release());
  for (auto* process : processes) process->finish_rounds(kSoon);

  std::vector<std::string> granted;
  std::set<std::string> who;
  for (const auto& grant : checked_grants()) {
    granted.push_back(grant.token);
    who.insert(grant.id);
  }
  EXPECT_EQ(granted, expected);
  EXPECT_EQ(who.size(), kWaiters) << "everybody once";
  EXPECT_TRUE(queue_becomes(0));
}

}  // namespace
}  // namespace holdfast::testing
