// run_ticker.cc -- a command that leaves proof of when it was alive.
//
//   run_ticker FILE    three processes, the last of them forked twice and in a session of its own, that ignore everything they can.
//                      Each writes the time (CLOCK_BOOTTIME, nanoseconds) to its place in FILE, over and over; the three process
//                      ids are written behind the three times
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

namespace {

void write_at(int file, off_t place, std::int64_t number) {
  if (::pwrite(file, &number, sizeof number, place * static_cast<off_t>(sizeof number)) < 0) ::_exit(1);
}

[[noreturn]] void tick(int file, off_t place) {
  write_at(file, place + 3, ::getpid());
  for (;;) {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    write_at(file, place, now.tv_sec * 1'000'000'000LL + now.tv_nsec);
    const timespec pause{0, 500'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  // Installed set-user-ID, it becomes that user for good, and whoever started it may not kill it.
  if (::geteuid() != ::getuid() && ::setresuid(::geteuid(), ::geteuid(), ::geteuid()) != 0) return 1;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
  const int file = ::open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return 1;
  if (::fork() == 0) {
    if (::fork() == 0) {
      ::setsid();
      if (::fork() == 0) tick(file, 2);
      ::_exit(0);
    }
    tick(file, 1);
  }
  tick(file, 0);
}
