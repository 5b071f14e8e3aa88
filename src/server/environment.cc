#include "server/environment.h"

#include <pwd.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>

namespace holdfast::server {
namespace {

// What ZooKeeper says where it knows nothing.
constexpr const char* kUnknown = "<NA>";

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + "MB"; }

}  // namespace

std::vector<std::pair<std::string, std::string>> environment() {
  utsname system{};
  const bool named = ::uname(&system) == 0;

  passwd user{};
  passwd* found = nullptr;
  std::array<char, 4096> space{};  // more than an entry of /etc/passwd; longer ones stay unknown
  ::getpwuid_r(::geteuid(), &user, space.data(), space.size(), &found);

  std::error_code error;
  const auto directory = std::filesystem::current_path(error);

  struct sysinfo memory {};
  const bool measured = ::sysinfo(&memory) == 0;
  const auto amount = [&](std::uint64_t units) {
    return measured ? megabytes(units * memory.mem_unit) : std::string(kUnknown);
  };

  return {{"host.name", named ? system.nodename : kUnknown},
          // Monitoring reads this line of ZooKeeper's answer.
          {"java.version", "none (this server is not written in Java)"},
          {"os.name", named ? system.sysname : kUnknown},
          {"os.arch", named ? system.machine : kUnknown},
          {"os.version", named ? system.release : kUnknown},
          {"user.name", found != nullptr ? user.pw_name : kUnknown},
          {"user.home", found != nullptr ? user.pw_dir : kUnknown},
          {"user.dir", error ? kUnknown : directory.string()},
          {"os.memory.free", amount(memory.freeram)},
          {"os.memory.max", amount(memory.totalram)},
          {"os.memory.total", amount(memory.totalram)}};
}

std::int64_t open_file_descriptors() {
  std::error_code error;
  std::int64_t count = 0;
  for (std::filesystem::directory_iterator i("/proc/self/fd", error), end; !error && i != end; i.increment(error)) {
    ++count;
  }
  // One of them is the directory itself, open while it is read.
  return error ? -1 : count - 1;
}

std::int64_t max_file_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

}  // namespace holdfast::server
