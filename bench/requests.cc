// requests.cc -- the engine beside Apache ZooKeeper: the same client, every write synced, taking turns in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure/closed_loop.h"
#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/proc.h"
#include "measure/rivals.h"

namespace holdfast::bench {
namespace {

using std::chrono::milliseconds;

// What a lock client does: takes a place in the queue, looks at the queue, leaves it. Two writes, one read.
void lock_cycle(Session& session, const std::string& directory) {
  const std::string ticket = session.create_ticket(directory + "/lock-");
  if (session.children(directory) != 1) throw std::runtime_error("not alone in the queue");
  session.remove(ticket);
}

void set_data(Session& session, const std::string& directory) { session.set(directory); }
void get_data(Session& session, const std::string& directory) { session.get(directory); }

struct Work {
  std::string name;
  Turn turn;
  std::string goal_of_one;
  std::string goal_of_many;
};

struct Settings {
  int rounds = 5;
  milliseconds duration{3'000};
  milliseconds warm_up{10'000};
  std::vector<std::size_t> crowds{1, 16};
};

void compare(const Rivals& rivals, const Work& work, ClientKind kind, std::size_t size, const Settings& settings,
             Table& table) {
  Crowd ours(kind, rivals.engine.port(), size);
  Crowd theirs(kind, rivals.apache.port(), size);
  // The JVM compiles what it has seen often enough: cold, it serves a fraction of what it does later.
  (void)theirs.run(work.turn, settings.warm_up);
  (void)ours.run(work.turn, settings.warm_up / 10);
  Duel rate;
  Duel typical;
  Duel late;
  Duel processor;
  const auto measure = [&](Crowd& crowd, const testing::ZooKeeperServer& server, std::vector<double> Duel::*side) {
    const double before = cpu_time_of(server.pid());
    Throughput result = crowd.run(work.turn, settings.duration);
    const double after = cpu_time_of(server.pid());
    (processor.*side).push_back((after - before) / static_cast<double>(result.microseconds.size()));
    (rate.*side).push_back(result.per_second);
    (typical.*side).push_back(percentile(result.microseconds, 0.5));
    (late.*side).push_back(percentile(result.microseconds, 0.99));
  };
  for (int round = 0; round < settings.rounds; ++round) {
    measure(ours, rivals.engine, &Duel::ours);
    measure(theirs, rivals.apache, &Duel::theirs);
  }
  auto cells =
      duel_row(fmt::format("{}, {} {}, {}", work.name, size, size == 1 ? "session" : "sessions", to_string(kind)), rate,
               size == 1 ? work.goal_of_one : work.goal_of_many);
  for (const Duel* duel : {&typical, &late, &processor}) {
    cells.push_back(fmt::format("{} / {}", readable(median(duel->ours)), readable(median(duel->theirs))));
  }
  table.row(cells);
}

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app{"The engine beside Apache ZooKeeper: requests per second of the same clients, writes synced."};
  int duration = static_cast<int>(settings.duration.count());
  int warm_up = static_cast<int>(settings.warm_up.count());
  std::string only;
  app.add_option("--rounds", settings.rounds, "how often each has its turn")->check(CLI::PositiveNumber);
  app.add_option("--duration", duration, "of a turn, in milliseconds")->check(CLI::PositiveNumber);
  app.add_option("--warm-up", warm_up, "in milliseconds")->check(CLI::PositiveNumber);
  app.add_option("--sessions", settings.crowds, "how many at once; several numbers, several rows")->delimiter(',');
  app.add_option("--only", only, "only the work whose name contains this");
  CLI11_PARSE(app, argc, argv);
  settings.duration = milliseconds(duration);
  settings.warm_up = milliseconds(warm_up);

  const Rivals rivals;
  print_machine();
  print_versions(rivals);
  auto heads = duel_heads();
  heads.insert(heads.end(), {"median, us", "99 %, us", "server's CPU, us"});
  Table table(heads);
  const std::vector<Work> works{{"create -e -s, getChildren, delete", lock_cycle, "≥ 3", "≥ 5"},
                                {"setData", set_data, "≥ 3", "≥ 5"},
                                {"getData", get_data, "", ""}};
  for (const auto& work : works) {
    if (work.name.find(only) == std::string::npos) continue;
    for (const auto kind : {ClientKind::lean, ClientKind::library}) {
      for (const auto size : settings.crowds) compare(rivals, work, kind, size, settings, table);
    }
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
