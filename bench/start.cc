// start.cc -- from the command to the first answer, with an empty directory and with many nodes; and memory when idle.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/population.h"
#include "measure/proc.h"
#include "measure/rivals.h"
#include "support/plain_client.h"

namespace holdfast::bench {
namespace {

using testing::PlainClient;
using testing::ZooKeeperServer;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// Milliseconds until it answers srvr, looked at every 5 ms.
template <class Start>
double time_of(const Start& start) {
  const auto began = Clock::now();
  start();
  return Milliseconds(Clock::now() - began).count();
}

struct Figures {
  Duel cold;
  Duel after_kill;
  Duel after_stop;
  Duel idle;  // resident, MB
};

void measure(ServerMake make, std::size_t nodes, std::vector<double> Duel::*side, Figures& figures) {
  std::unique_ptr<ZooKeeperServer> server;
  (figures.cold.*side).push_back(time_of([&] { server = std::make_unique<ZooKeeperServer>(synced(make)); }));
  {
    const PlainClient client(server->address());
    (figures.idle.*side).push_back(resident_of(server->pid()) / 1'024);
    populate(client.handle(), 0, nodes);
  }
  server->kill();
  (figures.after_kill.*side).push_back(time_of([&] { server->restart(); }));
  server->stop();
  (figures.after_stop.*side).push_back(time_of([&] { server->restart(); }));
  // That it has what it had, or there would be nothing to compare.
  const PlainClient client(server->address());
  if (zoo_exists(client.handle(), node_path(nodes - 1).c_str(), 0, nullptr) != ZOK) {
    throw std::runtime_error("nodes are missing after a restart");
  }
}

// What is better when smaller: theirs over ours.
void row(Table& table, const std::string& what, const Duel& duel, const std::string& goal) {
  const double ours = median(duel.ours);
  const double theirs = median(duel.theirs);
  table.row({what, readable(ours), readable(theirs), fmt::format("1 / {:.1f}", theirs / ours), goal});
}

int run(int argc, char** argv) {
  int rounds = 5;
  std::size_t nodes = 100'000;
  CLI::App app{"From the command to the first answer, and memory when idle; the engine beside Apache ZooKeeper."};
  app.add_option("--rounds", rounds, "how often each has its turn")->check(CLI::PositiveNumber);
  app.add_option("--nodes", nodes, "to come back with")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  print_machine();
  Figures figures;
  for (int round = 0; round < rounds; ++round) {
    measure(ServerMake::engine, nodes, &Duel::ours, figures);
    measure(ServerMake::apache, nodes, &Duel::theirs, figures);
  }
  Table table({"what", "ours", "theirs", "ratio", "goal"});
  const std::string with = fmt::format(" with {} nodes, ms", readable(static_cast<double>(nodes)));
  row(table, "first start, ms", figures.cold, "≤ 50 ms");
  row(table, "start after a kill" + with, figures.after_kill, "");
  row(table, "start after a stop" + with, figures.after_stop, "");
  row(table, "resident when idle, one session, MB", figures.idle, "≤ 12 MB");
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
