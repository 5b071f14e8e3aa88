#include "cli/commands/commands.h"

#include <memory>
#include <utility>

#include "cli/commands/break.h"
#include "cli/commands/completion.h"
#include "cli/commands/config.h"
#include "cli/commands/demo.h"
#include "cli/commands/doctor.h"
#include "cli/commands/help.h"
#include "cli/commands/local.h"
#include "cli/commands/ls.h"
#include "cli/commands/run.h"
#include "cli/commands/server.h"
#include "cli/commands/show.h"
#include "cli/commands/version.h"
#include "cli/commands/watch.h"
#include "cli/shell/shell.h"

namespace holdfast::cli {
namespace {

constexpr auto kExamples = R"(Examples:
  holdfast run backup -- ./backup.sh          wait for the lock, then run
  holdfast ls                                 who holds which lock, who waits
  holdfast server --data /var/lib/holdfast    for every ZooKeeper client

holdfast COMMAND --help says more; --version, --help-all.)";

}  // namespace

void add_commands(CLI::App& app, int& exit_code, std::vector<std::string> command) {
  app.set_version_flag("--version", "holdfast " HOLDFAST_VERSION);
  app.require_subcommand(1);
  // First: commands inherit both.
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_all_flag("--help-all", "Print every option, and exit");
  add_run(app, exit_code, std::move(command));
  add_ls(app, exit_code);
  add_show(app, exit_code);
  add_watch(app, exit_code);
  add_break(app, exit_code);
  add_shell(app, exit_code);
  add_server(app, exit_code);
  add_local(app, exit_code);
  add_config(app);
  add_doctor(app, exit_code);
  add_demo(app, exit_code);
  add_version(app);
  add_completion(app);
  app.footer(kExamples);  // last: commands inherit it
}

}  // namespace holdfast::cli
