// tree_changes.cc -- Tree: changes are made, and taken back.
#include <new>
#include <utility>

#include "base/assert.h"
#include "engine/path.h"
#include "engine/tree.h"

namespace holdfast::engine {

NodeUndo Tree::apply(const NodeCreated& change, wire::Zxid zxid, std::int64_t time) {
  const auto before = size_;
  Node* node = restore(change.path);
  if (node == nullptr || node == root_.get()) return {};
  Node* parent = node->parent;
  HOLDFAST_ASSERT(parent != nullptr && parent->children != nullptr);
  NodeUndo undo{.what = NodeUndo::What::created,
                .node = parent,
                .readers = parent->acl,
                .creations = parent->creations,
                .zxid = parent->pzxid};
  try {
    undo.name = name_of(change.path);
    set_data(*node, change.data);
    set_acl(*node, change.acl);
    set_kind(*node, change.kind, change.owner);
  } catch (const std::bad_alloc&) {
    // Only a log that catches up with a snapshot finds a node that exists already.
    if (size_ != before) erase(*node);
    throw;
  }
  HOLDFAST_ASSERT(node->child_count() == 0 || size_ == before, node->child_count());
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
  // No request can remove the root or a reserved node, but a log may contain anything.
  if (parent == nullptr || node == root_.get() || is_special(change.path)) return {};
  if (node != nullptr && node->child_count() > 0) remove_below(*node);
  NodeUndo undo{.what = NodeUndo::What::removed, .node = parent, .readers = parent->acl, .zxid = parent->pzxid};
  parent->pzxid = zxid;
  if (node == nullptr) return {};
  HOLDFAST_ASSERT(node->parent == parent);
  HOLDFAST_ASSERT(node->child_count() == 0 && node->below == 0, node->child_count(), node->below);
  undo.removed_after = node->older;
  undo.under_cursor = cursor_ == node;
  if (is_mortal(*node)) undo.since = mortals_[place_of(*node)].since;
  unlink(*node);
  if (node->kind == Kind::ephemeral) ++owned_by(node->owner).aside;
  undo.removed = parent->children->set_aside(node->name);
  return undo;
}

NodeUndo Tree::apply(const DataSet& change, wire::Zxid zxid, std::int64_t time) {
  Node* node = find(change.path);
  if (node == nullptr) return {};
  NodeUndo undo{.what = NodeUndo::What::data_set,
                .node = node,
                .readers = node->acl,
                .data = change.data.value_or(""),
                .data_is_null = !change.data,
                .version = node->version,
                .zxid = node->mzxid,
                .mtime = node->mtime};
  swap_data(*node, undo);
  node->version = change.version;
  node->mzxid = zxid;
  node->mtime = time;
  if (node->kind == Kind::ttl) undo.since = std::exchange(mortals_[place_of(*node)].since, now_);
  return undo;
}

NodeUndo Tree::apply(const AclSet& change, wire::Zxid, std::int64_t) {
  Node* node = find(change.path);
  if (node == nullptr) return {};
  NodeUndo undo{.what = NodeUndo::What::acl_set, .node = node, .version = node->aversion};
  // The undo still uses the old list.
  undo.acl = std::exchange(node->acl, change.acl.empty() ? nullptr : acls_.use(change.acl));
  node->aversion = change.version;
  return undo;
}

void Tree::take_back(NodeUndo undo) noexcept {
  Node* node = undo.node;
  HOLDFAST_ASSERT(undo.what == NodeUndo::What::nothing || node != nullptr, undo.what);
  switch (undo.what) {
    case NodeUndo::What::nothing: return;
    case NodeUndo::What::created: {
      HOLDFAST_ASSERT(node->children != nullptr, undo.name);
      Node* made = node->children->find(undo.name);
      HOLDFAST_ASSERT(made != nullptr, undo.name);
      // Nodes below it were taken back before.
      HOLDFAST_ASSERT(made->child_count() == 0, made->child_count());
      erase(*made);
      node->creations = undo.creations;
      node->pzxid = undo.zxid;
      return;
    }
    case NodeUndo::What::removed: {
      Node* back = undo.removed.get();
      HOLDFAST_ASSERT(back != nullptr && back->parent == node);
      HOLDFAST_ASSERT(node->children != nullptr, back->name);
      node->children->put_back(std::move(undo.removed));
      if (back->kind == Kind::ephemeral) come_back(back->owner);
      link(*back, undo.removed_after);
      if (undo.under_cursor) cursor_ = back;
      if (is_mortal(*back)) mortals_[place_of(*back)].since = undo.since;
      node->pzxid = undo.zxid;
      return;
    }
    case NodeUndo::What::data_set:
      swap_data(*node, undo);
      node->version = undo.version;
      node->mzxid = undo.zxid;
      node->mtime = undo.mtime;
      if (node->kind == Kind::ttl) mortals_[place_of(*node)].since = undo.since;
      return;
    case NodeUndo::What::acl_set:
      acls_.release(node->acl);
      node->acl = undo.acl;
      node->aversion = undo.version;
      return;
  }
}

void Tree::forget(NodeUndo undo) noexcept {
  if (undo.what == NodeUndo::What::acl_set) acls_.release(undo.acl);
  if (undo.what != NodeUndo::What::removed) return;
  HOLDFAST_ASSERT(undo.removed != nullptr && undo.node != nullptr);
  const auto& gone = *undo.removed;
  HOLDFAST_ASSERT(undo.node->children != nullptr, gone.name);
  acls_.release(gone.acl);
  undo.node->children->drop_aside();
  tidy(*undo.node);
  if (gone.kind == Kind::ephemeral) come_back(gone.owner);
  tidy(gone.kind, gone.owner);
}

void Tree::swap_data(Node& node, NodeUndo& undo) noexcept {
  HOLDFAST_ASSERT(data_size_ >= node.data.size(), data_size_, node.data.size());
  data_size_ -= node.data.size();
  std::swap(node.data, undo.data);
  std::swap(node.data_is_null, undo.data_is_null);
  data_size_ += node.data.size();
}

}  // namespace holdfast::engine
