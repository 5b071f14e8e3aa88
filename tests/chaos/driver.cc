// driver -- a chaos run: clients, a server, faults, and a history of it all. The checker says what it is worth.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "chaos.h"
#include "fault_plan.h"
#include "fenced_resource.h"
#include "history.h"
#include "member.h"
#include "service.h"
#include "support/eventually.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// Short, so that a minute has many of them.
constexpr auto kSession = 2s;
constexpr const char* kLock = "chaos/lock";
// For everybody together, to be granted once more after the last fault.
constexpr auto kFinishWithin = 60s;
// Sessions of killed clients end by themselves.
constexpr auto kEmptyWithin = 10s;

struct RunOptions {
  std::chrono::seconds length{60};
  std::uint64_t seed = 20240229;
  std::size_t clients = 6;
  std::filesystem::path history{"chaos-history.jsonl"};
  std::string broken{};  // "lock" or "fence"
  std::string service = "zookeeper";
};

void run_chaos(const RunOptions& options) {
  const auto epoch = Clock::now();
  History history(options.history, epoch);
  history.add("driver", {{"what", "run"},
                         {"seed", options.seed},
                         {"seconds", options.length.count()},
                         {"clients", options.clients},
                         {"session_ms", std::chrono::milliseconds(kSession).count()},
                         {"broken", options.broken},
                         {"service", options.service}});
  const auto service = make_service(options.service);
  FencedResource resource(history, options.broken != "fence");
  Chaos::Crew crew;
  for (std::size_t i = 0; i < options.clients; ++i) {
    MemberOptions member{.name = fmt::format("c{}", i),
                         .lock = kLock,
                         .session = kSession,
                         .epoch = epoch,
                         .seed = options.seed + 1'000 * i,
                         .break_lock = options.broken == "lock",
                         .log = options.history.string() + ".log"};
    crew.push_back(std::make_unique<Member>(std::move(member), *service, history, resource));
    crew.back()->start();
  }

  Chaos chaos(FaultPlan(options.seed, options.clients, kSession), crew, *service, history);
  chaos.run_until(Clock::now() + options.length);
  chaos.heal();
  history.add("driver", {{"what", "healed"}});
  for (auto& member : crew) member->finish();
  const auto deadline = Clock::now() + kFinishWithin;
  for (auto& member : crew) {
    const auto rest = std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
    if (!member->wait_ended(rest)) history.add(member->name(), {{"what", "stuck"}});
  }

  std::optional<std::vector<std::string>> left;
  (void)eventually(kEmptyWithin, [&] {
    left = service->tickets(kLock);
    return left && left->empty();
  });
  if (!left) throw std::runtime_error("the server does not say what is left in the queue");
  history.add("driver", {{"what", "left"}, {"nodes", *left}});
  history.add("driver", {{"what", "over"}});
}

int run(int argc, char** argv) {
  CLI::App app("Clients of one lock, and what can go wrong with them; see tests/chaos/README.md");
  RunOptions options;
  std::chrono::seconds::rep seconds = options.length.count();
  std::chrono::minutes::rep minutes = 0;
  app.add_option("--seconds", seconds, "how long faults are caused")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--minutes", minutes, "the same in minutes")->check(CLI::PositiveNumber)->excludes("--seconds");
  app.add_option("--seed", options.seed, "which faults")->capture_default_str();
  app.add_option("--clients", options.clients, "")->capture_default_str()->check(CLI::Range(2, 100));
  app.add_option("--service", options.service, "what the lock is kept by")
      ->capture_default_str()
      ->check(CLI::IsMember({"zookeeper", "redis"}));
  app.add_option("--history", options.history, "written anew; beside it FILE.log, what the clients logged")
      ->capture_default_str();
  app.add_option("--break", options.broken, "lets the run go wrong, to show that the checker sees it")
      ->check(CLI::IsMember({"lock", "fence"}));
  CLI11_PARSE(app, argc, argv);
  options.length = minutes > 0 ? std::chrono::minutes(minutes) : std::chrono::seconds(seconds);
  std::filesystem::remove(options.history.string() + ".log");
  fmt::print("chaos: {}, seed {}, {} s, {} clients, history in {}\n", options.service, options.seed,
             options.length.count(), options.clients, options.history.string());
  std::fflush(stdout);
  run_chaos(options);
  return 0;
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  try {
    return holdfast::testing::run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "chaos: {}\n", failure.what());
    return 1;
  }
}
