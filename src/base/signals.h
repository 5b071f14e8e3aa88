// signals.h -- signals of the kernel as values to read, and the mask that keeps them from interrupting.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <initializer_list>
#include <optional>

#include "base/descriptor.h"

namespace holdfast::base {

sigset_t signal_set(std::initializer_list<int> signals);

// Blocks them for the thread that makes it, as long as it lives. Threads that are started meanwhile inherit the mask.
class BlockedSignals {
 public:
  explicit BlockedSignals(const sigset_t& signals) { ::pthread_sigmask(SIG_BLOCK, &signals, &before_); }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

// Make it before the first thread. The signals stay blocked when it is destroyed: what comes while a program ends must not change how it
// ends. A program that goes on without it calls unblock().
class SignalDescriptor {
 public:
  // Throws std::system_error, and then blocks nothing.
  explicit SignalDescriptor(const sigset_t& signals);

  // Readable while there is something to take.
  int fd() const noexcept { return fd_.get(); }
  // The next one; nothing if none has come.
  std::optional<signalfd_siginfo> take() const noexcept;

  // The mask as it was before.
  const sigset_t& mask_before() const noexcept { return before_; }
  // Puts that back. What came meanwhile and was not taken comes now.
  void unblock() const noexcept { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  Descriptor fd_;
  sigset_t before_{};
};

// Sends a blocked signal to this thread and lets it act, as if it had not been blocked: a stop returns once the process is continued.
// `before` runs when the signal is on its way but has not come.
template <class Before>
void suffer(int signal, const Before& before) {
  const auto only = signal_set({signal});
  sigset_t usual;
  ::raise(signal);
  before();
  ::pthread_sigmask(SIG_UNBLOCK, &only, &usual);
  // Here it comes.
  ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
}

}  // namespace holdfast::base
