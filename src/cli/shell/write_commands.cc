// Commands that change nodes.
#include <fmt/format.h>

#include "cli/shell/acl_text.h"
#include "cli/shell/command_parts.h"
#include "cli/shell/path.h"
#include "cli/shell/show.h"

namespace holdfast::cli::shell {
namespace {

// The largest that ZooKeeper takes: five bytes of milliseconds.
constexpr std::size_t kLongestTtl = 0xff'ffff'ffff;

Outcome<wire::CreateMode> mode_of(const Arguments& arguments) {
  using wire::CreateMode;
  const bool numbered = arguments.has('s');
  const bool ephemeral = arguments.has('e');
  const bool container = arguments.has('c');
  const bool ttl = arguments.has('t');
  if (container && (numbered || ephemeral || ttl)) {
    return tl::unexpected(misuse("-c goes with no other option: a container is neither numbered nor ephemeral"));
  }
  if (ephemeral && ttl)
    return tl::unexpected(misuse("-e and -t do not go together: an ephemeral node ends with its session"));
  if (container) return CreateMode::container;
  if (ttl) return numbered ? CreateMode::persistent_sequential_with_ttl : CreateMode::persistent_with_ttl;
  if (ephemeral) return numbered ? CreateMode::ephemeral_sequential : CreateMode::ephemeral;
  return numbered ? CreateMode::persistent_sequential : CreateMode::persistent;
}

}  // namespace

Outcome<void> run_create(Context& context, const Arguments& arguments) {
  const auto mode = mode_of(arguments);
  if (!mode) return tl::unexpected(mode.error());
  const auto path = wire::is_sequential(*mode) ? read_sequential_path(arguments.word(0)) : read_path(arguments.word(0));
  if (!path) return tl::unexpected(misuse(path.error()));
  zk::NewNode node{.path = *path, .data = arguments.word_if(1), .mode = *mode, .acl = open_to_all()};
  if (const auto text = arguments.value('t')) {
    const auto ttl = parse_count(*text, {1, kLongestTtl});
    if (!ttl) return tl::unexpected(misuse("-t: " + ttl.error()));
    node.ttl = static_cast<std::int64_t>(*ttl);
  }
  if (const auto text = arguments.word_if(2)) {
    auto acl = parse_acls(*text);
    if (!acl) return tl::unexpected(misuse(acl.error()));
    node.acl = *std::move(acl);
  }
  const auto created = context.nodes.create(node);
  if (!created) return tl::unexpected(created.error());
  context.print("Created " + show_path(*created));
  return {};
}

Outcome<void> run_set(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto version = version_of(arguments);
  if (!version) return tl::unexpected(version.error());
  const auto stat = context.nodes.set(*path, arguments.word(1), *version);
  if (!stat) return tl::unexpected(stat.error());
  if (arguments.has('s')) context.print(show_stat(*stat));
  return {};
}

Outcome<void> run_delete(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto version = version_of(arguments);
  if (!version) return tl::unexpected(version.error());
  return context.nodes.remove(*path, *version);
}

Outcome<void> run_deleteall(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  if (*path == "/") return tl::unexpected(misuse("The root cannot be deleted; name what is below it"));
  const auto tree = tree_below(context.nodes, *path);
  if (!tree) return tl::unexpected(tree.error());
  std::size_t deleted = 0;
  // Backwards: children before their parents.
  for (auto each = tree->rbegin(); each != tree->rend(); ++each) {
    auto done = context.nodes.remove(*each);
    if (!done && done.error().code != wire::Code::no_node) {
      done.error().text += fmt::format(" ({} of {} nodes were deleted)", deleted, tree->size());
      return done;
    }
    ++deleted;
  }
  return {};
}

Outcome<void> run_set_acl(Context& context, const Arguments& arguments) {
  const auto path = path_of(arguments);
  if (!path) return tl::unexpected(path.error());
  const auto version = version_of(arguments);
  if (!version) return tl::unexpected(version.error());
  const auto acl = parse_acls(arguments.word(1));
  if (!acl) return tl::unexpected(misuse(acl.error()));
  const bool recursive = arguments.has('R');
  if (recursive && arguments.has('v')) return tl::unexpected(misuse("-R and -v do not go together: versions differ"));
  const auto tree = recursive ? tree_below(context.nodes, *path) : Outcome<std::vector<std::string>>({*path});
  if (!tree) return tl::unexpected(tree.error());
  for (const auto& each : *tree) {
    const auto stat = context.nodes.set_acl(each, *acl, *version);
    const bool gone = recursive && each != *path && !stat && stat.error().code == wire::Code::no_node;
    if (gone) continue;
    if (!stat) return tl::unexpected(stat.error());
    if (arguments.has('s')) context.print(show_stat(*stat));
  }
  return {};
}

}  // namespace holdfast::cli::shell
