// snapshot.cc -- how long writers wait while a snapshot of a large tree is taken, and while none is.
//
// Two servers of each make: one that takes snapshots all the time, as it begins the next one soon after the last, and
// one that takes none. The difference is what a snapshot does to writers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "measure/closed_loop.h"
#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/population.h"
#include "measure/proc.h"
#include "measure/rivals.h"
#include "support/four_letter_word.h"
#include "support/plain_client.h"

namespace holdfast::bench {
namespace {

using std::chrono::milliseconds;
using testing::ZooKeeperServer;

constexpr const char* kAllTheTime = "snapCount=2000";
constexpr const char* kNever = "snapCount=100000000";
constexpr const char* kHeap = "4g";

struct Settings {
  std::size_t nodes = 1'000'000;
  std::size_t sessions = 4;
  int rounds = 3;
  milliseconds duration{10'000};
};

void set_data(Session& session, const std::string& directory) { session.set(directory); }

std::size_t snapshots_of(const ZooKeeperServer& server) {
  return std::stoul(testing::parse_mntr(server.four_letter_word("mntr")).at("zk_cnt_snapshottime"));
}

struct Candidate {
  Candidate(std::string what, ServerMake make, const char* how_often, const Settings& settings)
      : name(std::move(what)), server(synced(make, {how_often}, kHeap)) {
    const testing::PlainClient client(server.address());
    populate(client.handle(), 0, settings.nodes);
  }

  void warm_up(const Settings& settings) {
    crowd = std::make_unique<Crowd>(ClientKind::lean, server.port(), settings.sessions);
    (void)crowd->run(set_data, settings.duration / 2);
  }

  void round(const Settings& settings) {
    const std::size_t before = snapshots_of(server);
    const Throughput result = crowd->run(set_data, settings.duration);
    snapshots += snapshots_of(server) - before;
    per_second.push_back(result.per_second);
    times.insert(times.end(), result.microseconds.begin(), result.microseconds.end());
  }

  std::string name;
  ZooKeeperServer server;
  std::unique_ptr<Crowd> crowd;
  std::size_t snapshots = 0;
  std::vector<double> per_second{};
  std::vector<double> times{};
};

int run(int argc, char** argv) {
  Settings settings;
  int duration = static_cast<int>(settings.duration.count());
  CLI::App app{"How long writers wait while a snapshot is taken; the engine beside Apache ZooKeeper."};
  app.add_option("--nodes", settings.nodes, "in the snapshot")->check(CLI::PositiveNumber);
  app.add_option("--sessions", settings.sessions, "that write")->check(CLI::PositiveNumber);
  app.add_option("--rounds", settings.rounds, "how often each has its turn")->check(CLI::PositiveNumber);
  app.add_option("--duration", duration, "of a turn, in milliseconds")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  settings.duration = milliseconds(duration);
  print_machine();

  Table table(
      {"server", "snapshots finished", "writes per second", "median, us", "99 %, us", "99.9 %, us", "longest, us"});
  // One make after the other: four trees of a million nodes at once would measure the machine's memory.
  for (const auto make : {ServerMake::engine, ServerMake::apache}) {
    const std::string name = make == ServerMake::engine ? "engine" : "Apache";
    Candidate calm(name + ", none under way", make, kNever, settings);
    Candidate busy(name + ", all the time", make, kAllTheTime, settings);
    calm.warm_up(settings);
    busy.warm_up(settings);
    for (int round = 0; round < settings.rounds; ++round) {
      calm.round(settings);
      busy.round(settings);
    }
    for (Candidate* each : {&calm, &busy}) {
      table.row({each->name, std::to_string(each->snapshots), readable(median(each->per_second)),
                 readable(percentile(each->times, 0.5)), readable(percentile(each->times, 0.99)),
                 readable(percentile(each->times, 0.999)), readable(percentile(each->times, 1))});
    }
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
