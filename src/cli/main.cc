// main.cc -- the `holdfast` command.
#include <CLI/CLI.hpp>
#include <exception>
#include <utility>

#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/run/run_options.h"
#include "holdfast/error.h"
#include "holdfast/local.h"

namespace {

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
  // Whatever starts the engine of local: starts this very program, even if its file has been replaced meanwhile.
  holdfast::set_local_command("/proc/self/exe");
  int exit_code = 0;
  holdfast::cli::add_commands(app, exit_code, holdfast::cli::take_command(argc, argv));
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
