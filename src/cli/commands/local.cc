#include "cli/commands/local.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/config/setting_value.h"
#include "holdfast/error.h"
#include "holdfast/local.h"
#include "settings/duration.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

// As systemctl has it for a service that is not there.
constexpr int kExitNotRunning = 3;
// For its last snapshot.
constexpr milliseconds kStopTimeout{10'000};
constexpr Range<milliseconds> kIdle{milliseconds(1), std::chrono::hours(24 * 365)};

std::string as_utc(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

int show_status(bool json) {
  const auto directory = local_directory();
  const auto engine = find_local_engine();
  if (json) {
    nlohmann::ordered_json document{{"running", engine.has_value()}, {"directory", directory}};
    for (const auto* key : {"pid", "address", "since", "sessions", "data_dir", "log_file", "held_back"}) {
      document[key] = nullptr;
    }
    if (engine) {
      if (engine->pid > 0) document["pid"] = engine->pid;
      document["address"] = engine->address;
      document["since"] = as_utc(engine->since);
      document["sessions"] = local_sessions();
      document["data_dir"] = engine->data_dir;
      document["log_file"] = engine->log_file;
      if (!engine->held_back.empty()) document["held_back"] = engine->held_back;
    }
    fmt::print("{}\n", document.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace));
  } else if (engine) {
    const auto process =
        engine->pid > 0 ? fmt::format("as process {}", engine->pid) : std::string("in another container");
    fmt::print("running {} since {}\naddress:   {}\nsessions:  {}\ndirectory: {}\n", process, as_utc(engine->since),
               engine->address, local_sessions(), directory);
    if (!engine->held_back.empty()) {
      fmt::print("held back: {}; the next command without that replaces it\n", engine->held_back);
    }
  } else {
    fmt::print("not running; it starts by itself with the first command that uses local:\ndirectory: {}\n", directory);
  }
  return engine ? 0 : kExitNotRunning;
}

void stop() {
  const auto engine = find_local_engine();
  const auto sessions = engine ? local_sessions() : 0;
  if (!engine || !stop_local_engine(kStopTimeout)) {
    fmt::print("the local engine was not running\n");
    return;
  }
  fmt::print("stopped the local engine (process {})", engine->pid);
  if (sessions > 0) {
    fmt::print("; it had {} session{}, and starts again if their commands still run", sessions,
               sessions == 1 ? "" : "s");
  }
  fmt::print("\n");
}

ServeLocalOptions serve_options(int ready_fd, int start_lock_fd) {
  ServeLocalOptions options{.ready_fd = ready_fd, .start_lock_fd = start_lock_fd};
  if (const char* text = std::getenv("HOLDFAST_LOCAL_IDLE"); text != nullptr && *text != '\0') {
    const auto idle = parse_duration(text, kIdle);
    if (!idle) throw Error(Errc::invalid_argument, "HOLDFAST_LOCAL_IDLE: " + idle.error());
    options.idle = *idle;
  }
  return options;
}

struct Arguments {
  bool json = false;
  int ready_fd = -1;
  int start_lock_fd = -1;
};

}  // namespace

void add_local(CLI::App& app, int& exit_code) {
  auto* local = app.add_subcommand("local", "The engine behind local:, which starts and ends by itself");
  local->require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();

  auto* status = local->add_subcommand("status", "Whether it runs, where, and for which clients; exit status 3 if not");
  status->add_flag("--json", arguments->json, "One JSON document");
  status->callback([=, &exit_code] { exit_code = show_status(arguments->json); });

  local->add_subcommand("stop", "End it in good order; locks stay in its directory")->callback(stop);

  // For the process that starts it, not for people.
  auto* serve = local->add_subcommand("serve", "Become the engine")->group("");
  serve->add_option("--ready-fd", arguments->ready_fd);
  serve->add_option("--start-lock-fd", arguments->start_lock_fd);
  serve->callback([=] { serve_local_engine(serve_options(arguments->ready_fd, arguments->start_lock_fd)); });
}

}  // namespace holdfast::cli
