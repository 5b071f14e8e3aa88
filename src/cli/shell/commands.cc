#include "cli/shell/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "base/text.h"
#include "cli/shell/command_parts.h"
#include "cli/shell/path.h"

namespace holdfast::cli::shell {
namespace {

// Beyond it a walk through a tree is no longer something a person waits for, nor does its list fit comfortably in
// memory.
constexpr std::size_t kMostNodes = 1'000'000;

}  // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> all{
      {"ls", "sRw", "[-s] [-R] [-w] path", "children; -s and stat, -R all below, -w watch", 1, 1, true, run_ls},
      {"get", "swr", "[-s] [-w] [-r] path", "data; -s and stat, -w watch, -r the bytes as they are", 1, 1, true,
       run_get},
      {"stat", "w", "[-w] path", "versions, times, owner; -w watch, also what is not there yet", 1, 1, true, run_stat},
      {"create", "sect:", "[-s] [-e] [-c] [-t ms] path [data] [acl]",
       "a node; -s numbered, -e gone with this session, -c container, -t gone when idle", 1, 3, true, run_create},
      {"set", "sv:", "[-s] [-v version] path data", "new data; -s and stat, -v only if it has that version", 2, 2, true,
       run_set},
      {"delete", "v:", "[-v version] path", "a node without children; -v only if it has that version", 1, 1, true,
       run_delete},
      {"deleteall", "", "path", "a node and all below it", 1, 1, true, run_deleteall},
      {"getAcl", "s", "[-s] path", "who may do what; -s and stat", 1, 1, true, run_get_acl},
      {"setAcl", "sRv:", "[-s] [-R] [-v version] path acl",
       "who may do what, such as world:anyone:r,digest:ann:hash:cdrwa; -R all below too", 2, 2, true, run_set_acl},
      {"addauth", "", "scheme credentials", "prove who you are, such as addauth digest ann:secret", 2, 2, false,
       run_addauth},
      {"whoami", "", "", "the users that the server knows this session as", 0, 0, false, run_whoami},
      {"addWatch", "m:", "[-m PERSISTENT|PERSISTENT_RECURSIVE] path", "a watch that stays; recursive if not said", 1, 1,
       true, run_add_watch},
      {"removewatches", "cda", "[-c|-d|-a] path", "this shell's watches; -c on children, -d on data, -a all", 1, 1,
       true, run_remove_watches},
      {"sync", "", "path", "wait until this server knows what the leader knows", 1, 1, true, run_sync},
      {"getEphemerals", "", "[path]", "this session's ephemeral nodes; those that begin with path", 0, 1, true,
       run_get_ephemerals},
      {"getAllChildrenNumber", "", "path", "how many nodes are below", 1, 1, true, run_get_all_children_number},
      {"connect", "", "[host:port,...]", "a new session, there or at the same servers", 0, 1, false, run_connect},
      {"close", "", "", "end the session, and with it its ephemeral nodes", 0, 0, false, run_close},
      {"history", "", "", "the lines typed last, with their numbers", 0, 0, false, run_history},
      {"redo", "", "number", "a line of the history once more", 1, 1, false, run_redo},
      {"help", "", "[command]", "this", 0, 1, false, run_help},
      {"quit", "", "", "end the session and leave; also exit and Ctrl-D", 0, 0, false, run_quit},
      {"exit", "", "", "the same as quit", 0, 0, false, run_quit},
  };
  return all;
}

const Command* find_command(std::string_view name) {
  const auto& all = all_commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Command& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void Context::print(std::string_view text) const {
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fputc('\n', out) != EOF;
  if (!written) throw std::system_error(errno, std::generic_category(), "standard output");
}

Outcome<void> run_command(Context& context, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto* command = find_command(words.front());
  if (command == nullptr) {
    return tl::unexpected(misuse(fmt::format("No such command: {}; help lists them", base::printable(words.front()))));
  }
  const auto usage = fmt::format("usage: {}{}{}", command->name, command->usage.empty() ? "" : " ", command->usage);
  const auto arguments = parse_arguments({words.begin() + 1, words.end()}, command->options);
  if (!arguments) return tl::unexpected(misuse(arguments.error() + "; " + usage));
  const auto count = arguments->words().size();
  if (count < command->least) return tl::unexpected(misuse("Something is missing; " + usage));
  if (count > command->most) {
    return tl::unexpected(misuse("Too many words; put what has blanks in quotes; " + usage));
  }
  return command->run(context, *arguments);
}

Outcome<std::string> path_of(const Arguments& arguments, std::size_t i) {
  auto path = read_path(arguments.word(i));
  if (!path) return tl::unexpected(misuse(path.error()));
  return *path;
}

Outcome<std::int32_t> version_of(const Arguments& arguments) {
  const auto text = arguments.value('v');
  if (!text) return kAnyVersion;
  std::int32_t version = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), version);
  if (error != std::errc{} || end != text->data() + text->size()) {
    return tl::unexpected(
        misuse(fmt::format("Not a version: {}; stat shows it as dataVersion or aclVersion", base::printable(*text))));
  }
  return version;
}

Outcome<std::vector<std::string>> tree_below(Nodes& nodes, const std::string& path) {
  std::vector<std::string> found;
  std::vector<std::string> to_visit{path};
  while (!to_visit.empty()) {
    auto next = std::move(to_visit.back());
    to_visit.pop_back();
    auto children = nodes.children(next);
    const bool gone = !children && children.error().code == wire::Code::no_node;
    if (gone && !found.empty()) continue;
    if (!children) return tl::unexpected(children.error());
    std::sort(children->names.begin(), children->names.end(), std::greater<>());
    for (const auto& name : children->names) to_visit.push_back(child_of(next, name));
    found.push_back(std::move(next));
    if (found.size() + to_visit.size() > kMostNodes) {
      return tl::unexpected(Trouble{.text = fmt::format("More than {} nodes are below {}; take a part of them",
                                                        kMostNodes, base::printable(path, std::string::npos))});
    }
  }
  return found;
}

}  // namespace holdfast::cli::shell
