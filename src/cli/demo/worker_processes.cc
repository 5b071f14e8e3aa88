#include "cli/demo/worker_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"

namespace holdfast::cli::demo {
namespace {

// A worker's line is less than a tenth of this.
constexpr std::size_t kLongestLine = 4'096;

[[noreturn]] void fail(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
    output = base::Descriptor(ends[0]);
    input = base::Descriptor(ends[1]);
  }

  base::Descriptor output;
  base::Descriptor input;
};

// In a process group of its own, so that Ctrl-C reaches the demonstration alone, which then ends them all. Says nothing on
// stderr: that would be in the middle of the screen; what it has to say comes as a line.
pid_t spawn(const std::vector<std::string>& words, int input, int output) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(error, "cannot start a worker");
  return pid;
}

}  // namespace

WorkerProcesses::WorkerProcesses(std::size_t size, const std::string& orders) {
  workers_.resize(size);
  try {
    for (std::size_t i = 0; i < size; ++i) {
      workers_[i].name = static_cast<char>('A' + i);
      start(workers_[i], orders);
    }
  } catch (...) {
    end();
    throw;
  }
}

WorkerProcesses::~WorkerProcesses() { end(); }

void WorkerProcesses::start(Worker& worker, const std::string& orders) {
  Pipe input;
  Pipe output;
  worker.pid = spawn({"holdfast", "demo", "--worker", worker.name, "--parent", std::to_string(::getpid())},
                     input.output.get(), output.input.get());
  worker.input = std::move(input.input);
  worker.output = std::move(output.output);
  if (::fcntl(worker.output.get(), F_SETFL, O_NONBLOCK) != 0) fail(errno, "fcntl");
  // A few hundred bytes: an empty pipe takes them.
  if (!base::write_all(worker.input.get(), orders)) fail(errno, "write");
}

std::size_t WorkerProcesses::running() const noexcept {
  return static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(),
                                                [](const Worker& worker) { return static_cast<bool>(worker.output); }));
}

std::optional<int> WorkerProcesses::listen(std::size_t index, const std::function<void(std::string_view)>& on_line) {
  auto& worker = workers_[index];
  std::array<char, kLongestLine> buffer{};
  while (worker.output) {
    const auto size = ::read(worker.output.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return std::nullopt;
    if (size <= 0) {
      worker.output.reset();
      return reap(worker);
    }
    worker.partial.append(buffer.data(), static_cast<std::size_t>(size));
    for (auto end = worker.partial.find('\n'); end != std::string::npos; end = worker.partial.find('\n')) {
      const auto line = worker.partial.substr(0, end);
      worker.partial.erase(0, end + 1);
      on_line(line);
    }
    if (worker.partial.size() > kLongestLine) fail(EMSGSIZE, "a worker's line");
  }
  return std::nullopt;
}

void WorkerProcesses::tell(std::size_t index, std::string_view line) {
  const auto text = std::string(line) + "\n";
  // One that was killed does not read; its end is noticed elsewhere.
  (void)base::write_all(workers_[index].input.get(), text);
}

void WorkerProcesses::kill(std::size_t worker) {
  if (workers_[worker].pid > 0) ::kill(workers_[worker].pid, SIGKILL);
}
void WorkerProcesses::pause(std::size_t worker) {
  if (workers_[worker].pid > 0) ::kill(workers_[worker].pid, SIGSTOP);
}
void WorkerProcesses::resume(std::size_t worker) {
  if (workers_[worker].pid > 0) ::kill(workers_[worker].pid, SIGCONT);
}

int WorkerProcesses::reap(Worker& worker) {
  int status = 0;
  while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  worker.pid = -1;
  worker.input.reset();
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitSignal + WTERMSIG(status);
}

void WorkerProcesses::end() noexcept {
  for (auto& worker : workers_) {
    if (worker.pid > 0) ::kill(worker.pid, SIGKILL);
  }
  for (auto& worker : workers_) {
    worker.output.reset();
    if (worker.pid > 0) reap(worker);
  }
}

}  // namespace holdfast::cli::demo
