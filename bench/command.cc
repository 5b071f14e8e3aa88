// command.cc -- what it costs to run a command under a lock: `holdfast run` on local:, flock(1), `etcdctl lock`, and none.
//
// They take turns, one command after the other, nobody else wants the lock. The engine, the file and etcd are there before.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/proc.h"
#include "support/eventually.h"
#include "support/free_port.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace holdfast::bench {
namespace {

using testing::Process;
using testing::TempDir;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using Command = std::vector<std::string>;

constexpr std::chrono::seconds kSoon{20};

// The exit code.
int run_once(const Command& command) {
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (const int error = ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ); error != 0) {
    throw std::system_error(error, std::generic_category(), command.front());
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) == -1) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double time_of(const Command& command) {
  const auto began = Clock::now();
  const int code = run_once(command);
  const auto took = Clock::now() - began;
  if (code != 0) throw std::runtime_error(fmt::format("\"{}\" ended with {}", fmt::join(command, " "), code));
  return Milliseconds(took).count();
}

// One server of etcd on loopback, ended with the object.
class Etcd {
 public:
  Etcd() {
    const auto ports = testing::free_ports(2);
    url_ = fmt::format("http://127.0.0.1:{}", ports[0]);
    const auto peers = fmt::format("http://127.0.0.1:{}", ports[1]);
    const auto log = directory_ / "etcd.log";
    process_ = std::make_unique<Process>(testing::ProcessOptions{
        .argv = {"etcd", "--data-dir", (directory_ / "data").string(), "--listen-client-urls", url_,
                 "--advertise-client-urls", url_, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                 "--initial-cluster", "default=" + peers},
        .stdout_file = log,
        .stderr_file = log});
    const Command health{"sh", "-c", "etcdctl --endpoints " + url_ + " endpoint health >/dev/null 2>&1"};
    if (!testing::eventually(kSoon, [&] { return run_once(health) == 0; })) {
      throw std::runtime_error("etcd does not start");
    }
  }
  const std::string& url() const { return url_; }

 private:
  TempDir directory_{"etcd"};
  std::string url_;
  std::unique_ptr<Process> process_;
};

struct Contender {
  std::string name;
  Command command;
  std::vector<double> times{};
};

int run(int argc, char** argv) {
  int rounds = 200;
  CLI::App app{"What it costs to run a command under a lock: holdfast, flock and etcdctl beside no lock at all."};
  app.add_option("--rounds", rounds, "how often each has its turn")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  print_machine();

  const TempDir state("state");
  ::setenv("HOLDFAST_STATE_DIR", state.path().c_str(), 1);
  ::unsetenv("HOLDFAST_URL");
  ::setenv("ETCDCTL_API", "3", 1);
  const Etcd etcd;
  const std::string holdfast = HOLDFAST_COMMAND;
  std::vector<Contender> all{
      {"true", {"true"}},
      {"holdfast run x -- true", {holdfast, "run", "x", "--", "true"}},
      {"flock FILE true", {"flock", (state / "x").string(), "true"}},
      {"etcdctl lock x true", {"etcdctl", "--endpoints", etcd.url(), "lock", "x", "true"}},
  };
  const double first = time_of(all[1].command);
  for (const auto& each : all) (void)time_of(each.command);
  for (int round = 0; round < rounds; ++round) {
    for (auto& each : all) each.times.push_back(time_of(each.command));
  }
  run_once({holdfast, "local", "stop"});

  fmt::print("the first holdfast run, which starts the engine: {} ms\n", readable(first));
  const double none = median(all.front().times);
  Table table({"command", "median, ms", "beyond `true`, ms", "99 %, ms"});
  for (auto& each : all) {
    const double middle = median(each.times);
    table.row({each.name, readable(middle), readable(middle - none), readable(percentile(each.times, 0.99))});
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
