#include "cli/commands/demo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/config/service.h"
#include "cli/demo/history.h"
#include "cli/demo/queue_watcher.h"
#include "cli/demo/screen.h"
#include "cli/demo/stage.h"
#include "cli/demo/worker.h"
#include "cli/demo/worker_processes.h"
#include "cli/exit_code.h"
#include "cli/stop_signals.h"
#include "holdfast/engine.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace demo {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kWorkers = 5;
// Twice the demonstration waits for the end of a session, and a person watches.
constexpr milliseconds kSession{2'000};
constexpr milliseconds kTick{500};
// Far more than it takes; a service may grant ten times the session that was asked for.
constexpr milliseconds kLimit{60'000};
constexpr int kSessionsInLimit = 10;

Engine make_engine() {
  EngineOptions options;
  options.listen.emplace_back();
  options.tick_time = kTick;
  return Engine(std::move(options));
}

const Event* find(const History& history, Deed deed) {
  const auto found = std::find_if(history.events.begin(), history.events.end(),
                                  [&](const Event& event) { return event.deed == deed; });
  return found == history.events.end() ? nullptr : &*found;
}

double seconds_between(const Event& from, const Event& to) {
  return std::chrono::duration<double>(to.at - from.at).count();
}

// What happened to the two who were struck.
void tell_story(const History& history, Screen& screen) {
  if (const auto* killed = find(history, Deed::killed)) {
    const auto next = std::find_if(history.events.begin(), history.events.end(), [&](const Event& event) {
      return event.deed == Deed::granted && event.token > killed->token;
    });
    auto text = fmt::format("  {} was killed while it held token {}", killed->worker, killed->token);
    if (next != history.events.end()) {
      text += fmt::format("; {} was granted {:.1f} s later", next->worker, seconds_between(*killed, *next));
    }
    screen.print({text});
  }
  const auto* paused = find(history, Deed::paused);
  const auto* resumed = find(history, Deed::resumed);
  if (paused != nullptr && resumed != nullptr) {
    screen.print({fmt::format("  {} was paused for {:.1f} s while it held token {}", paused->worker,
                              seconds_between(*paused, *resumed), paused->token)});
  }
}

void print_check(Screen& screen, const char* promise, const std::vector<std::string>& wrong, const std::string& held) {
  screen.print({fmt::format("  {:<6} {:<17} {}", wrong.empty() ? "held" : "BROKEN", promise,
                            wrong.empty() ? held : wrong.front()),
                wrong.empty() ? Tone::good : Tone::bad});
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 1; i < std::min(wrong.size(), kShown); ++i) {
    screen.print({fmt::format("  {:<24} {}", "", wrong[i]), Tone::bad});
  }
}

int summarise(const Stage& stage, Screen& screen) {
  const auto verdict = check(stage.history());
  screen.print({});
  tell_story(stage.history(), screen);
  screen.print({fmt::format("Checked, from the record of {} holds:", verdict.holds), Tone::title});
  print_check(screen, "mutual exclusion", verdict.exclusion, "never two at once");
  print_check(screen, "order", verdict.order,
              fmt::format("granted as they stood in the queue, seen {} times", verdict.sightings));
  print_check(screen, "tokens", verdict.tokens,
              fmt::format("each larger than the last; {} writes, {} late and refused",
                          verdict.writes + verdict.late_writes, verdict.late_writes));
  auto missing = verdict.not_shown;
  missing.insert(missing.end(), stage.failures().begin(), stage.failures().end());
  for (const auto& sentence : missing) screen.print({fmt::format("  not shown: {}", sentence), Tone::bad});
  const bool held = verdict.held() && stage.failures().empty();
  const bool broken = !verdict.exclusion.empty() || !verdict.order.empty() || !verdict.tokens.empty();
  screen.print({fmt::format("{} ({:.1f} s)",
                            held     ? "The lock held."
                            : broken ? "THE LOCK DID NOT HOLD."
                                     : "The demonstration did not come to its end.",
                            stage.seconds()),
                held ? Tone::good : Tone::bad});
  return held ? 0 : 1;
}

int run(const ServiceArguments& arguments) {
  // Before the first thread, so that all have the signals blocked.
  StopSignals signals([] {});
  ServiceSettings settings;
  std::optional<Engine> engine;
  std::string lock = "demo/order-1";
  std::string service;
  if (arguments.url.empty()) {
    engine.emplace(make_engine());
    settings.url = "zk://" + engine->addresses().front();
    service = "an engine of its own, " + engine->addresses().front();
  } else {
    settings = resolve_service(arguments);
    // Others may show it there at the same time.
    lock = fmt::format("demo-{}/order-1", ::getpid());
    service = settings.url;
  }
  if (arguments.session_timeout.empty()) settings.session_timeout = kSession;

  std::optional<int> signal;
  int exit_code = 1;
  {
    QueueWatcher watcher(settings, lock);
    WorkerProcesses processes(kWorkers, to_orders(settings, lock));
    Screen screen;
    screen.print({fmt::format("{} processes take turns at the lock {}", kWorkers, lock), Tone::title});
    screen.print({fmt::format("on {}", service), Tone::title});
    Stage stage(processes, watcher, screen, lock, service);
    signal = stage.play(signals, kLimit + kSessionsInLimit * settings.session_timeout);
    if (!signal) exit_code = summarise(stage, screen);
  }
  if (engine) engine->stop_now();
  if (signal) {
    fmt::print(stderr, "holdfast: the demonstration was interrupted; none of its processes is left\n");
    return kExitSignal + *signal;
  }
  return exit_code;
}

struct Arguments {
  ServiceArguments service;
  std::string worker;
  int parent = 0;
};

}  // namespace
}  // namespace demo

void add_demo(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("demo", "Five processes, one lock, two faults: checks that the lock holds");
  command->footer(
      "Takes about 15 seconds and needs nothing: it starts an engine of its own, unless --url says where else.\n"
      "Ends with 0 only if mutual exclusion, order and tokens were checked and held.\n"
      "Examples:\n"
      "  holdfast demo\n"
      "  holdfast demo --url zk://127.0.0.1:2181 | tee demo.log");
  const auto arguments = std::make_shared<demo::Arguments>();
  add_service_options(*command, arguments->service);
  // What the demonstration starts itself with.
  command->add_option("--worker", arguments->worker)->group("");
  command->add_option("--parent", arguments->parent)->group("");
  command->callback([=, &exit_code] {
    exit_code =
        arguments->worker.empty() ? demo::run(arguments->service) : demo::work(arguments->worker, arguments->parent);
  });
}

}  // namespace holdfast::cli
