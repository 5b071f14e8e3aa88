#include "engine/tree.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "engine/path.h"

namespace holdfast::engine {

namespace {

std::size_t path_length(const Node& node) {
  std::size_t length = node.parent == nullptr ? 1 : 0;
  for (const Node* each = &node; each->parent != nullptr; each = each->parent) length += each->name.size() + 1;
  return length;
}

// The length of a change in a log: its tag and the node's path.
std::size_t naming(const Node& node) { return 2 * sizeof(std::int32_t) + path_length(node); }

}  // namespace

wire::Stat Node::stat() const {
  const auto count = static_cast<std::int32_t>(child_count());
  return {.czxid = czxid,
          .mzxid = mzxid,
          .ctime = ctime,
          .mtime = mtime,
          .version = version,
          // Every creation and every removal counts. Removals are the creations whose nodes are gone.
          .cversion = static_cast<std::int32_t>(2 * static_cast<std::int64_t>(creations) - count),
          .aversion = aversion,
          // Containers and TTL nodes have an owner inside ZooKeeper too, but clients do not see it.
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
  // They exist from the start: no zxid, no time, and not counted as creations. So `stat /` starts with cversion -1, as in ZooKeeper.
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

Node* Tree::restore(std::string_view path) {
  if (Node* there = find(path)) return there;
  // A node whose path is not valid would not be found again, and would be added twice.
  if (!is_valid_path(path)) return nullptr;
  Node* parent = find(parent_of(path));
  return parent == nullptr ? nullptr : add(*parent, name_of(path));
}

void Tree::set_acl(Node& node, const wire::AclList& list) {
  const auto* old = std::exchange(node.acl, list.empty() ? nullptr : acls_.use(list));
  acls_.release(old);
}

void Tree::set_kind(Node& node, Kind kind, std::int64_t owner) {
  make_room(kind, owner);
  leave(node);
  const auto kind_before = std::exchange(node.kind, kind);
  const auto owner_before = std::exchange(node.owner, owner);
  enter(node);
  tidy(kind_before, owner_before);
}

void Tree::set_data(Node& node, const wire::Buffer& data) {
  auto copy = data.value_or("");
  HOLDFAST_ASSERT(data_size_ >= node.data.size(), data_size_, node.data.size());
  data_size_ -= node.data.size();
  node.data = std::move(copy);
  node.data_is_null = !data;
  data_size_ += node.data.size();
}

const Tree::Nodes* Tree::ephemerals(wire::SessionId session) const {
  const auto found = ephemerals_.find(session);
  return found == ephemerals_.end() || found->second.nodes.empty() ? nullptr : &found->second.nodes;
}

std::size_t Tree::ephemeral_bytes(wire::SessionId session) const {
  const auto found = ephemerals_.find(session);
  return found == ephemerals_.end() ? 0 : found->second.bytes;
}

Node* Tree::next() {
  if (cursor_ == nullptr) return nullptr;
  return std::exchange(cursor_, cursor_->newer);
}

void Tree::advance(Moment now) noexcept { now_ = now; }

Tree::Owned& Tree::owned_by(std::int64_t session) noexcept {
  const auto found = ephemerals_.find(session);
  HOLDFAST_ASSERT(found != ephemerals_.end(), session);
  return found->second;
}

void Tree::come_back(std::int64_t session) noexcept {
  auto& mine = owned_by(session);
  HOLDFAST_ASSERT(mine.aside > 0, session);
  --mine.aside;
}

std::size_t Tree::place_of(const Node& mortal) const noexcept {
  HOLDFAST_ASSERT(mortal.place < mortals_.size() && mortals_[mortal.place].node == &mortal, mortal.place,
                  mortals_.size());
  return mortal.place;
}

Node* Tree::add(Node& parent, std::string_view name) {
  HOLDFAST_ASSERT(!name.empty() && name.find('/') == std::string_view::npos, name);
  auto node = std::make_unique<Node>();
  Node* added = node.get();
  node->name = name;
  node->parent = &parent;
  make_room(parent);
  parent.children->insert(std::move(node));
  link(*added, newest_);
  return added;
}

void Tree::make_room(Node& parent) {
  if (!parent.children) {
    auto children = std::make_unique<Children>(key_);
    children->make_room();
    parent.children = std::move(children);
  } else {
    parent.children->make_room();
  }
}

void Tree::make_room(Kind kind, std::int64_t owner) {
  const auto grow = [](auto& row) {
    if (row.size() == row.capacity()) row.reserve(std::max<std::size_t>(1, 2 * row.capacity()));
  };
  if (kind == Kind::container || kind == Kind::ttl) return grow(mortals_);
  if (kind != Kind::ephemeral) return;
  auto& mine = ephemerals_[owner];
  try {
    grow(mine.nodes);
  } catch (const std::bad_alloc&) {
    tidy(kind, owner);
    throw;
  }
}

// Most directories of locks are empty most of the time.
void Tree::tidy(Node& parent) noexcept {
  if (!parent.children) return;
  parent.children->tidy();
  if (parent.children->unused()) parent.children.reset();
}

void Tree::tidy(Kind kind, std::int64_t owner) noexcept {
  if (kind != Kind::ephemeral) return;
  const auto found = ephemerals_.find(owner);
  if (found != ephemerals_.end() && found->second.nodes.empty() && found->second.aside == 0) ephemerals_.erase(found);
}

void Tree::link(Node& node, Node* after) noexcept {
  // The root is older than all.
  HOLDFAST_ASSERT(after != nullptr && &node != root_.get(), node.name);
  HOLDFAST_ASSERT(after->newer == nullptr ? newest_ == after : after->newer->older == after, node.name);
  node.older = after;
  node.newer = after->newer;
  (node.newer != nullptr ? node.newer->older : newest_) = &node;
  after->newer = &node;
  enter(node);
}

void Tree::unlink(Node& node) noexcept {
  leave(node);
  if (cursor_ == &node) cursor_ = node.newer;
  // The root never goes, so there is always one before.
  HOLDFAST_ASSERT(node.older != nullptr && node.older->newer == &node, node.name);
  HOLDFAST_ASSERT(node.newer != nullptr ? node.newer->older == &node : newest_ == &node, node.name);
  node.older->newer = node.newer;
  (node.newer != nullptr ? node.newer->older : newest_) = node.older;
}

void Tree::erase(Node& node) noexcept {
  HOLDFAST_ASSERT(node.parent != nullptr && node.parent->children != nullptr, node.name);
  Node& parent = *node.parent;
  unlink(node);
  const auto gone = parent.children->extract(node.name);
  acls_.release(gone->acl);
  tidy(parent);
  tidy(gone->kind, gone->owner);
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
  for (auto each = below.rbegin(); each != below.rend(); ++each) erase(**each);
}

bool Tree::is_over(const Node& node) const {
  if (node.child_count() > 0) return false;
  if (node.kind == Kind::container) return node.creations > 0;
  return node.kind == Kind::ttl && (now_ - mortals_[place_of(node)].since) / std::chrono::milliseconds(1) > node.owner;
}

void Tree::enter(Node& node) noexcept {
  ++size_;
  for (Node* above = node.parent; above != nullptr; above = above->parent) ++above->below;
  data_size_ += path_length(node) + node.data.size();
  // make_room() was called, or the node was here before.
  if (node.kind == Kind::ephemeral) {
    auto& mine = owned_by(node.owner);
    HOLDFAST_ASSERT(mine.nodes.size() < mine.nodes.capacity(), mine.nodes.size(), node.owner);
    node.place = static_cast<std::uint32_t>(mine.nodes.size());
    mine.nodes.push_back(&node);
    mine.bytes += naming(node);
    ++ephemeral_count_;
  } else if (is_mortal(node)) {
    HOLDFAST_ASSERT(mortals_.size() < mortals_.capacity(), mortals_.size());
    node.place = static_cast<std::uint32_t>(mortals_.size());
    mortals_.push_back({&node, now_});
  }
}

void Tree::leave(Node& node) noexcept {
  HOLDFAST_ASSERT(size_ > 0, node.name);
  --size_;
  for (Node* above = node.parent; above != nullptr; above = above->parent) {
    HOLDFAST_ASSERT(above->below > 0, above->name);
    --above->below;
  }
  const auto counted = path_length(node) + node.data.size();
  HOLDFAST_ASSERT(data_size_ >= counted, data_size_, counted);
  data_size_ -= counted;
  if (node.kind == Kind::ephemeral) {
    auto& mine = owned_by(node.owner);
    HOLDFAST_ASSERT(node.place < mine.nodes.size() && mine.nodes[node.place] == &node, node.place, mine.nodes.size());
    HOLDFAST_ASSERT(mine.bytes >= naming(node), mine.bytes);
    HOLDFAST_ASSERT(ephemeral_count_ > 0, node.owner);
    mine.nodes[node.place] = mine.nodes.back();
    mine.nodes[node.place]->place = node.place;
    mine.nodes.pop_back();
    mine.bytes -= naming(node);
    --ephemeral_count_;
  } else if (is_mortal(node)) {
    mortals_[place_of(node)] = mortals_.back();
    mortals_[node.place].node->place = node.place;
    mortals_.pop_back();
  }
}

}  // namespace holdfast::engine
