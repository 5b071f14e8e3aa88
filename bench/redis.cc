// redis.cc -- locks on Redis among many: ours with mode=queue beside redis-py's Lock on one server, in turns, and ours on Apache ZooKeeper; and how
// long a hand-over takes while more and more wait. One client alone: cell.cc.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <list>
#include <mutex>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/holdfast.h"
#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/proc.h"
#include "measure/rivals.h"
#include "support/process.h"
#include "support/redis_server.h"

namespace holdfast::bench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// For a process to start, and to have its last turn.
constexpr std::chrono::seconds kPatience{60};

// A worker, whatever it is written in, is told "<milliseconds> <hold, us> <pause, us>" and answers "<worst wait, us> <locks of each thread>".
constexpr const char* kRedisPy = R"py(
import sys, threading, time, redis
host, port = sys.argv[1].split(":")
name, count = sys.argv[2], int(sys.argv[3])
client = redis.Redis(host=host, port=int(port))
client.ping()

def work(i, end, hold, pause, taken, worst):
    lock = client.lock(name, timeout=15)
    while time.monotonic() < end:
        asked = time.monotonic()
        lock.acquire()
        worst[i] = max(worst[i], time.monotonic() - asked)
        if hold > 0: time.sleep(hold)
        lock.release()
        taken[i] += 1
        if pause > 0: time.sleep(pause)

print("ready", flush=True)
for line in sys.stdin:
    length, hold, pause = (int(word) for word in line.split())
    end = time.monotonic() + length / 1e3
    taken, worst = [0] * count, [0.0] * count
    threads = [threading.Thread(target=work, args=(i, end, hold / 1e6, pause / 1e6, taken, worst)) for i in range(count)]
    for each in threads: each.start()
    for each in threads: each.join()
    print(int(max(worst) * 1e6), *taken, flush=True)
)py";

// The same in our words, run by this program itself.
int work(const std::string& url, const std::string& name, std::size_t count) {
  auto client = Client::connect(url);
  fmt::print("ready\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::array<long, 3> numbers{};
    for (auto& each : numbers) words >> each;
    const auto end = Clock::now() + milliseconds(numbers[0]);
    std::vector<std::size_t> taken(count);
    std::vector<Clock::duration> worst(count);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        auto mutex = client.mutex(name);
        while (Clock::now() < end) {
          const auto asked = Clock::now();
          mutex.lock();
          worst[i] = std::max(worst[i], Clock::now() - asked);
          if (numbers[1] > 0) std::this_thread::sleep_for(microseconds(numbers[1]));
          mutex.unlock();
          ++taken[i];
          if (numbers[2] > 0) std::this_thread::sleep_for(microseconds(numbers[2]));
        }
      });
    }
    threads.clear();  // joins
    fmt::print("{} {}\n", std::chrono::floor<microseconds>(*std::max_element(worst.begin(), worst.end())).count(),
               fmt::join(taken, " "));
    std::fflush(stdout);
  }
  return 0;
}

struct Case {
  std::string name;
  std::size_t processes;
  std::size_t threads;  // of each
  microseconds hold;
  microseconds pause;
  std::string goal;
};

struct Outcome {
  double per_second = 0;
  double uneven = 0;     // locks of the worker with the most, over those of the one with the fewest
  double worst = 0;      // milliseconds that one waited
  double processor = 0;  // microseconds of the server, for each lock
};

// Several processes that want one lock.
class Crowd {
 public:
  Crowd(const Case& each, std::vector<std::string> argv) : case_(each) {
    argv.push_back(std::to_string(each.threads));
    for (std::size_t i = 0; i < each.processes; ++i) workers_.emplace_back(argv);
    for (auto& worker : workers_) {
      if (worker.read_line(kPatience) != "ready") throw std::runtime_error("does not start: " + argv.at(0));
    }
  }

  Outcome run(milliseconds duration, pid_t server) {
    const auto before = cpu_time_of(server);
    const auto began = Clock::now();
    for (auto& worker : workers_) {
      worker.write_line(fmt::format("{} {} {}", duration.count(), case_.hold.count(), case_.pause.count()));
    }
    Outcome outcome;
    std::vector<double> taken;
    for (auto& worker : workers_) {
      const auto line = worker.read_line(duration + kPatience);
      if (!line) throw std::runtime_error("a worker does not answer");
      std::istringstream words(*line);
      double worst = 0;
      words >> worst;
      outcome.worst = std::max(outcome.worst, worst / 1'000);
      for (double count = 0; words >> count;) taken.push_back(count);
    }
    const std::chrono::duration<double> took = Clock::now() - began;
    const auto all = std::accumulate(taken.begin(), taken.end(), 0.0);
    const auto [least, most] = std::minmax_element(taken.begin(), taken.end());
    outcome.per_second = all / took.count();
    outcome.uneven = *most / std::max(1.0, *least);
    outcome.processor = (cpu_time_of(server) - before) / std::max(1.0, all);
    return outcome;
  }

 private:
  const Case case_;
  std::list<testing::Process> workers_;
};

std::string self() {
  std::array<char, 4096> path{};
  const auto length = ::readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length))};
}

struct Servers {
  testing::RedisServer redis;
  testing::ZooKeeperServer zookeeper{synced(ServerMake::apache)};
  std::string redis_url() const { return "redis://" + redis.address(); }
  std::string zookeeper_url() const { return "zk://" + zookeeper.address(); }
};

void compare(const Servers& servers, const std::vector<Case>& cases, int rounds, milliseconds duration) {
  auto heads = duel_heads();
  heads.insert(heads.end(), {"most / fewest of a worker", "worst wait, ms", "server's CPU, us", "ours on ZooKeeper",
                             "most / fewest", "worst wait, ms", "server's CPU, us"});
  Table table(heads);
  for (const auto& each : cases) {
    Crowd ours(each, {self(), "--work", servers.redis_url(), "bench/one"});
    Crowd theirs(each, {"/usr/bin/python3", "-c", kRedisPy, servers.redis.address(), "theirs"});
    Crowd there(each, {self(), "--work", servers.zookeeper_url(), "bench/one"});
    for (auto* crowd : {&ours, &theirs}) (void)crowd->run(duration / 4, servers.redis.pid());
    (void)there.run(duration, servers.zookeeper.pid());
    Duel rate;
    std::array<std::vector<Outcome>, 3> outcomes;
    for (int round = 0; round < rounds; ++round) {
      outcomes[0].push_back(ours.run(duration, servers.redis.pid()));
      outcomes[1].push_back(theirs.run(duration, servers.redis.pid()));
      outcomes[2].push_back(there.run(duration, servers.zookeeper.pid()));
      rate.ours.push_back(outcomes[0].back().per_second);
      rate.theirs.push_back(outcomes[1].back().per_second);
    }
    const auto middle = [&](std::size_t whose, double Outcome::*what) {
      std::vector<double> all;
      for (const auto& outcome : outcomes.at(whose)) all.push_back(outcome.*what);
      return median(std::move(all));
    };
    const auto both = [&](double Outcome::*what) {
      return fmt::format("{} / {}", readable(middle(0, what)), readable(middle(1, what)));
    };
    auto row = duel_row(each.name, rate, each.goal);
    row.push_back(fmt::format("{:.2f} / {:.2f}", middle(0, &Outcome::uneven), middle(1, &Outcome::uneven)));
    row.push_back(both(&Outcome::worst));
    row.push_back(both(&Outcome::processor));
    row.push_back(readable(middle(2, &Outcome::per_second)));
    row.push_back(fmt::format("{:.2f}", middle(2, &Outcome::uneven)));
    row.push_back(readable(middle(2, &Outcome::worst)));
    row.push_back(readable(middle(2, &Outcome::processor)));
    table.row(row);
  }
}

// From before a release until the next client has it, in microseconds, while so many wait: each asks again as soon as it has had its turn.
std::vector<double> hand_overs(const std::string& url, std::size_t waiters, std::size_t samples) {
  std::list<Client> clients;
  for (std::size_t i = 0; i <= waiters; ++i) clients.push_back(Client::connect(url, {.session_timeout = kPatience}));
  std::mutex guard;
  std::vector<double> taken;
  Clock::time_point released{};
  std::size_t turns = 0;
  bool enough = false;
  std::vector<std::jthread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&] {
      auto mutex = client.mutex("bench/hand-over");
      for (bool over = false; !over;) {
        auto lease = mutex.acquire();
        const auto granted = Clock::now();
        const std::scoped_lock lock(guard);
        // Once all have come.
        if (++turns > 2 * clients.size() && !enough) {
          taken.push_back(std::chrono::duration<double, std::micro>(granted - released).count());
        }
        over = enough = taken.size() >= samples;
        released = Clock::now();
        lease.release();
      }
    });
  }
  threads.clear();  // joins
  return taken;
}

void measure_hand_overs(const Servers& servers, const std::vector<std::size_t>& crowds) {
  constexpr std::size_t kSamples = 300;
  Table table(
      {"waiters", "hand-over on Redis: median, us", "99 %", "worst", "on ZooKeeper: median, us", "99 %", "worst"});
  for (const auto waiters : crowds) {
    std::vector<std::string> row{std::to_string(waiters)};
    for (const auto& url : {servers.redis_url(), servers.zookeeper_url()}) {
      auto taken = hand_overs(url, waiters, kSamples);
      for (const double fraction : {0.5, 0.99, 1.0}) row.push_back(readable(percentile(taken, fraction)));
    }
    table.row(row);
  }
}

// A client of each waiter has a connection.
void allow_many_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

int run(int argc, char** argv) {
  int rounds = 5;
  milliseconds::rep duration = 3'000;
  std::vector<std::size_t> waiters{1, 10, 100, 1'000};
  std::vector<std::string> worker;
  std::string only;
  CLI::App app("Locks on Redis among many, beside redis-py, and beside ours on ZooKeeper");
  app.add_option("--rounds", rounds, "how often each has its turn")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--duration", duration, "of a turn, in milliseconds")->check(CLI::PositiveNumber);
  app.add_option("--waiters", waiters, "of the hand-overs; several numbers, several rows")->delimiter(',');
  app.add_option("--only", only, "only the work whose name contains this");
  app.add_option("--work", worker, "URL NAME THREADS: to be one of the processes")->expected(3);
  CLI11_PARSE(app, argc, argv);
  if (!worker.empty()) return work(worker[0], worker[1], std::stoul(worker[2]));

  allow_many_descriptors();
  const Servers servers;
  print_machine();
  std::vector<Case> cases{
      {"16 processes, one lock, 2 ms between holds", 16, 1, microseconds(0), milliseconds(2), "≥ 4, ≤ 1.2 uneven"},
      {"16 processes, one lock, held 1 ms, 20 ms between", 16, 1, milliseconds(1), milliseconds(20), "≥ 2"},
      {"16 processes, one lock, nothing between", 16, 1, microseconds(0), microseconds(0), ""},
      {"16 threads of one client, one lock", 1, 16, microseconds(0), microseconds(0), "≥ 50"}};
  std::erase_if(cases, [&](const Case& each) { return each.name.find(only) == std::string::npos; });
  compare(servers, cases, rounds, milliseconds(duration));
  if (only.empty() || only == "hand-over") measure_hand_overs(servers, waiters);
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
