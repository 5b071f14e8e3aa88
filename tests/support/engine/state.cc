#include "support/engine/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::testing {

using engine::Engine;
using engine::Kind;
using engine::Node;
using engine::Tree;

namespace {

std::map<std::string, const Node*> nodes_of(const Tree& tree) {
  std::map<std::string, const Node*> all;
  std::vector<const Node*> open{tree.find("/")};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    all.emplace(node->path(), node);
    if (!node->children) continue;
    for (const auto& child : *node->children) open.push_back(child.get());
  }
  return all;
}

std::vector<std::string> paths_of(const Tree::Nodes& nodes) {
  std::vector<std::string> paths;
  for (const Node* node : nodes) paths.push_back(node->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Tree::Nodes mortals_of(const Tree& tree) {
  Tree::Nodes nodes;
  for (const auto& mortal : tree.mortals()) nodes.push_back(mortal.node);
  return nodes;
}

std::size_t count_below(const Node& node) {
  std::size_t count = node.child_count();
  if (node.children) {
    for (const auto& child : *node.children) count += child->below;
  }
  return count;
}

std::string text_of(const wire::AclList* list) {
  if (list == nullptr) return "open";
  std::string text;
  for (const auto& acl : *list) text += fmt::format("{}:{}:{} ", acl.permissions, acl.id.scheme, acl.id.id);
  return text;
}

class Inspection {
 public:
  explicit Inspection(const Tree& tree) : tree_(tree), nodes_(nodes_of(tree)) {}

  std::vector<std::string> faults() {
    count();
    look_at_list();
    look_at_acls();
    return faults_;
  }

 private:
  void expect(bool good, std::string fault) {
    if (!good) faults_.push_back(std::move(fault));
  }

  void count() {
    std::size_t bytes = 0;
    std::map<std::int64_t, std::set<const Node*>> ephemerals;
    std::set<const Node*> mortals;
    for (const auto& [path, node] : nodes_) {
      bytes += path.size() + node->data.size();
      if (node->kind == Kind::ephemeral) ephemerals[node->owner].insert(node);
      if (node->kind == Kind::container || node->kind == Kind::ttl) mortals.insert(node);
      expect(!node->children || !node->children->empty(), path + " keeps an empty set of children");
      expect(!node->data_is_null || node->data.empty(), path + " has data that is null");
      expect(tree_.find(path) == node, path + " is not found");
      expect(node->below == count_below(*node), path + " has another number of nodes below it");
      if (!node->children) continue;
      for (const auto& child : *node->children) expect(child->parent == node, path + " is not its child's parent");
    }
    expect(tree_.size() == nodes_.size(), fmt::format("size {} of {} nodes", tree_.size(), nodes_.size()));
    expect(tree_.data_size() == bytes, fmt::format("data size {} of {} bytes", tree_.data_size(), bytes));
    std::size_t ephemeral_count = 0;
    for (const auto& [session, owned] : ephemerals) {
      ephemeral_count += owned.size();
      const auto* kept = tree_.ephemerals(session);
      expect(kept != nullptr && std::set<const Node*>(kept->begin(), kept->end()) == owned,
             fmt::format("ephemerals of {}", session));
    }
    expect(tree_.ephemerals().size() == ephemerals.size(), "sessions with ephemerals");
    expect(tree_.ephemeral_count() == ephemeral_count, "count of ephemerals");
    const auto kept = mortals_of(tree_);
    expect(kept.size() == mortals.size() && std::set<const Node*>(kept.begin(), kept.end()) == mortals, "mortals");
  }

  void look_at_list() {
    std::set<const Node*> seen;
    const Node* before = nullptr;
    for (const Node* node = tree_.find("/"); node != nullptr && seen.size() <= nodes_.size(); node = node->newer) {
      expect(node->older == before, node->path() + " does not know who is older");
      expect(node->parent == nullptr || seen.contains(node->parent), node->path() + " is older than its parent");
      expect(seen.insert(node).second, node->path() + " is twice in the list");
      before = node;
    }
    expect(seen.size() == nodes_.size(), fmt::format("{} of {} nodes in the list", seen.size(), nodes_.size()));
  }

  void look_at_acls() {
    std::map<const engine::AclTable::Entry*, std::size_t> users;
    for (const auto& [path, node] : nodes_) {
      if (node->acl != nullptr) ++users[node->acl];
    }
    for (const auto& [entry, count] : users) {
      expect(entry->users == count, fmt::format("{} users of an ACL of {} nodes", entry->users, count));
    }
    expect(tree_.acl_count() == users.size(), fmt::format("{} ACLs, {} used", tree_.acl_count(), users.size()));
  }

  const Tree& tree_;
  std::map<std::string, const Node*> nodes_;
  std::vector<std::string> faults_;
};

}  // namespace

std::string describe(const Engine& engine) {
  const Tree& tree = engine.tree();
  std::string text = fmt::format("size {} ephemerals {} bytes {} acls {}\n", tree.size(), tree.ephemeral_count(),
                                 tree.data_size(), tree.acl_count());
  for (const auto& [path, node] : nodes_of(tree)) {
    text += fmt::format(
        "{} data {} {} acl {} kind {} owner {} c {} m {} p {} times {} {} versions {} {} created {} of {}\n", path,
        node->data_is_null, node->data, text_of(node->acl_list()), static_cast<int>(node->kind), node->owner,
        node->czxid, node->mzxid, node->pzxid, node->ctime, node->mtime, node->version, node->aversion, node->creations,
        node->child_count());
  }
  std::map<wire::SessionId, std::string> sessions;
  for (const auto& [id, session] : engine.sessions().all()) {
    sessions[id] = fmt::format("timeout {} password {}", session.timeout.count(), session.password);
  }
  for (const auto& [id, session] : sessions) text += fmt::format("session {} {}\n", id, session);
  std::map<wire::SessionId, std::vector<std::string>> ephemerals;
  for (const auto& [id, owned] : tree.ephemerals()) ephemerals[id] = paths_of(owned.nodes);
  for (const auto& [id, paths] : ephemerals) text += fmt::format("ephemerals of {}: {}\n", id, fmt::join(paths, " "));
  text += fmt::format("mortals: {}\n", fmt::join(paths_of(mortals_of(tree)), " "));
  return text;
}

std::vector<std::string> faults(const Engine& engine) { return Inspection(engine.tree()).faults(); }

}  // namespace holdfast::testing
