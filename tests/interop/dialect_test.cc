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

class Dialect : public Interop {
 protected:
  // The tickets of the kind are in `path`.
  void is_that_of_curator(Make make, const std::string& kind = "mutex", const std::string& path = kPath,
                          const std::string& label = "lock-") {
    auto& peer = start(make, kind);
    const auto token = peer.acquire();
    const auto nodes = queue(path);
    ASSERT_EQ(nodes.size(), 1U);
    const auto& node = nodes.front();
    const std::regex name("_c_[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-" + label +
                          "[0-9]{10}");
    EXPECT_TRUE(std::regex_match(node.name, name)) << node.name;
    EXPECT_NE(node.owner, 0U) << "not ephemeral";
    if (make == Make::curator && !host_name_resolves()) {
      EXPECT_EQ(node.data, "") << "Curator knows an address, although the name of this machine has none";
    } else {
      EXPECT_TRUE(starts_with_an_address(node.data)) << node.data;
    }
    EXPECT_EQ(std::to_string(node.czxid), token);

    peer.release();
    EXPECT_TRUE(eventually(kSoon, [&] { return queue(path).empty(); }));
    // A name is used once: Curator finds a node whose creation it is not sure of by it.
    peer.acquire();
    ASSERT_EQ(queue(path).size(), 1U);
    EXPECT_NE(queue(path).front().name.substr(0, 39), node.name.substr(0, 39));
    EXPECT_EQ(queue(path).front().sequence(), node.sequence() + 1);
  }
};

TEST_F(Dialect, of_ours_is_that_of_curator) { is_that_of_curator(Make::holdfast); }
// So the expectation itself is checked against what it speaks of.
TEST_F(Dialect, of_curator_is_that_of_curator) { is_that_of_curator(Make::curator); }

TEST_F(Dialect, of_readers_of_ours_is_that_of_curator) {
  is_that_of_curator(Make::holdfast, "read", kPath, "__READ__");
}
TEST_F(Dialect, of_readers_of_curator_is_that_of_curator) {
  is_that_of_curator(Make::curator, "read", kPath, "__READ__");
}
TEST_F(Dialect, of_writers_of_ours_is_that_of_curator) {
  is_that_of_curator(Make::holdfast, "write", kPath, "__WRIT__");
}
TEST_F(Dialect, of_writers_of_curator_is_that_of_curator) {
  is_that_of_curator(Make::curator, "write", kPath, "__WRIT__");
}
TEST_F(Dialect, of_permits_of_ours_is_that_of_curator) {
  is_that_of_curator(Make::holdfast, "semaphore:2", leases(), "lease-");
}
TEST_F(Dialect, of_permits_of_curator_is_that_of_curator) {
  is_that_of_curator(Make::curator, "semaphore:2", leases(), "lease-");
}

// A server that looks for empty containers all the time.
class Containers : public Interop {
 protected:
  Containers() : Interop(ZooKeeperOptions{.container_check_interval = std::chrono::milliseconds(50)}) {}
};

// What a Stat does not tell (its ephemeralOwner is 0 for containers too), the reaper does: it removes containers that are
// empty, and nothing else.
TEST_F(Containers, are_the_parents_that_ours_and_curator_make_and_each_copes_when_they_are_reaped) {
  auto& ours = start(Make::holdfast);
  auto& curator = start(Make::curator);
  Token last = 0;
  for (auto* peer : {&ours, &curator, &ours, &curator}) {
    const auto token = std::stoull(peer->acquire());
    EXPECT_LT(last, token) << "tokens grow although the sequence begins anew";
    last = token;
    ASSERT_EQ(queue().size(), 1U);
    EXPECT_EQ(queue().front().sequence(), 0);
    for (const auto* parent : {"/interop/orders/1", "/interop/orders", "/interop"}) {
      const auto found = node(parent);
      ASSERT_TRUE(found) << parent;
      EXPECT_EQ(found->data, "") << parent;
    }
    peer->release();
    ASSERT_TRUE(eventually(kSoon, [&] { return !node("/interop"); }));
  }
}

TEST_F(Containers, are_not_what_kazoo_makes) {
  auto& kazoo = start(Make::kazoo);
  auto& ours = start(Make::holdfast);
  kazoo.acquire();
  kazoo.release();
  // Ours, beside it, proves that the reaper has come by.
  auto client = connect();
  client.mutex("/reaped/1").acquire().release();
  ASSERT_TRUE(eventually(kSoon, [&] { return !node("/reaped"); }));
  EXPECT_TRUE(node(kPath));
  ours.acquire();
  EXPECT_EQ(queue().front().sequence(), 1);
}

}  // namespace
}  // namespace holdfast::testing
