#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

#include "base/signals.h"

namespace holdfast::base {
namespace {

// All that may be kept from a thread: faults are its own.
sigset_t all_but_faults() {
  sigset_t all;
  ::sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) ::sigdelset(&all, fault);
  return all;
}

}  // namespace

std::thread start_thread(const char* name, std::function<void()> run) {
  const BlockedSignals blocked(all_but_faults());  // the new thread inherits the mask
  return std::thread([name, run = std::move(run)] {
    ::pthread_setname_np(::pthread_self(), name);
    run();
  });
}

}  // namespace holdfast::base
