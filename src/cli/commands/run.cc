#include "cli/commands/run.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "cli/commands/help.h"
#include "cli/config/service.h"
#include "cli/config/time_option.h"
#include "cli/exit_code.h"
#include "cli/run/run_options.h"
#include "cli/run/standard_streams.h"
#include "cli/run/wrapper.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

constexpr auto kFooter = R"(Examples:
  holdfast run nightly -- ./backup.sh           wait for the lock, then run
  holdfast run -n nightly -- ./backup.sh        now or not at all (status 75)
  holdfast run -w 30 -E 0 nightly -- make sync  wait 30 s; busy is no failure
  holdfast run -s repo -- make test             share it with other -s
  holdfast run --permits 1/4 gpu -- train       at most four at a time

Times are in seconds, with fractions, or have a unit: 3, 0.5, 250ms, 10m.

The command's exit status is passed on (128 + signal if one killed it). 75: another client holds the lock. 76: the lock was lost or taken
back, and the command was ended. 124: --max-hold has ended it. 69: the storage service was not reached, or grants nothing. 126, 127: the
command cannot be run, is not found.)";

// The library logs what may be wrong on the service; -q asked for errors only.
void log_errors_only() { spdlog::stderr_logger_mt("holdfast")->set_level(spdlog::level::err); }

int run(const RunArguments& arguments, const ServiceArguments& service, const std::vector<std::string>& command) {
  const auto options = read_run_options(arguments, command);
  if (!options) {
    say(options.error());
    return kExitUsage;
  }
  if (options->quiet) log_errors_only();
  try {
    return run_under_lock(*options, resolve_service(service, options->quiet ? Notes::left_out : Notes::said));
  } catch (const Error& error) {
    say(error.what());
    return exit_code_of(error);
  }
}

// An unset variable of a script, most likely; and then `-w ""` must not wait for ever.
void refuse_empty_values(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    if (option->count() > 0 && option->get_items_expected_min() > 0 && option->results().front().empty()) {
      throw Error(Errc::invalid_argument, option->get_positional() ? "the lock name is empty"
                                                                   : option->get_name() + " has no value; give it one");
    }
  }
}

}  // namespace

void add_run(CLI::App& app, int& exit_code, std::vector<std::string> command) {
  auto* run_command = app.add_subcommand("run", "Run a command under a lock: run NAME... -- COMMAND [ARGS...]");
  const auto arguments = std::make_shared<RunArguments>();
  const auto service = std::make_shared<ServiceArguments>();
  auto& a = *arguments;
  run_command->add_option("NAME", a.names, "What to lock; of several names, all or none");
  run_command->add_flag("-n,--no-wait", a.do_not_wait, "Do not wait");
  as_time(run_command->add_option("-w,--wait", a.wait, "Wait at most this long"));
  run_command->add_flag("-s,--shared", a.shared, "Share the lock with others that use -s");
  run_command->add_flag("-x,-e,--exclusive", a.exclusive, "Take it as the writer of Curator's read/write lock");
  run_command->add_option("-c,--command", a.shell_command, "Give this to sh -c, instead of a command after --")
      ->type_name("TEXT");
  run_command->add_option("--permits", a.permits, "K of N permits of a semaphore, such as 1/4")->type_name("K/N");
  run_command->add_option("-E,--conflict-exit-code", a.conflict_code, "Exit status when not acquired (75)")
      ->type_name("CODE")
      ->group(kMoreGroup);
  as_time(run_command->add_option("--min-hold", a.min_hold, "Keep the lock at least this long"))->group(kMoreGroup);
  as_time(run_command->add_option("--max-hold", a.max_hold, "End the command after this long"))->group(kMoreGroup);
  run_command->add_option("--purpose", a.purpose, "What ls and show say about it, beside the command's name")
      ->type_name("TEXT")
      ->group(kMoreGroup);
  run_command
      ->add_option("--on-lost", a.on_lost,
                   "term: tell the command in time, then kill it (default); kill: at once; ignore: it goes on")
      ->type_name("WHAT")
      ->group(kMoreGroup);
  as_time(
      run_command->add_option("--kill-after", a.kill_after, "From TERM to KILL (a quarter of the session, at most 5s)"))
      ->group(kMoreGroup);
  run_command->add_option("--access-log", a.access_log, "Append a line to this file when acquired, given back or lost")
      ->type_name("FILE")
      ->group(kMoreGroup);
  run_command->add_flag("-q,--quiet", a.quiet, "Say nothing but errors");
  run_command->add_flag("-v,--verbose", a.verbose, "Say when it was granted, and when the command would be ended")
      ->group(kMoreGroup);
  add_service_options(*run_command, *service);
  run_command->footer(kFooter);
  run_command->callback([arguments, service, run_command, &exit_code, command = std::move(command)] {
    refuse_empty_values(*run_command);
    exit_code = run(*arguments, *service, command);
  });
}

}  // namespace holdfast::cli
