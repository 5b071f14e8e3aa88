#include "base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <array>
#include <string>

namespace holdfast::base {
namespace {

TEST(Thread, has_its_name_and_takes_no_signal_but_those_of_faults) {
  std::array<char, 16> name{};
  sigset_t blocked{};
  start_thread("hf-fifteen-char", [&] {
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  }).join();
  EXPECT_EQ(std::string(name.data()), "hf-fifteen-char");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM, SIGPIPE, SIGPROF, SIGRTMIN + 3}) {
    EXPECT_EQ(::sigismember(&blocked, signal), 1) << signal;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    EXPECT_EQ(::sigismember(&blocked, signal), 0) << signal;
  }
}

TEST(Thread, leaves_the_signals_of_the_one_that_starts_it_as_they_were) {
  sigset_t before{};
  sigset_t after{};
  ::pthread_sigmask(SIG_BLOCK, nullptr, &before);
  start_thread("hf-test", [] {}).join();
  ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    EXPECT_EQ(::sigismember(&before, signal), ::sigismember(&after, signal)) << signal;
  }
}

}  // namespace
}  // namespace holdfast::base
