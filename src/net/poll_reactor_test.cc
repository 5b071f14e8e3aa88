#include "net/poll_reactor.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

class PollReactorTest : public ::testing::Test {
 protected:
  PollReactorTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = base::Descriptor(ends[0]);
    theirs_ = base::Descriptor(ends[1]);
  }
  void wait_until(const bool& done) {
    for (const auto end = reactor_.now() + 20s; !done && reactor_.now() < end;) reactor_.wait({}, end);
    EXPECT_TRUE(done);
  }

  PollReactor reactor_;
  base::Descriptor ours_;
  base::Descriptor theirs_;
};

TEST_F(PollReactorTest, runs_what_is_due_in_its_order_while_it_is_waited_in) {
  std::string ran;
  bool done = false;
  reactor_.at(reactor_.now() + 2ms, [&] {
    ran += "c";
    done = true;
  });
  reactor_.at(reactor_.now() + 1ms, [&] { ran += "b"; });
  const auto never = reactor_.at(reactor_.now(), [&] { ran += "x"; });
  reactor_.post([&] { ran += "a"; });
  reactor_.cancel(never);
  EXPECT_EQ(ran, "");
  wait_until(done);
  EXPECT_EQ(ran, "abc");
}

TEST_F(PollReactorTest, is_woken_by_another_thread) {
  bool done = false;
  std::thread other([&] { reactor_.post([&] { done = true; }); });
  wait_until(done);
  other.join();
}

TEST_F(PollReactorTest, tells_what_can_be_read_and_once_what_can_be_written) {
  int told = 0;
  bool done = false;
  const auto readiness = reactor_.watch(ours_.get(), [&] {
    done = ++told > 0;
    std::array<char, 8> bytes{};
    (void)::read(ours_.get(), bytes.data(), bytes.size());
  });
  reactor_.wait({}, reactor_.now());
  EXPECT_EQ(told, 0);
  readiness->when_writable();
  wait_until(done);
  reactor_.wait({}, reactor_.now());
  EXPECT_EQ(told, 1);
  done = false;
  ASSERT_EQ(::write(theirs_.get(), "x", 1), 1);
  wait_until(done);
  EXPECT_EQ(told, 2);
}

TEST_F(PollReactorTest, tells_nothing_of_what_is_not_watched_any_more) {
  bool told = false;
  std::unique_ptr<Reactor::Readiness> second;
  const auto first = reactor_.watch(ours_.get(), [&] { second.reset(); });
  second = reactor_.watch(ours_.get(), [&] { told = true; });
  ASSERT_EQ(::write(theirs_.get(), "x", 1), 1);
  reactor_.wait({}, reactor_.now() + 20s);
  EXPECT_EQ(second, nullptr);
  EXPECT_FALSE(told);
}

TEST_F(PollReactorTest, says_which_of_the_other_descriptors_are_ready) {
  std::array<pollfd, 2> also{pollfd{ours_.get(), POLLIN, 0}, pollfd{-1, POLLIN, 0}};
  reactor_.wait(also, reactor_.now());
  EXPECT_EQ(also[0].revents, 0);
  ASSERT_EQ(::write(theirs_.get(), "x", 1), 1);
  reactor_.wait(also, reactor_.now() + 20s);
  EXPECT_EQ(also[0].revents, POLLIN);
  EXPECT_EQ(also[1].revents, 0);
}

}  // namespace
}  // namespace holdfast::net
