#include "cli/commands/show.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/commands/name_argument.h"
#include "cli/config/service.h"
#include "cli/exit_code.h"
#include "cli/view/lock_json.h"
#include "cli/view/lock_text.h"
#include "cli/view/output.h"
#include "cli/view/terminal.h"

namespace holdfast::cli {
namespace {

struct Arguments {
  ServiceArguments service;
  std::string name;
  bool json = false;
};

int show(const Arguments& arguments) {
  const auto name = name_argument(arguments.name);
  auto client = connect_if_served(resolve_service(arguments.service));
  const auto lock = client.inspect(name);
  const auto now = std::chrono::system_clock::now();
  if (arguments.json) {
    auto document = lock_json(lock, now);
    document["time"] = shown_time(now);
    write_out(json_line(document));
  } else if (!lock.tickets.empty()) {
    write_out(page_lines(lock, now, terminal_width(STDOUT_FILENO)));
  }
  if (!lock.tickets.empty()) return 0;
  tell(fmt::format("{} is neither held nor waited for; `holdfast ls` lists the locks that are", shown(name)));
  return kExitNo;
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("show", "Show who holds a lock and who waits; exit status 1 if it is free");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("NAME", arguments->name, "A path such as orders/123")->required();
  command->add_flag("--json", arguments->json, "One JSON document, for scripts");
  add_service_options(*command, arguments->service);
  command->footer(
      "Examples:\n"
      "  holdfast show orders/123\n"
      "  holdfast show orders/123 --json | jq -r '.holders[0].host'\n"
      "  if holdfast show nightly >/dev/null 2>&1; then echo 'still running'; fi");
  command->callback([arguments, &exit_code] { exit_code = guarded([&] { return show(*arguments); }); });
}

}  // namespace holdfast::cli
