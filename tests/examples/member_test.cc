#include "support/eventually.h"
#include "support/plain_client.h"
#include "support/zookeeper_server.h"
#include "transcript.h"

namespace holdfast::testing {
namespace {

using Lines = std::vector<std::string>;

// From A's release on.
void expect_b_d_e_in_order(Process& program, std::vector<unsigned long long>& tokens) {
  Lines lines;
  for (const auto& line : lines_until(program, "")) lines.push_back(without_token(line, tokens));
  EXPECT_EQ(lines, (Lines{"A releases", "B holds", "B releases", "D holds", "D releases", "E holds", "E releases"}));
  EXPECT_EQ(tokens.size(), 4U);
  EXPECT_TRUE(strictly_grow(tokens));
  EXPECT_EQ(program.wait(kLineTimeout), 0);
}

Lines queue_up(Process& program, std::vector<unsigned long long>& tokens) {
  Lines lines;
  for (const auto& line : lines_until(program, "E waits")) lines.push_back(without_token(line, tokens));
  return lines;
}

const Lines kQueuedUp{"A holds", "B waits", "C waits", "D waits", "E waits"};
const Lines kCLeft{"C leaves: cancelled", "D still waits"};

TEST(Member, goes_from_a_to_b_to_d_to_e_when_c_leaves_in_memory) {
  Process program({HOLDFAST_MEMBER});
  std::vector<unsigned long long> tokens;
  EXPECT_EQ(queue_up(program, tokens), kQueuedUp);
  EXPECT_EQ(lines_until(program, "D still waits"), kCLeft);
  expect_b_d_e_in_order(program, tokens);
}

class Console {
 public:
  explicit Console(const ZooKeeperServer& server) : server_(server), client_(server.address()) {}

  // Who listens to whom, by the order of the queue: "1<-2" is the second ticket's session watching the first ticket.
  Lines listeners() {
    const auto tickets = client_.children("/member-123");
    const auto watches = server_.watches();
    Lines found;
    for (std::size_t ahead = 0; ahead < tickets.size(); ++ahead) {
      const auto watchers = watches.find("/member-123/" + tickets[ahead]);
      if (watchers == watches.end()) continue;
      for (std::size_t behind = 0; behind < tickets.size(); ++behind) {
        if (watchers->second.contains(owner(tickets[behind]))) {
          found.push_back(std::to_string(ahead + 1) + "<-" + std::to_string(behind + 1));
        }
      }
    }
    return found;
  }
  std::vector<SessionId> owners() {
    std::vector<SessionId> sessions;
    for (const auto& ticket : client_.children("/member-123")) sessions.push_back(owner(ticket));
    return sessions;
  }

 private:
  SessionId owner(const std::string& ticket) {
    Stat stat{};
    if (zoo_exists(client_.handle(), ("/member-123/" + ticket).c_str(), 0, &stat) != ZOK) return 0;
    return static_cast<SessionId>(stat.ephemeralOwner);
  }

  const ZooKeeperServer& server_;
  PlainClient client_;
};

TEST(Member, d_listens_to_b_after_c_has_left_on_zookeeper) {
  const ZooKeeperServer server;
  Process program({HOLDFAST_MEMBER, "zk://" + server.address(), "--step"});
  std::vector<unsigned long long> tokens;
  ASSERT_EQ(queue_up(program, tokens), kQueuedUp);

  Console console(server);
  EXPECT_TRUE(eventually(kLineTimeout, [&] { return console.listeners() == Lines{"1<-2", "2<-3", "3<-4", "4<-5"}; }));
  const auto before = console.owners();
  ASSERT_EQ(before.size(), 5U);

  program.write_line("");
  EXPECT_EQ(lines_until(program, "D still waits"), kCLeft);
  EXPECT_TRUE(eventually(kLineTimeout, [&] { return console.listeners() == Lines{"1<-2", "2<-3", "3<-4"}; }));
  EXPECT_EQ(console.owners(), (std::vector{before[0], before[1], before[3], before[4]})) << "the third is D now";

  program.write_line("");
  expect_b_d_e_in_order(program, tokens);
}

}  // namespace
}  // namespace holdfast::testing
