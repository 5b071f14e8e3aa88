#include "local/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "local/start.h"

namespace holdfast::local {
namespace {

// The first of the descriptors that the child inherits; it has none after them.
constexpr int kReadyFd = 3;
constexpr int kLockFd = 4;
constexpr int kFirstClosed = 5;

// The path of the installed command, and line ends up to the size of its section, in which cmake/TellCommand.cmake puts another one.
// Volatile: what the compiler saw is not what is read.
constexpr std::size_t kCommandSize = 4096;
[[gnu::section(".holdfast_command"), gnu::used]] volatile char installed_command[kCommandSize] =
    HOLDFAST_INSTALLED_COMMAND "\n";

std::string installed() {
  std::string path;
  for (const volatile char& c : installed_command) {
    if (c == '\n' || c == '\0') break;
    path += c;
  }
  return path;
}

struct Command {
  std::mutex mutex;
  std::string path;
};
// Never destroyed: the last client may be a global object, which is destroyed after main().
Command& told() {
  static auto* const command = new Command;
  return *command;
}

// A name without a slash is looked up in $PATH.
std::string command() {
  if (const char* named = ::secure_getenv("HOLDFAST_COMMAND"); named != nullptr && *named != '\0') return named;
  const std::lock_guard lock(told().mutex);
  if (!told().path.empty()) return told().path;
  auto path = installed();
  return ::access(path.c_str(), X_OK) == 0 ? path : "holdfast";
}

// The variables that the child inherits: its directory, how long it stays, what loads its program, and what tests need.
constexpr std::array kInherited{"HOLDFAST_LOCAL_IDLE", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
                                "LSAN_OPTIONS",        "TSAN_OPTIONS",    "UBSAN_OPTIONS"};

std::vector<std::string> environment(const StateDirectory& directory) {
  std::vector<std::string> variables{"HOLDFAST_STATE_DIR=" + directory.path};
  for (const auto* name : kInherited) {
    if (const char* value = ::secure_getenv(name); value != nullptr)
      variables.push_back(fmt::format("{}={}", name, value));
  }
  return variables;
}

// Attributes and file actions of the child, for posix_spawn().
class Preparation {
 public:
  Preparation() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Preparation() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// A copy of the descriptor with a number that the child does not use; -1 if that fails.
base::Descriptor moved_up(int fd) { return base::Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstClosed)); }

void wait_for(pid_t child) {
  // The child forks and ends. A program that waits for all its children may have been quicker.
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

void set_command(std::string path) {
  const std::lock_guard lock(told().mutex);
  told().path = std::move(path);
}

std::string spawn_engine(const StateDirectory& directory, int ready, int lock) {
  const auto log = directory.open(kEngineLog, O_WRONLY | O_APPEND | O_CREAT);
  if (!log) return fmt::format("cannot open {}: {}", directory.file(kEngineLog), error_text(errno));
  const auto its_ready = moved_up(ready);
  const auto its_lock = moved_up(lock);
  const auto its_log = moved_up(log.get());
  if (!its_ready || !its_lock || !its_log) return "cannot start the local engine: " + error_text(errno);

  Preparation child;
  auto* actions = &child.actions;
  ::posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(actions, its_log.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(actions, its_log.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(actions, its_ready.get(), kReadyFd);
  ::posix_spawn_file_actions_adddup2(actions, its_lock.get(), kLockFd);
  ::posix_spawn_file_actions_addclosefrom_np(actions, kFirstClosed);

  const auto path = command();
  std::array<std::string, 7> words{
      "holdfast", "local", "serve", "--ready-fd", std::to_string(kReadyFd), "--start-lock-fd", std::to_string(kLockFd)};
  std::array<char*, words.size() + 1> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  auto variables = environment(directory);
  std::vector<char*> its_environment;
  for (auto& each : variables) its_environment.push_back(each.data());
  its_environment.push_back(nullptr);
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, path.c_str(), actions, &child.attributes, arguments.data(), its_environment.data());
  if (error != 0) {
    return fmt::format(
        "local: needs the command holdfast to start its engine, and {} cannot be run ({}); install it, or name it with "
        "HOLDFAST_COMMAND",
        path, error_text(error));
  }
  wait_for(pid);
  return {};
}

}  // namespace holdfast::local
