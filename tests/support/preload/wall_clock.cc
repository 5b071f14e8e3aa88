// wall_clock.cc -- loaded before the C library (LD_PRELOAD), sets the wall clock of one program forwards or backwards while it runs.
//
//   HOLDFAST_WALL_CLOCK  a file of 8 bytes: by how many microseconds, as this machine stores an int64_t
//
// Clocks that are never set stay as they are. By system calls, because the C library's own functions may allocate memory on the way here, and an
// allocator may ask for the time.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace {

constexpr std::int64_t kPerSecond = 1'000'000;

const volatile std::int64_t* mapped() {
  const char* path = ::getenv("HOLDFAST_WALL_CLOCK");
  const int fd = path == nullptr ? -1 : ::open(path, O_RDONLY);
  if (fd == -1) return nullptr;
  void* const memory = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  return memory == MAP_FAILED ? nullptr : static_cast<const volatile std::int64_t*>(memory);
}

// Microseconds since 1970, as that program is to believe.
std::int64_t now() {
  static const volatile std::int64_t* const ahead = mapped();
  timespec real{};
  ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
  return real.tv_sec * kPerSecond + real.tv_nsec / 1'000 + (ahead == nullptr ? 0 : *ahead);
}

}  // namespace

extern "C" {

int gettimeofday(struct timeval* time, void*) noexcept {
  const auto microseconds = now();
  time->tv_sec = microseconds / kPerSecond;
  time->tv_usec = microseconds % kPerSecond;
  return 0;
}

time_t time(time_t* also) noexcept {
  const time_t seconds = now() / kPerSecond;
  if (also != nullptr) *also = seconds;
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  }
  const auto microseconds = now();
  time->tv_sec = microseconds / kPerSecond;
  time->tv_nsec = microseconds % kPerSecond * 1'000;
  return 0;
}

}  // extern "C"
