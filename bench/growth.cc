// growth.cc -- what a request costs as the tree grows and as watches pile up, and what a node costs in memory.
//
// Prints tables, and with --csv writes the rows that bench/plot.py draws: server,what,size,work,cpu_us,wall_us
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/heap.h"
#include "measure/population.h"
#include "measure/proc.h"
#include "measure/rivals.h"
#include "support/plain_client.h"

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr std::uint32_t kSeed = 20240229;
constexpr std::chrono::seconds kSessionTimeout{60};

struct Settings {
  std::vector<std::size_t> nodes{1'000, 10'000, 100'000, 1'000'000};
  std::vector<std::size_t> watches{0, 1'000, 10'000, 100'000};
  std::size_t requests = 20'000;
  int rounds = 3;
  std::string csv{};
};

struct Cost {
  double cpu = 0;   // of the server, per request
  double wall = 0;  // of everybody
};

struct Work {
  std::string name;
  std::size_t requests_each;
  std::function<void(zhandle_t*, std::size_t, const NumberOf&)> run;
};

const std::vector<Work>& works() {
  static const std::vector<Work> all{
      {"getData", 1,
       [](zhandle_t* handle, std::size_t count, const NumberOf& number) { get_many(handle, count, false, number); }},
      {"setData", 1, set_many},
      {"create, delete", 2, create_and_remove_many}};
  return all;
}

// One server with its only client.
class Side {
 public:
  Side(std::string name, testing::ZooKeeperServer& server)
      : name_(std::move(name)), server_(server), client_(server.address(), kSessionTimeout) {}

  const std::string& name() const { return name_; }
  pid_t pid() const { return server_.pid(); }
  zhandle_t* handle() const { return client_.handle(); }

  // The median of the rounds. Nodes are picked at random among those numbered from `first` to below `end`.
  Cost measure(const Work& work, std::size_t first, std::size_t end, const Settings& settings) const {
    std::vector<double> cpu;
    std::vector<double> wall;
    std::mt19937 random(kSeed);
    std::uniform_int_distribution<std::size_t> pick(first, end - 1);
    const auto requests = static_cast<double>(settings.requests * work.requests_each);
    for (int round = 0; round < settings.rounds; ++round) {
      const double cpu_before = cpu_time_of(pid());
      const auto began = Clock::now();
      work.run(handle(), settings.requests, [&](std::size_t) { return pick(random); });
      wall.push_back(Microseconds(Clock::now() - began).count() / requests);
      cpu.push_back((cpu_time_of(pid()) - cpu_before) / requests);
    }
    return {median(cpu), median(wall)};
  }

 private:
  std::string name_;
  testing::ZooKeeperServer& server_;
  testing::PlainClient client_;
};

class Report {
 public:
  explicit Report(const std::string& csv) : table_({"server", "what", "size", "work", "CPU, us", "in all, us"}) {
    if (csv.empty()) return;
    file_.open(csv);
    if (!file_) throw std::runtime_error("cannot write " + csv);
    file_ << "server,what,size,work,cpu_us,wall_us\n";
  }
  void add(const Side& side, const std::string& what, std::size_t size, const std::string& work, const Cost& cost) {
    table_.row({side.name(), what, readable(static_cast<double>(size)), work, fmt::format("{:.2f}", cost.cpu),
                fmt::format("{:.2f}", cost.wall)});
    if (file_.is_open()) {
      file_ << fmt::format("{},{},{},\"{}\",{:.3f},{:.3f}\n", side.name(), what, size, work, cost.cpu, cost.wall);
    }
  }

 private:
  Table table_;
  std::ofstream file_;
};

void memory(const std::vector<Side*>& sides, const std::map<std::string, double>& before, std::size_t nodes) {
  Table table({"memory per node, bytes", "resident", "heap after a collection"});
  for (const Side* side : sides) {
    const double resident = (resident_of(side->pid()) - before.at(side->name())) * 1'024 / static_cast<double>(nodes);
    const double heap = side->name() == "engine" ? 0 : java_heap_of(side->pid()) / static_cast<double>(nodes);
    table.row({side->name(), readable(resident), heap == 0 ? "" : readable(heap)});
  }
}

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app{"What a request costs as the tree grows and as watches pile up; the engine beside Apache ZooKeeper."};
  app.add_option("--nodes", settings.nodes, "sizes of the tree, ascending")->delimiter(',');
  app.add_option("--watches", settings.watches, "numbers of watches, ascending")->delimiter(',');
  app.add_option("--requests", settings.requests, "per figure")->check(CLI::PositiveNumber);
  app.add_option("--rounds", settings.rounds, "per figure")->check(CLI::PositiveNumber);
  app.add_option("--csv", settings.csv, "also write the figures there, for bench/plot.py");
  CLI11_PARSE(app, argc, argv);

  // No snapshot in between: bench_snapshot is about those.
  Rivals rivals({"snapCount=100000000"}, "4g");
  print_machine();
  print_versions(rivals);
  Side ours("engine", rivals.engine);
  Side theirs("Apache", rivals.apache);
  const std::vector<Side*> sides{&ours, &theirs};
  std::map<std::string, double> before;
  for (const Side* side : sides) {
    before[side->name()] = resident_of(side->pid());
    populate(side->handle(), 0, settings.nodes.front());
    // Until the JVM has compiled what will be measured.
    for (const auto& work : works()) work.run(side->handle(), settings.requests, [](std::size_t) { return 0; });
  }
  Report report(settings.csv);
  std::size_t size = settings.nodes.front();
  for (const std::size_t next : settings.nodes) {
    for (const Side* side : sides) populate(side->handle(), size, next);
    size = next;
    for (const auto& work : works()) {
      for (const Side* side : sides)
        report.add(*side, "nodes", size, work.name, side->measure(work, 0, size, settings));
    }
  }
  memory(sides, before, size);
  std::size_t watched = 0;
  for (const std::size_t next : settings.watches) {
    if (next >= size) throw std::invalid_argument("more watches than nodes");
    for (const Side* side : sides) {
      get_many(side->handle(), next - watched, true, [&](std::size_t i) { return watched + i; });
    }
    watched = next;
    for (const auto& work : works()) {
      for (const Side* side : sides) {
        report.add(*side, "watches", watched, work.name, side->measure(work, watched, size, settings));
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
