// sync_gate.cc -- loaded before the C library (LD_PRELOAD), sees every fdatasync(2) of a program and can keep it waiting.
//
//   HOLDFAST_SYNC_LOG   a file that gets a line for each: "waits PATH" when it begins, "synced PATH" when it has succeeded
//   HOLDFAST_SYNC_GATE  as long as this file is there, none is let through
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <string>

namespace {

void note(const char* what, int fd) {
  const char* log = ::getenv("HOLDFAST_SYNC_LOG");
  if (log == nullptr) return;
  char target[PATH_MAX];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target);
  const std::string line =
      std::string(what) + " " + std::string(target, length > 0 ? static_cast<std::size_t>(length) : 0) + "\n";
  const int out = ::open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (out == -1) return;
  [[maybe_unused]] const ssize_t put = ::write(out, line.data(), line.size());
  ::close(out);
}

}  // namespace

extern "C" int fdatasync(int fd) {
  static const auto next = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fdatasync"));
  note("waits", fd);
  const char* gate = ::getenv("HOLDFAST_SYNC_GATE");
  constexpr timespec kMoment{0, 2'000'000};
  while (gate != nullptr && ::access(gate, F_OK) == 0) ::nanosleep(&kMoment, nullptr);
  const int result = next(fd);
  if (result == 0) note("synced", fd);
  return result;
}
