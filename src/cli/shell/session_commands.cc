// Commands about this session and this shell.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/shell/command_parts.h"
#include "cli/shell/show.h"
#include "cli/shell/words.h"

namespace holdfast::cli::shell {
namespace {

// What fits on a screen.
constexpr std::size_t kHistoryShown = 20;

}  // namespace

Outcome<void> run_addauth(Context& context, const Arguments& arguments) {
  const auto proven = context.session.add_auth({.scheme = arguments.word(0), .credentials = arguments.word(1)});
  if (!proven) return tl::unexpected(trouble_of(proven.error(), "/", false));
  return {};
}

Outcome<void> run_whoami(Context& context, const Arguments&) {
  const auto ids = context.nodes.who_am_i();
  if (!ids) return tl::unexpected(ids.error());
  std::vector<std::string> lines;
  for (const auto& id : *ids) lines.push_back(show_path(id.scheme + ": " + id.id));
  std::sort(lines.begin(), lines.end());  // they come in no order
  for (const auto& line : lines) context.print(line);
  return {};
}

Outcome<void> run_add_watch(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto mode = arguments.value('m').value_or("PERSISTENT_RECURSIVE");
  if (mode != "PERSISTENT" && mode != "PERSISTENT_RECURSIVE") {
    return tl::unexpected(
        misuse("-m takes PERSISTENT (the node and its children) or PERSISTENT_RECURSIVE (all below it)"));
  }
  return context.nodes.add_watch(
      *path, mode == "PERSISTENT" ? wire::AddWatchMode::persistent : wire::AddWatchMode::persistent_recursive);
}

Outcome<void> run_remove_watches(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto kind = arguments.has('a') || arguments.has('c') == arguments.has('d') ? wire::WatchKind::any
                    : arguments.has('c')                                           ? wire::WatchKind::children
                                                                                   : wire::WatchKind::data;
  return context.nodes.remove_watches(*path, kind);
}

Outcome<void> run_sync(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  auto done = context.nodes.sync(*path);
  if (done) context.print("Sync is OK");
  return done;
}

Outcome<void> run_connect(Context& context, const Arguments& arguments) {
  if (const auto text = arguments.word_if(0)) {
    auto servers = net::parse_servers(*text, context.session.options().tls ? net::kTlsPort : net::kPlainPort);
    if (!servers) {
      return tl::unexpected(
          misuse(fmt::format("Not a server: {}; write host:port, such as 127.0.0.1:2181", servers.error())));
    }
    context.session.move_to(*std::move(servers));
  }
  const auto opened = context.session.open();
  if (!opened) return tl::unexpected(trouble_of(opened.error(), "/", false));
  context.print(fmt::format("Connected to {} in session {:#x}", context.session.server(),
                            static_cast<std::uint64_t>(context.session.id())));
  return {};
}

Outcome<void> run_close(Context& context, const Arguments&) {
  context.session.close();
  return {};
}

Outcome<void> run_history(Context& context, const Arguments&) {
  const auto& lines = context.history.lines();
  for (auto i = lines.size() - std::min(lines.size(), kHistoryShown); i < lines.size(); ++i) {
    context.print(fmt::format("{:>4}  {}", i + 1, show_path(lines[i])));
  }
  return {};
}

Outcome<void> run_redo(Context& context, const Arguments& arguments) {
  const auto& lines = context.history.lines();
  const auto number = parse_count(arguments.word(0), {1, std::max<std::size_t>(lines.size(), 1)});
  if (!number || lines.empty()) return tl::unexpected(misuse("No such line; history shows their numbers"));
  const auto line = lines[*number - 1];
  const auto words = split_words(line);
  if (!words) return tl::unexpected(misuse(words.error()));
  if (!words->empty() && words->front() == "redo") return tl::unexpected(misuse("That line is a redo itself"));
  context.print(show_path(line));
  return run_command(context, *words);
}

Outcome<void> run_quit(Context& context, const Arguments&) {
  context.quit = true;
  return {};
}

Outcome<void> run_help(Context& context, const Arguments& arguments) {
  if (const auto name = arguments.word_if(0)) {
    const auto* command = find_command(*name);
    if (command == nullptr) {
      return tl::unexpected(misuse(fmt::format("No such command: {}; help lists them", base::printable(*name))));
    }
    context.print(fmt::format("{} {}\n    {}", command->name, command->usage, command->help));
    return {};
  }
  for (const auto& each : all_commands()) context.print(fmt::format("{} {}\n    {}", each.name, each.usage, each.help));
  context.print(
      "Tab completes commands, options and paths. Words with blanks: 'in quotes'. A path begins with a slash.");
  return {};
}

}  // namespace holdfast::cli::shell
