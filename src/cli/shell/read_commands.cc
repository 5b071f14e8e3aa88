// Commands that look.
#include <fmt/format.h>

#include <algorithm>

#include "cli/shell/acl_text.h"
#include "cli/shell/command_parts.h"
#include "cli/shell/show.h"

namespace holdfast::cli::shell {

Outcome<void> run_ls(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  if (arguments.has('R')) {
    if (arguments.has('s') || arguments.has('w')) {
      return tl::unexpected(misuse("-R goes with neither -s nor -w; addWatch watches all below a node"));
    }
    const auto tree = tree_below(context.nodes, *path);
    if (!tree) return tl::unexpected(tree.error());
    for (const auto& each : *tree) context.print(show_path(each));
    return {};
  }
  const auto children = context.nodes.children(*path, arguments.has('w'));
  if (!children) return tl::unexpected(children.error());
  context.print(show_names(children->names));
  if (arguments.has('s')) context.print(show_stat(children->stat));
  return {};
}

Outcome<void> run_get(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const bool raw = arguments.has('r');
  if (raw && context.on_terminal) {
    return tl::unexpected(misuse("-r is for files and pipes: on a terminal the bytes could do anything"));
  }
  if (raw && arguments.has('s')) return tl::unexpected(misuse("-r shows nothing but the data; leave out -s"));
  const auto content = context.nodes.get(*path, arguments.has('w'));
  if (!content) return tl::unexpected(content.error());
  if (raw) {
    const auto& bytes = content->data.value_or("");
    if (std::fwrite(bytes.data(), 1, bytes.size(), context.out) != bytes.size()) {
      return tl::unexpected(Trouble{.text = "Standard output took only a part of it"});
    }
    return {};
  }
  context.print(show_data(content->data));
  if (arguments.has('s')) context.print(show_stat(content->stat));
  return {};
}

Outcome<void> run_stat(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto stat = context.nodes.stat(*path, arguments.has('w'));
  if (!stat) return tl::unexpected(stat.error());
  context.print(show_stat(*stat));
  return {};
}

Outcome<void> run_get_acl(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto permissions = context.nodes.get_acl(*path);
  if (!permissions) return tl::unexpected(permissions.error());
  for (const auto& acl : permissions->acl) context.print(show_acl(acl));
  if (arguments.has('s')) context.print(show_stat(permissions->stat));
  return {};
}

Outcome<void> run_get_ephemerals(Context& context, const Arguments& arguments) {
  Outcome<std::string> path = std::string("/");
  if (!arguments.words().empty()) path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  auto paths = context.nodes.ephemerals(*path);
  if (!paths) return tl::unexpected(paths.error());
  std::sort(paths->begin(), paths->end());
  for (const auto& each : *paths) context.print(show_path(each));
  return {};
}

Outcome<void> run_get_all_children_number(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto count = context.nodes.count_below(*path);
  if (!count) return tl::unexpected(count.error());
  context.print(std::to_string(*count));
  return {};
}

}  // namespace holdfast::cli::shell
