#include "cli/commands/ls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/commands/name_argument.h"
#include "cli/config/service.h"
#include "cli/view/colour.h"
#include "cli/view/lock_json.h"
#include "cli/view/lock_list.h"
#include "cli/view/output.h"
#include "cli/view/terminal.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

struct Arguments {
  ServiceArguments service;
  std::string root;
  bool json = false;
  std::string columns;
  std::string sort;
  bool reverse = false;
};

int list(const Arguments& arguments) {
  const auto root = root_argument(arguments.root);
  const auto options = parse_list_options(arguments.columns, arguments.sort, arguments.reverse);
  if (!options) throw Error(Errc::invalid_argument, options.error());
  auto client = connect_if_served(resolve_service(arguments.service));
  auto locks = client.inspect_all(root);
  const auto now = std::chrono::system_clock::now();
  sort_locks(locks, now, *options);
  if (arguments.json) {
    auto found = Json::array();
    for (const auto& lock : locks) found.push_back(lock_json(lock, now));
    write_out(json_line({{"time", shown_time(now)}, {"root", root}, {"locks", std::move(found)}}));
  } else if (locks.empty()) {
    tell(root.empty() ? "no lock is held or waited for"
                      : fmt::format("no lock is held or waited for at or below {}", shown(root)));
  } else {
    write_out(list_lines(locks, now, terminal_width(STDOUT_FILENO), *options, has_colours(STDOUT_FILENO)));
  }
  return 0;
}

}  // namespace

void add_ls(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("ls", "List the locks that are held or waited for");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("ROOT", arguments->root, "Only names at or below this one");
  auto* json = command->add_flag("--json", arguments->json, "One JSON document, for scripts");
  command
      ->add_option("--columns", arguments->columns,
                   "Which of name, kind, held, waiting, holder, token, marks, since, waited, next, host, pid, program, "
                   "purpose, path")
      ->type_name("LIST")
      ->excludes(json);
  command->add_option("--sort", arguments->sort, "By this column; numbers and times begin with the largest")
      ->type_name("COLUMN");
  command->add_flag("-r,--reverse", arguments->reverse, "The last one first");
  add_service_options(*command, arguments->service);
  command->footer(
      "Examples:\n"
      "  holdfast ls                               every lock, by name\n"
      "  holdfast ls orders                        those at or below orders\n"
      "  holdfast ls --sort held                   the longest held first\n"
      "  holdfast ls --columns name,host,pid       for a wide or a narrow window\n"
      "  holdfast ls --json | jq '.locks[].name'\n\n"
      "HELD is the time since its ticket was made, WAITING how many stand in line, WAITED how long the first of them "
      "has. MARKS says what is not as it should be. Colours on a terminal, unless NO_COLOR is set.");
  command->callback([arguments, &exit_code] { exit_code = guarded([&] { return list(*arguments); }); });
}

}  // namespace holdfast::cli
