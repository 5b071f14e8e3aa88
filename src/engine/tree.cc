#include "engine/tree.h"

#include <utility>
#include <vector>

#include "engine/path.h"

namespace holdfast::engine {

namespace {

std::size_t path_length(const Node& node) {
  std::size_t length = node.parent == nullptr ? 1 : 0;
  for (const Node* each = &node; each->parent != nullptr; each = each->parent) length += each->name.size() + 1;
  return length;
}

bool is_mortal(const Node& node) { return node.kind == Kind::container || node.kind == Kind::ttl; }

// In a log: what happens to it, and to whom.
std::size_t naming(const Node& node) { return 2 * sizeof(std::int32_t) + path_length(node); }

}  // namespace

wire::Stat Node::stat() const {
  const auto count = static_cast<std::int32_t>(child_count());
  return {.czxid = czxid,
          .mzxid = mzxid,
          .ctime = ctime,
          .mtime = mtime,
          .version = version,
          // Every creation counts, and every removal: what was created and is no longer there.
          .cversion = static_cast<std::int32_t>(2 * static_cast<std::int64_t>(creations) - count),
          .aversion = aversion,
          // Containers and TTL nodes have an owner inside ZooKeeper too, but it does not show it.
          .ephemeral_owner = kind == Kind::ephemeral ? owner : 0,
          .data_length = static_cast<std::int32_t>(data.size()),
          .num_children = count,
          .pzxid = pzxid};
}

std::string Node::path() const {
  if (parent == nullptr) return "/";
  auto length = path_length(*this);
  std::string path(length, '/');
  for (const Node* node = this; node->parent != nullptr; node = node->parent) {
    length -= node->name.size();
    node->name.copy(path.data() + length, node->name.size());
    --length;
  }
  return path;
}

Tree::Tree(base::HashKey key) : key_(key), root_(std::make_unique<Node>()) {
  newest_ = oldest_ = root_.get();
  enter(*root_);
  // Born with the tree: no zxid, no time, and not counted as creations. So `stat /` starts with cversion -1, as ZooKeeper's.
  Node* zookeeper = add(*root_, "zookeeper");
  add(*zookeeper, "quota");
  Node* config = add(*zookeeper, "config");
  set_acl(*config, {{wire::permission::kRead, {"world", "anyone"}}});
  config->aversion = -1;
}

Tree::~Tree() = default;

Node* Tree::find_from(Node* node, std::string_view path) {
  if (path.empty() || path == "/") return node;
  while (!path.empty()) {
    if (path.front() != '/' || !node->children) return nullptr;
    path.remove_prefix(1);
    const auto name = path.substr(0, path.find('/'));
    path.remove_prefix(name.size());
    node = node->children->find(name);
    if (node == nullptr) return nullptr;
  }
  return node;
}

NodeUndo Tree::apply(const NodeCreated& change, wire::Zxid zxid, std::int64_t time) {
  Node* node = restore(change.path);
  if (node == nullptr || node == root_.get()) return {};
  Node* parent = node->parent;
  NodeUndo undo{.what = NodeUndo::What::created,
                .node = parent,
                .readers = parent->acl,
                .name = std::string(name_of(change.path)),
                .creations = parent->creations,
                .zxid = parent->pzxid};
  set_data(*node, change.data);
  set_acl(*node, change.acl);
  set_kind(*node, change.kind, change.owner);
  undo.created = node->acl;
  node->czxid = node->mzxid = node->pzxid = zxid;
  node->ctime = node->mtime = time;
  node->version = node->aversion = node->creations = 0;
  parent->creations = change.parent_creations;
  parent->pzxid = zxid;
  return undo;
}

NodeUndo Tree::apply(const NodeRemoved& change, wire::Zxid zxid, std::int64_t) {
  Node* parent = find(parent_of(change.path));
  Node* node = find(change.path);
  // Nobody can ask for the root to be removed, but a log can say anything.
  if (parent == nullptr || node == root_.get()) return {};
  NodeUndo undo{.what = NodeUndo::What::removed, .node = parent, .readers = parent->acl, .zxid = parent->pzxid};
  parent->pzxid = zxid;
  if (node == nullptr) return {};
  remove_below(*node);
  undo.removed_after = node->older;
  undo.under_cursor = cursor_ == node;
  if (is_mortal(*node)) undo.since = mortals_[node->place].since;
  undo.removed = detach(*node);
  return undo;
}

NodeUndo Tree::apply(const DataSet& change, wire::Zxid zxid, std::int64_t time) {
  Node* node = find(change.path);
  if (node == nullptr) return {};
  NodeUndo undo{.what = NodeUndo::What::data_set,
                .node = node,
                .readers = node->acl,
                .data = node->data,
                .data_is_null = node->data_is_null,
                .version = node->version,
                .zxid = node->mzxid,
                .mtime = node->mtime};
  set_data(*node, change.data);
  node->version = change.version;
  node->mzxid = zxid;
  node->mtime = time;
  if (node->kind == Kind::ttl) undo.since = std::exchange(mortals_[node->place].since, now_);
  return undo;
}

NodeUndo Tree::apply(const AclSet& change, wire::Zxid, std::int64_t) {
  Node* node = find(change.path);
  if (node == nullptr) return {};
  NodeUndo undo{.what = NodeUndo::What::acl_set, .node = node, .version = node->aversion};
  undo.acl = std::exchange(node->acl, nullptr);  // still used, by what may be taken back
  set_acl(*node, change.acl);
  node->aversion = change.version;
  return undo;
}

void Tree::take_back(NodeUndo undo) {
  Node* node = undo.node;
  switch (undo.what) {
    case NodeUndo::What::nothing: return;
    case NodeUndo::What::created: {
      const auto created = detach(*node->children->find(undo.name));
      acls_.release(created->acl);
      node->creations = undo.creations;
      node->pzxid = undo.zxid;
      return;
    }
    case NodeUndo::What::removed: {
      Node* back = undo.removed.get();
      attach(std::move(undo.removed), undo.removed_after);
      if (undo.under_cursor) cursor_ = back;
      if (is_mortal(*back)) mortals_[back->place].since = undo.since;
      node->pzxid = undo.zxid;
      return;
    }
    case NodeUndo::What::data_set:
      set_data(*node, undo.data_is_null ? wire::Buffer{} : wire::Buffer{std::move(undo.data)});
      node->version = undo.version;
      node->mzxid = undo.zxid;
      node->mtime = undo.mtime;
      if (node->kind == Kind::ttl) mortals_[node->place].since = undo.since;
      return;
    case NodeUndo::What::acl_set:
      acls_.release(node->acl);
      node->acl = undo.acl;
      node->aversion = undo.version;
      return;
  }
}

void Tree::forget(NodeUndo undo) {
  if (undo.what == NodeUndo::What::acl_set) acls_.release(undo.acl);
  if (undo.what == NodeUndo::What::removed) acls_.release(undo.removed->acl);
}

Node* Tree::restore(std::string_view path) {
  if (Node* there = find(path)) return there;
  // What is no path would not be found again, and added once more.
  if (!is_valid_path(path)) return nullptr;
  Node* parent = find(parent_of(path));
  return parent == nullptr ? nullptr : add(*parent, name_of(path));
}

void Tree::set_acl(Node& node, const wire::AclList& list) {
  const auto* old = std::exchange(node.acl, list.empty() ? nullptr : acls_.use(list));
  acls_.release(old);
}

void Tree::set_kind(Node& node, Kind kind, std::int64_t owner) {
  leave(node);
  node.kind = kind;
  node.owner = owner;
  enter(node);
}

void Tree::set_data(Node& node, const wire::Buffer& data) {
  data_size_ -= node.data.size();
  node.data = data.value_or("");
  node.data_is_null = !data;
  data_size_ += node.data.size();
}

const Tree::Nodes* Tree::ephemerals(wire::SessionId session) const {
  const auto found = ephemerals_.find(session);
  return found == ephemerals_.end() ? nullptr : &found->second;
}

std::size_t Tree::ephemeral_bytes(wire::SessionId session) const {
  const auto found = ephemeral_bytes_.find(session);
  return found == ephemeral_bytes_.end() ? 0 : found->second;
}

Node* Tree::next() {
  if (cursor_ == nullptr) return nullptr;
  return std::exchange(cursor_, cursor_->newer);
}

Node* Tree::add(Node& parent, std::string_view name) {
  auto node = std::make_unique<Node>();
  Node* added = node.get();
  node->name = name;
  node->parent = &parent;
  attach(std::move(node), newest_);
  return added;
}

// Into its parent's children, and into the list.
void Tree::attach(std::unique_ptr<Node> node, Node* after) {
  Node* self = node.get();
  self->older = after;
  self->newer = after->newer;
  (self->newer != nullptr ? self->newer->older : newest_) = self;
  after->newer = self;
  if (!self->parent->children) self->parent->children = std::make_unique<Children>(key_);
  self->parent->children->insert(std::move(node));
  enter(*self);
}

std::unique_ptr<Node> Tree::detach(Node& node) {
  leave(node);
  if (cursor_ == &node) cursor_ = node.newer;
  // The root is never detached, so there is always one before.
  node.older->newer = node.newer;
  (node.newer != nullptr ? node.newer->older : newest_) = node.older;
  auto& children = *node.parent->children;
  auto taken = children.extract(node.name);
  // Most directories of locks are empty most of the time.
  if (children.empty()) node.parent->children.reset();
  return taken;
}

// Only a log that catches up with a snapshot finds children below what is removed.
void Tree::remove_below(Node& node) {
  std::vector<Node*> open{&node};
  std::vector<Node*> below;
  while (!open.empty()) {
    Node* each = open.back();
    open.pop_back();
    if (!each->children) continue;
    for (const auto& child : *each->children) {
      open.push_back(child.get());
      below.push_back(child.get());
    }
  }
  for (auto each = below.rbegin(); each != below.rend(); ++each) {
    const auto gone = detach(**each);
    acls_.release(gone->acl);
  }
}

bool Tree::is_over(const Node& node) const {
  if (node.child_count() > 0) return false;
  if (node.kind == Kind::container) return node.creations > 0;
  return node.kind == Kind::ttl && (now_ - mortals_[node.place].since) / std::chrono::milliseconds(1) > node.owner;
}

void Tree::enter(Node& node) {
  ++size_;
  for (Node* above = node.parent; above != nullptr; above = above->parent) ++above->below;
  data_size_ += path_length(node) + node.data.size();
  if (node.kind == Kind::ephemeral) {
    auto& mine = ephemerals_[node.owner];
    node.place = static_cast<std::uint32_t>(mine.size());
    mine.push_back(&node);
    ephemeral_bytes_[node.owner] += naming(node);
    ++ephemeral_count_;
  } else if (is_mortal(node)) {
    node.place = static_cast<std::uint32_t>(mortals_.size());
    mortals_.push_back({&node, now_});
  }
}

void Tree::leave(Node& node) {
  --size_;
  for (Node* above = node.parent; above != nullptr; above = above->parent) --above->below;
  data_size_ -= path_length(node) + node.data.size();
  if (node.kind == Kind::ephemeral) {
    const auto found = ephemerals_.find(node.owner);
    auto& mine = found->second;
    mine[node.place] = mine.back();
    mine[node.place]->place = node.place;
    mine.pop_back();
    ephemeral_bytes_[node.owner] -= naming(node);
    if (mine.empty()) {
      ephemeral_bytes_.erase(node.owner);
      ephemerals_.erase(found);
    }
    --ephemeral_count_;
  } else if (is_mortal(node)) {
    mortals_[node.place] = mortals_.back();
    mortals_[node.place].node->place = node.place;
    mortals_.pop_back();
  }
}

}  // namespace holdfast::engine
