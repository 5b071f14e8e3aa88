#include "cli/ls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/lock_json.h"
#include "cli/lock_text.h"
#include "cli/name_argument.h"
#include "cli/output.h"
#include "cli/service.h"
#include "cli/terminal.h"

namespace holdfast::cli {
namespace {

struct Arguments {
  ServiceArguments service;
  std::string root;
  bool json = false;
};

int list(const Arguments& arguments) {
  const auto root = root_argument(arguments.root);
  auto client = connect_if_served(resolve_service(arguments.service));
  const auto locks = client.inspect_all(root);
  const auto now = std::chrono::system_clock::now();
  if (arguments.json) {
    auto found = Json::array();
    for (const auto& lock : locks) found.push_back(lock_json(lock, now));
    write_out(json_line({{"time", shown_time(now)}, {"root", root}, {"locks", std::move(found)}}));
  } else if (locks.empty()) {
    tell(root.empty() ? "no lock is held or waited for"
                      : fmt::format("no lock is held or waited for at or below {}", shown(root)));
  } else {
    write_out(list_lines(locks, now, terminal_width(STDOUT_FILENO)));
  }
  return 0;
}

}  // namespace

void add_ls(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("ls", "List the locks that are held or waited for");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("ROOT", arguments->root, "Only names at or below this one");
  command->add_flag("--json", arguments->json, "One JSON document, for scripts");
  add_service_options(*command, arguments->service);
  command->footer(
      "Examples:\n"
      "  holdfast ls\n"
      "  holdfast ls orders --url zk://10.0.0.1:2181\n"
      "  holdfast ls --json | jq -r '.locks[] | select(.waiting | length > 5) | .name'");
  command->callback([arguments, &exit_code] { exit_code = guarded([&] { return list(*arguments); }); });
}

}  // namespace holdfast::cli
