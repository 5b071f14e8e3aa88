#include "cli/demo.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "holdfast/client.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

constexpr int kRounds = 5;
constexpr auto kName = "demo/order-1";
constexpr auto kBusiness = std::chrono::milliseconds(50);

// A worker process: prints "<who> <what> <token>" for what it does. One write per line, so lines do not mix.
void work(const std::string& url, const std::string& who) {
  auto client = Client::connect(url, {.purpose = "demo worker " + who});
  auto mutex = client.mutex(kName);
  const auto tell = [&](const char* what, Token token) {
    const auto line = fmt::format("{} {} {}\n", who, what, token);
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0)
      throw std::system_error(errno, std::generic_category(), "write");
  };
  for (int round = 0; round < kRounds; ++round) {
    auto lease = mutex.acquire();
    tell("holds", lease.token());
    std::this_thread::sleep_for(kBusiness);  // its business
    tell("releases", lease.token());
    lease.release();
  }
}

// Reads what the workers say in the order they said it, shows it, and checks it.
class Referee {
 public:
  void hear(const std::string& who, const std::string& what, Token token) {
    fmt::print("  worker {}  {:<9} token {}\n", who, what, token);
    if (what == "holds") {
      if (!inside_.empty()) overlaps_ += fmt::format("{} was let in while {} was inside\n", who, inside_);
      if (token < last_token_) overlaps_ += fmt::format("token {} came after {}\n", token, last_token_);
      inside_ = who;
      last_token_ = token;
      ++grants_;
    } else {
      inside_.clear();
    }
  }

  int verdict(int expected) const {
    if (!overlaps_.empty()) fmt::print("\n{}", overlaps_);
    const bool held = overlaps_.empty() && grants_ == expected;
    fmt::print("\n{} holds by 2 processes, {}: {}\n", grants_,
               held ? "never two at once, tokens in order" : "expected " + std::to_string(expected),
               held ? "the lock held" : "THE LOCK DID NOT HOLD");
    return held ? 0 : 1;
  }

 private:
  std::string inside_;
  std::string overlaps_;
  Token last_token_ = 0;
  int grants_ = 0;
};

pid_t start_worker(const std::string& url, const std::string& who, int output) {
  std::vector<std::string> words{"holdfast", "demo", "--url", url, "--worker", who};
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start a worker");
  return pid;
}

int run(const std::string& url) {
  fmt::print("Two processes take turns at the lock \"{}\" on {}\n\n", kName, url);
  std::fflush(stdout);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const std::array workers{start_worker(url, "A", ends[1]), start_worker(url, "B", ends[1])};
  ::close(ends[1]);

  Referee referee;
  const std::unique_ptr<FILE, int (*)(FILE*)> lines(::fdopen(ends[0], "r"), &std::fclose);
  std::array<char, 128> line{};
  while (std::fgets(line.data(), line.size(), lines.get()) != nullptr) {
    std::array<char, 16> who{};
    std::array<char, 16> what{};
    unsigned long long token = 0;
    if (std::sscanf(line.data(), "%15s %15s %llu", who.data(), what.data(), &token) == 3) {
      referee.hear(who.data(), what.data(), token);
    }
  }
  bool all_well = true;
  for (const auto pid : workers) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    all_well = all_well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  const int verdict = referee.verdict(kRounds * static_cast<int>(workers.size()));
  return all_well ? verdict : 1;
}

}  // namespace

void add_demo(CLI::App& app, int& exit_code) {
  auto* demo = app.add_subcommand("demo", "Two processes take turns at one lock, and it is checked that it held");
  const auto url = std::make_shared<std::string>();
  const auto worker = std::make_shared<std::string>();
  demo->add_option("--url", *url, "A storage service that both processes can reach: zk://host:port")->required();
  demo->add_option("--worker", *worker)->group("");  // what the demo starts itself with
  demo->callback([=, &exit_code] {
    if (url->starts_with("memory:")) {
      throw Error(Errc::invalid_argument, "memory: does not reach beyond one process; use zk://host:port");
    }
    if (worker->empty()) {
      exit_code = run(*url);
    } else {
      work(*url, *worker);
    }
  });
}

}  // namespace holdfast::cli
