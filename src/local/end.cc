#include "local/end.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::local {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

}  // namespace

tl::expected<bool, EndFailure> end_engine(const FoundEngine& engine, steady_clock::time_point deadline) {
  const int pid = engine.engine().pid;
  if (pid == 0) {
    return tl::unexpected(
        EndFailure{Errc::refused, "the local engine runs in another container, and can only be told to end there"});
  }
  // Opened first, then checked: the number cannot have become that of another process when the signal is sent.
  const base::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!engine.alive()) return false;
  if (!process || ::syscall(SYS_pidfd_send_signal, process.get(), SIGTERM, nullptr, 0) != 0) {
    return tl::unexpected(EndFailure{
        Errc::refused, fmt::format("the local engine (process {}) cannot be told to end: {}", pid, error_text(errno))});
  }
  pollfd ended{process.get(), POLLIN, 0};
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now()).count();
    const int ready = ::poll(&ended, 1, left <= 0 ? 0 : static_cast<int>(left));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) break;
  }
  return tl::unexpected(
      EndFailure{Errc::timed_out,
                 fmt::format("the local engine (process {}) was told to end and is still there; what it says is in {}",
                             pid, engine.engine().log_file)});
}

}  // namespace holdfast::local
