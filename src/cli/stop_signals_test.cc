#include "cli/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <stdexcept>

namespace holdfast::cli {
namespace {

void send(int number) { ASSERT_EQ(::kill(::getpid(), number), 0); }

TEST(StopSignals, are_values_for_who_waits) {
  StopSignals signals([] {});
  send(SIGTERM);
  EXPECT_EQ(signals.wait(), SIGTERM);
  send(SIGINT);
  EXPECT_EQ(signals.wait(), SIGINT);
}

TEST(StopSignals, a_hangup_is_told_and_waited_past) {
  int hangups = 0;
  StopSignals signals([&] {
    if (++hangups == 2) send(SIGTERM);
    if (hangups < 2) send(SIGHUP);
  });
  send(SIGHUP);
  EXPECT_EQ(signals.wait(), SIGTERM);
  EXPECT_EQ(hangups, 2);
}

TEST(StopSignals, work_that_ends_first_is_waited_for) {
  StopSignals signals([] {});
  bool done = false;
  EXPECT_EQ(signals.wait_while([&] { done = true; }), std::nullopt);
  EXPECT_TRUE(done);
}

TEST(StopSignals, a_signal_does_not_wait_for_work_that_goes_on) {
  StopSignals signals([] {});
  // Shared, as the work outlives the wait.
  const auto end = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  EXPECT_EQ(signals.wait_while([=] {
    send(SIGINT);
    end->get_future().wait();
    ended->set_value();
  }),
            SIGINT);
  end->set_value();
  ended->get_future().wait();
}

TEST(StopSignals, what_the_work_throws_is_thrown_to_who_waits) {
  StopSignals signals([] {});
  EXPECT_THROW(signals.wait_while([] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST(StopSignals, a_write_to_nobody_does_not_end_the_process) {
  StopSignals signals([] {});
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  ::close(ends[1]);
}

}  // namespace
}  // namespace holdfast::cli
