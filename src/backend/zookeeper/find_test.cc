// The backend over a line that the test holds in its hand: which requests it makes, and in which order.
#include <gtest/gtest.h>

#include "backend/zookeeper/zookeeper_backend.h"
#include "support/manual_executor.h"
#include "zk/fake_line.h"

namespace holdfast::zookeeper {
namespace {

using namespace std::chrono_literals;
using spi::Status;

class Finding : public ::testing::Test, private spi::Observer {
 protected:
  Finding() {
    backend_.open(*this);
    executor_.run_for(0ms);
    line_->welcome();
    executor_.run_for(0ms);
    line_->said.clear();
  }
  ~Finding() override {
    if (const auto outside = backend_.close()) outside();
  }

  std::vector<wire::Op> said() const {
    std::vector<wire::Op> ops;
    for (const auto& each : line_->said) ops.push_back(each.op);
    return ops;
  }
  // The list of a queue with these nodes in it.
  void answer_list(std::size_t request, const std::vector<std::string>& nodes) {
    wire::Writer body;
    body.texts(nodes);
    line_->reply(line_->said.at(request).xid, Code::ok, body.bytes());
  }
  void answer_sync(std::size_t request, Code code) {
    wire::Writer body;
    body.text("/q");
    line_->reply(line_->said.at(request).xid, code, code == Code::ok ? body.bytes() : "");
  }

  testing::ManualExecutor executor_;
  std::shared_ptr<zk::FakeLine> line_;
  ZooKeeperBackend backend_{executor_,
                            // Two servers: then it is known to be an ensemble, and nothing is asked about that.
                            {.servers = {{"10.0.0.1", "1"}, {"10.0.0.2", "1"}}, .called = "ZooKeeper at a and b"},
                            {},
                            [this](const net::ServerAddress& server, Clock::duration, zk::Line::Events events) {
                              return line_ = std::make_shared<zk::FakeLine>(server.text(), std::move(events));
                            }};
  std::vector<Status> found_;

 private:
  void connected(const spi::Session&) override {}
  void disconnected() override {}
  void expired(spi::SessionId) override {}
  void acknowledged(spi::SessionId, Clock::time_point, bool) override {}
  void refused(const std::string&) override {}
};

// After a reconnect the follower may not have heard of what we did through another one: without the sync before it, a list could miss
// our own ticket, and "absent" would not be final.
TEST_F(Finding, syncs_before_it_lists) {
  backend_.find("q", "uid", [this](const auto& reply) { found_.push_back(reply.status); });
  ASSERT_EQ(said(), (std::vector{wire::Op::sync, wire::Op::get_children}));
  wire::Reader synced(line_->said[0].body);
  wire::Reader listed(line_->said[1].body);
  EXPECT_EQ(synced.text(), "/q");
  EXPECT_EQ(listed.text(), "/q");
  answer_sync(0, Code::ok);
  EXPECT_TRUE(found_.empty()) << "the sync alone says nothing";
  answer_list(1, {});
  EXPECT_EQ(found_, std::vector{Status::absent});
}

TEST_F(Finding, does_not_believe_in_absence_if_the_sync_failed) {
  backend_.find("q", "uid", [this](const auto& reply) { found_.push_back(reply.status); });
  ASSERT_EQ(line_->said.size(), 2U);
  answer_sync(0, Code::marshalling_error);
  answer_list(1, {});
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_NE(found_.front(), Status::absent);
  EXPECT_NE(found_.front(), Status::ok);
}

TEST_F(Finding, finds_the_ticket_with_that_uid_and_whose_it_is) {
  std::optional<spi::Reply<spi::Enqueued>> found;
  backend_.find("q", "uid", [&](const auto& reply) { found = reply; });
  answer_sync(0, Code::ok);
  answer_list(1, {"_c_other-lock-0000000001", "_c_uid-lock-0000000002"});
  ASSERT_EQ(said().size(), 3U);
  EXPECT_EQ(said().back(), wire::Op::exists);
  wire::Writer stat;
  encode(stat, wire::Stat{.czxid = 77, .ephemeral_owner = 5});
  line_->reply(line_->said[2].xid, Code::ok, stat.bytes());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status, Status::ok);
  EXPECT_EQ(found->value.place.ticket.id, "_c_uid-lock-0000000002");
  EXPECT_EQ(found->value.place.token, 77U);
  EXPECT_EQ(found->value.place.session, 5);
  EXPECT_EQ(found->value.queue.size(), 2U);
}

}  // namespace
}  // namespace holdfast::zookeeper
