// Where ZooKeeper looks ahead: requests that it judges before those in front of them are applied. The engine never
// does.
#include <gtest/gtest.h>

#include "asker.h"
#include "server_pair.h"

namespace holdfast::testing {
namespace {

class Pipelines : public ::testing::Test {
 protected:
  // The errors of the replies to both, sent in one write.
  std::vector<std::int32_t> ask_both(Asker& asker, const JuteWriter& first, const JuteWriter& second) {
    asker.raw().send(RawClient::framed(first.bytes()) + RawClient::framed(second.bytes()));
    std::vector<std::int32_t> errors;
    for (int reply = 0; reply < 2; ++reply) {
      const RawClient::Received received = asker.raw().receive();
      JuteReader in(received.frame);
      (void)in.i32();
      (void)in.i64();
      errors.push_back(in.i32());
    }
    return errors;
  }

  ZooKeeperServer engine_{server_options(ServerMake::engine)};
};

TEST_F(Pipelines, obey_an_access_list_as_soon_as_it_is_set) {
  Asker asker(engine_.port());
  ASSERT_EQ(asker.err(Op::create, create_payload("/a")), 0);
  const auto read_only = JuteWriter().i32(101).i32(7).text("/a").i32(1).i32(1).text("world").text("anyone").i32(-1);
  const auto write = JuteWriter().i32(102).i32(5).text("/a").text("x").i32(-1);
  EXPECT_EQ(ask_both(asker, read_only, write), (std::vector<std::int32_t>{0, -102}));
}

TEST_F(Pipelines, see_a_node_as_it_will_be) {
  Asker asker(engine_.port());
  const auto container = JuteWriter().i32(101).i32(19).raw(create_payload("/c", "", 1).bytes());
  const auto child = JuteWriter().i32(102).i32(1).raw(create_payload("/c/d").bytes());
  EXPECT_EQ(ask_both(asker, container, child), (std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace holdfast::testing
