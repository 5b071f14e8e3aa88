// main.cc -- the `holdfast` command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/break.h"
#include "cli/demo.h"
#include "cli/exit_code.h"
#include "cli/local.h"
#include "cli/ls.h"
#include "cli/run.h"
#include "cli/run/run_options.h"
#include "cli/server.h"
#include "cli/shell/shell.h"
#include "cli/show.h"
#include "cli/watch.h"
#include "holdfast/local.h"

int main(int argc, char** argv) {
  CLI::App app("A lock that holds across threads, processes and machines.", "holdfast");
  app.set_version_flag("--version", "holdfast " HOLDFAST_VERSION);
  app.require_subcommand(1);
  app.add_subcommand("version", "Print the version")->callback([] { std::puts("holdfast " HOLDFAST_VERSION); });
  // Whatever starts the engine of local: starts this very program, even if its file has been replaced meanwhile.
  holdfast::set_local_command("/proc/self/exe");
  int exit_code = 0;
  holdfast::cli::add_run(app, exit_code, holdfast::cli::take_command(argc, argv));
  holdfast::cli::add_demo(app, exit_code);
  holdfast::cli::add_server(app, exit_code);
  holdfast::cli::add_local(app, exit_code);
  holdfast::cli::add_ls(app, exit_code);
  holdfast::cli::add_show(app, exit_code);
  holdfast::cli::add_watch(app, exit_code);
  holdfast::cli::add_break(app, exit_code);
  holdfast::cli::add_shell(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : holdfast::cli::kExitUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "holdfast: %s\n", error.what());
    return 1;
  }
  return exit_code;
}
