// main.cc -- the `holdfast` command.
#include <CLI/CLI.hpp>
#include <exception>

#include "cli/break.h"
#include "cli/complaint.h"
#include "cli/completion.h"
#include "cli/config.h"
#include "cli/demo.h"
#include "cli/doctor.h"
#include "cli/exit_code.h"
#include "cli/local.h"
#include "cli/ls.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/run/run_options.h"
#include "cli/server.h"
#include "cli/shell/shell.h"
#include "cli/show.h"
#include "cli/version.h"
#include "cli/watch.h"
#include "holdfast/error.h"
#include "holdfast/local.h"

namespace {

constexpr auto kExamples = R"(Examples:
  holdfast run backup -- ./backup.sh             the script, if nobody else runs it; else waits
  holdfast ls                                    who holds what, and who waits
  holdfast local status                          the engine that commands use if you set up nothing
  holdfast config show                           which settings are used, and where they come from
  holdfast server --data /var/lib/holdfast       a server for every ZooKeeper client

holdfast COMMAND --help says more. Settings: --url, HOLDFAST_URL, ./holdfast.yaml, ~/.config/holdfast/config.yaml.
)";

// What a service manager knows: 1, it did not start (docs/server.md).
constexpr int kExitServer = 1;
constexpr int kExitInternal = 70;  // sysexits.h: what cannot happen

int fail(int code, const char* sentence) {
  holdfast::cli::tell(sentence);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A lock that holds across threads, processes and machines.", "holdfast");
  app.set_version_flag("--version", "holdfast " HOLDFAST_VERSION);
  app.require_subcommand(1);
  // Whatever starts the engine of local: starts this very program, even if its file has been replaced meanwhile.
  holdfast::set_local_command("/proc/self/exe");
  int exit_code = 0;
  holdfast::cli::add_run(app, exit_code, holdfast::cli::take_command(argc, argv));
  holdfast::cli::add_ls(app, exit_code);
  holdfast::cli::add_show(app, exit_code);
  holdfast::cli::add_watch(app, exit_code);
  holdfast::cli::add_break(app, exit_code);
  holdfast::cli::add_shell(app, exit_code);
  holdfast::cli::add_server(app, exit_code);
  holdfast::cli::add_local(app, exit_code);
  holdfast::cli::add_config(app);
  holdfast::cli::add_doctor(app, exit_code);
  holdfast::cli::add_demo(app, exit_code);
  holdfast::cli::add_version(app);
  holdfast::cli::add_completion(app);
  app.footer(kExamples);  // last: commands inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version come this way, too.
    if (error.get_exit_code() == 0) return app.exit(error);
    return fail(holdfast::cli::kExitUsage, holdfast::cli::complaint(app, error).c_str());
  } catch (const holdfast::Error& error) {
    return fail(app.got_subcommand("server") ? kExitServer : holdfast::cli::exit_code_of(error), error.what());
  } catch (const std::exception& error) {
    return fail(app.got_subcommand("server") ? kExitServer : kExitInternal, error.what());
  }
  return exit_code;
}
