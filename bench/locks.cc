// locks.cc -- our mutex beside Curator's, on one Apache ZooKeeper that syncs every write, taking turns in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <barrier>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "holdfast/holdfast.h"
#include "measure/figures.h"
#include "measure/guarded.h"
#include "measure/proc.h"
#include "measure/rivals.h"
#include "support/peer.h"

namespace holdfast::bench {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

// Who wants what: as many sessions, as many threads of each, all one lock or each its own. Ours without kept tickets, unless it is said.
struct Case {
  std::string name;
  std::size_t sessions;
  std::size_t threads;
  bool own;
  std::string goal;
  bool kept = false;
};

class OurSide {
 public:
  explicit OurSide(std::string address) : url_("zk://" + address) {}

  std::size_t run(const Case& each, milliseconds duration) {
    auto& clients = each.kept ? keepers_ : clients_;
    const ClientOptions options{.hand_over = {.keep = milliseconds(each.kept ? 100 : 0)}};
    while (clients.size() < each.sessions) clients.push_back(Client::connect(url_, options));
    const std::size_t count = each.sessions * each.threads;
    std::vector<std::size_t> taken(count);
    std::barrier start(static_cast<std::ptrdiff_t>(count));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        const std::string name = each.own ? fmt::format("holdfast/own-{}", i) : std::string("holdfast/one");
        Mutex mutex = clients[i / each.threads].mutex(name);
        start.arrive_and_wait();
        for (const auto deadline = SteadyClock::now() + duration; SteadyClock::now() < deadline; ++taken[i]) {
          mutex.lock();
          mutex.unlock();
        }
      });
    }
    threads.clear();  // joins
    return std::accumulate(taken.begin(), taken.end(), std::size_t{0});
  }

 private:
  std::string url_;
  std::vector<Client> clients_;
  std::vector<Client> keepers_;
};

class CuratorSide {
 public:
  explicit CuratorSide(const std::string& address)
      : peer_({HOLDFAST_JAVA, "-cp", HOLDFAST_BENCH_CLASSPATH, "CuratorBench", address}, "CuratorBench") {}

  std::size_t run(const Case& each, milliseconds duration) {
    peer_.send(fmt::format("run {} {} {} {}", each.sessions, each.threads, each.own ? "own" : "one", duration.count()));
    const std::string reply = peer_.expect("done ", duration + testing::Peer::kReplyTimeout);
    return std::stoul(reply.substr(reply.find(' ') + 1));
  }

 private:
  testing::Peer peer_;
};

// How many requests the server has been sent.
double requests_of(const testing::ZooKeeperServer& server) {
  return std::stod(testing::parse_mntr(server.four_letter_word("mntr")).at("zk_packets_received"));
}

int run(int argc, char** argv) {
  int rounds = 5;
  int duration = 3'000;
  CLI::App app{"Our mutex beside Curator's, on one Apache ZooKeeper."};
  app.add_option("--rounds", rounds, "how often each has its turn")->check(CLI::PositiveNumber);
  app.add_option("--duration", duration, "of a turn, in milliseconds")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const milliseconds turn(duration);

  const testing::ZooKeeperServer server(synced(ServerMake::apache));
  print_machine();
  OurSide ours(server.address());
  CuratorSide theirs(server.address());
  auto heads = duel_heads();
  heads.push_back("requests per acquire");
  Table table(heads);
  const std::vector<Case> cases{{"1 thread, uncontended", 1, 1, true, "≥ 2.5"},
                                {"16 sessions, own locks", 16, 1, true, "≥ 1.8"},
                                {"16 sessions, one lock", 16, 1, false, "≥ 3"},
                                {"16 threads of one session, one lock", 1, 16, false, "≥ 50"},
                                {"50 threads of one session, one lock", 1, 50, false, "≤ 1 request"},
                                {"kept: 1 thread, uncontended", 1, 1, true, "≥ 300", true},
                                {"kept: 16 sessions, one lock", 16, 1, false, "", true},
                                {"kept: 16 threads of one session, one lock", 1, 16, false, "≥ 100", true}};
  for (const auto& each : cases) {
    (void)theirs.run(each, turn);
    (void)ours.run(each, turn);
    Duel rate;
    Duel requests;
    const auto measure = [&](auto& side, std::vector<double> Duel::*whose) {
      const double before = requests_of(server);
      const auto began = SteadyClock::now();
      const auto taken = static_cast<double>(side.run(each, turn));
      const std::chrono::duration<double> took = SteadyClock::now() - began;
      (rate.*whose).push_back(taken / took.count());
      (requests.*whose).push_back((requests_of(server) - before) / taken);
    };
    for (int round = 0; round < rounds; ++round) {
      measure(ours, &Duel::ours);
      measure(theirs, &Duel::theirs);
    }
    auto cells = duel_row(each.name, rate, each.goal);
    cells.push_back(fmt::format("{:.2f} / {:.2f}", median(requests.ours), median(requests.theirs)));
    table.row(cells);
  }
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) { return holdfast::bench::guarded(holdfast::bench::run, argc, argv); }
