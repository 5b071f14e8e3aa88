#include "server/flow_control.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "server/addresses.h"
#include "support/manual_loop.h"
#include "support/recorded_peer.h"

namespace holdfast::server {
namespace {

// A request that is not done before it is allowed.
class Postponed final : public Work {
 public:
  explicit Postponed(std::function<bool()> may_go_on) : may_go_on_(std::move(may_go_on)) {}
  bool writes() const override { return false; }
  engine::Outcome execute(engine::Engine&, const Turn&) override {
    unfinished_ = !may_go_on_();
    return {};
  }
  void settle(engine::Engine&, engine::Outcome&) override {}
  bool unfinished() const override { return unfinished_; }
  void fail(bool) override {}

 private:
  std::function<bool()> may_go_on_;
  bool unfinished_ = false;
};

class FlowControlTest : public ::testing::Test {
 protected:
  FlowControlTest() {
    connection_.id = 1;
    connection_.peer = peer_;
    connection_.account = std::make_shared<Account>();
  }

  testing::ManualLoop loop_;
  engine::Engine engine_;
  Pipeline pipeline_{loop_, engine_, nullptr, 0, {.at_rest = [] {}, .stuck = [](bool) {}}};
  MemoryBudget memory_{1'000'000};
  FlowControl flow_{loop_, pipeline_, memory_, 1'000'000};
  std::shared_ptr<testing::RecordedPeer> peer_ = std::make_shared<testing::RecordedPeer>();
  ClientConnection connection_;
};

TEST_F(FlowControlTest, takes_a_request_that_waits_for_memory_for_a_sign_of_life) {
  bool room = false;
  pipeline_.push(line_of(connection_), std::make_unique<Postponed>([&] {
                   if (!room) flow_.wait_for_room(connection_);
                   return room;
                 }));
  loop_.run_for();
  EXPECT_FALSE(pipeline_.idle());
  EXPECT_TRUE(flow_.is_speaking(connection_)) << "it is the server that keeps it waiting";
  room = true;
  flow_.has_room(connection_);
  loop_.run_for();
  EXPECT_TRUE(pipeline_.idle());
  EXPECT_FALSE(flow_.is_speaking(connection_)) << "all that it said was answered";
}

TEST_F(FlowControlTest, takes_what_was_sent_and_not_read_for_a_sign_of_life) {
  EXPECT_FALSE(flow_.is_speaking(connection_));
  peer_->unread = true;
  EXPECT_TRUE(flow_.is_speaking(connection_));
}

TEST_F(FlowControlTest, takes_a_client_that_does_not_read_its_answers_for_silent_whatever_it_asks_for) {
  peer_->unread = true;
  peer_->not_sent = std::size_t{5} << 20;
  flow_.wait_for_reader(connection_);
  pipeline_.push(line_of(connection_), std::make_unique<Postponed>([] { return true; }));
  loop_.run_for();
  EXPECT_FALSE(pipeline_.idle()) << "it waits until its client has read";
  EXPECT_FALSE(flow_.is_speaking(connection_));
  // Memory that has become free for it changes nothing about that.
  flow_.wait_for_room(connection_);
  flow_.has_room(connection_);
  loop_.run_for();
  EXPECT_FALSE(pipeline_.idle());
  peer_->not_sent = 0;
  flow_.sent(connection_);
  loop_.run_for();
  EXPECT_TRUE(pipeline_.idle());
}

TEST_F(FlowControlTest, lets_everything_go_on_whatever_it_waits_for) {
  peer_->not_sent = std::size_t{5} << 20;
  flow_.wait_for_reader(connection_);
  flow_.wait_for_room(connection_);
  pipeline_.push(line_of(connection_), std::make_unique<Postponed>([] { return true; }));
  loop_.run_for();
  EXPECT_FALSE(pipeline_.idle());
  flow_.go_on(connection_);
  loop_.run_for();
  EXPECT_TRUE(pipeline_.idle());
}

}  // namespace
}  // namespace holdfast::server
