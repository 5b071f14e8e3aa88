#include "cli/run/last_act.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "backend/session_end.h"
#include "holdfast/clock.h"

namespace holdfast::cli {
namespace {

using std::chrono::seconds;

// A service that does not answer by then is not waited for.
constexpr seconds kWithin{5};
// A look-up of names, or a disk under the state of local:, does not know that bound, and the kernel ends it.
constexpr unsigned kAlarmAfter = 10;

// No reader of our standard streams is to wait for us: everything that wrote to them is gone.
void close_everything() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; ++fd) ::dup2(null, fd);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
}

void end_at_alarm() {
  ::signal(SIGALRM, SIG_DFL);
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
  ::alarm(kAlarmAfter);
}

}  // namespace

void end_session_and_exit(const ServiceSettings& service, const lock::SessionKey& key) {
  if (key.id == 0) ::_exit(0);
  close_everything();
  end_at_alarm();
  end_session(service.url, key,
              {.session_timeout = service.session_timeout,
               .tls = service.tls,
               .redis = service.redis,
               .zookeeper = service.zookeeper},
              Clock::now() + kWithin);
  ::_exit(0);
}

}  // namespace holdfast::cli
