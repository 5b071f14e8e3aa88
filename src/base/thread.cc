#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace holdfast::base {
namespace {

// A new thread inherits the mask of the one that starts it.
class WithSignalsBlocked {
 public:
  WithSignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) ::sigdelset(&all, fault);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WithSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithSignalsBlocked(const WithSignalsBlocked&) = delete;
  WithSignalsBlocked& operator=(const WithSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::thread start_thread(const char* name, std::function<void()> run) {
  const WithSignalsBlocked blocked;
  return std::thread([name, run = std::move(run)] {
    ::pthread_setname_np(::pthread_self(), name);
    run();
  });
}

}  // namespace holdfast::base
