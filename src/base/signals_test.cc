#include "base/signals.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "base/event_descriptor.h"

namespace holdfast::base {
namespace {

bool is_readable(int fd) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, 0) == 1;
}

bool is_blocked(int signal) {
  sigset_t now;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return ::sigismember(&now, signal) == 1;
}

TEST(SignalDescriptor, has_what_came_in_its_order_and_interrupts_nothing) {
  const SignalDescriptor signals(signal_set({SIGUSR1, SIGUSR2}));
  EXPECT_FALSE(is_readable(signals.fd()));
  EXPECT_FALSE(signals.take());
  ::raise(SIGUSR2);  // would end this process
  EXPECT_TRUE(is_readable(signals.fd()));
  const auto taken = signals.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->ssi_signo, static_cast<unsigned>(SIGUSR2));
  EXPECT_EQ(taken->ssi_pid, static_cast<unsigned>(::getpid()));
  EXPECT_FALSE(signals.take());
  signals.unblock();
}

TEST(SignalDescriptor, leaves_its_signals_blocked_until_it_is_told_otherwise) {
  ASSERT_FALSE(is_blocked(SIGUSR1));
  const BlockedSignals undone_by_the_end_of_this_test(signal_set({}));
  {
    const SignalDescriptor signals(signal_set({SIGUSR1}));
    EXPECT_FALSE(::sigismember(&signals.mask_before(), SIGUSR1));
  }
  EXPECT_TRUE(is_blocked(SIGUSR1));
  const SignalDescriptor signals(signal_set({SIGUSR2}));
  signals.unblock();
  EXPECT_FALSE(is_blocked(SIGUSR2));
  EXPECT_TRUE(is_blocked(SIGUSR1));
}

TEST(BlockedSignals, are_blocked_in_their_scope_alone) {
  {
    const BlockedSignals blocked(signal_set({SIGUSR1}));
    EXPECT_TRUE(is_blocked(SIGUSR1));
  }
  EXPECT_FALSE(is_blocked(SIGUSR1));
}

TEST(EventDescriptor, is_readable_from_the_first_event_on_until_it_is_cleared) {
  const EventDescriptor event;
  EXPECT_FALSE(is_readable(event.fd()));
  event.set();
  event.set();
  EXPECT_TRUE(is_readable(event.fd()));
  event.clear();
  EXPECT_FALSE(is_readable(event.fd()));
  event.clear();  // does not wait
}

TEST(Descriptor, writes_all_of_it_or_says_why_not) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  EXPECT_TRUE(write_all(writer.get(), "abc"));
  char text[4]{};
  EXPECT_EQ(::read(reader.get(), text, sizeof text), 3);
  const int was = writer.get();
  writer.reset();
  EXPECT_FALSE(write_all(was, "abc"));
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace holdfast::base
