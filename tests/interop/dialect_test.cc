// What ours leaves on the server is what Curator leaves there: compared node by node with the real one.
#include <arpa/inet.h>

#include <regex>

#include "interop.h"

namespace holdfast::testing {
namespace {

bool starts_with_an_address(const std::string& data) {
  const auto word = data.substr(0, data.find(' '));
  in6_addr ignored{};
  return ::inet_pton(AF_INET, word.c_str(), &ignored) == 1 || ::inet_pton(AF_INET6, word.c_str(), &ignored) == 1;
}

class Dialect : public Interop, public ::testing::WithParamInterface<Make> {};

// Run for Curator as well: so the expectation itself is checked against what it imitates.
TEST_P(Dialect, is_that_of_curator) {
  auto& peer = start(GetParam());
  const auto token = peer.acquire();
  const auto nodes = queue();
  ASSERT_EQ(nodes.size(), 1U);
  const auto& node = nodes.front();
  const std::regex name("_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-lock-[0-9]{10}");
  EXPECT_TRUE(std::regex_match(node.name, name)) << node.name;
  EXPECT_NE(node.owner, 0U) << "not ephemeral";
  EXPECT_NE(node.owner, kContainer);
  EXPECT_TRUE(starts_with_an_address(node.data)) << node.data;
  EXPECT_EQ(std::to_string(node.czxid), token);

  const std::string path = kPath;
  std::size_t parents = 0;
  for (auto end = path.size(); end != 0; end = path.rfind('/', end - 1)) {
    const auto parent = this->node(path.substr(0, end));
    ASSERT_TRUE(parent) << path.substr(0, end);
    EXPECT_EQ(parent->owner, kContainer) << path.substr(0, end);
    EXPECT_EQ(parent->data, "") << path.substr(0, end);
    ++parents;
  }
  EXPECT_EQ(parents, 3U);

  peer.release();
  EXPECT_TRUE(queue_becomes(0));
  // A name is used once: Curator finds a node whose creation it is not sure of by it.
  peer.acquire();
  ASSERT_EQ(queue().size(), 1U);
  EXPECT_NE(queue().front().name.substr(0, 39), node.name.substr(0, 39));
  EXPECT_EQ(queue().front().sequence(), node.sequence() + 1);
}

INSTANTIATE_TEST_SUITE_P(Of, Dialect, ::testing::Values(Make::holdfast, Make::curator),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace holdfast::testing
