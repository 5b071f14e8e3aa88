// tree.h -- all nodes, and how a change changes them.
//
// apply() may run out of memory: then it throws std::bad_alloc, and nothing has changed. take_back() and forget() do not allocate, so that
// every change can end either way: a table that a removal has emptied stays until one of the two is called.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/acl.h"
#include "engine/change.h"
#include "engine/moment.h"
#include "engine/node.h"

namespace holdfast::engine {

// What a change has replaced, so that it can be taken back.
struct NodeUndo {
  enum class What { nothing, created, removed, data_set, acl_set } what = What::nothing;
  Node* node = nullptr;  // the changed node; for a removal and a creation, the parent
  // That node's list when it happened. What replaces it later is taken back or settled later, and keeps it until then.
  const AclTable::Entry* readers = nullptr;
  const AclTable::Entry* created = nullptr;  // as `readers`, of the node that was created
  std::unique_ptr<Node> removed{};
  Node* removed_after = nullptr;  // its place in the list of all nodes
  bool under_cursor = false;      // the walk was about to visit it
  std::string name{};             // what was created
  std::string data{};             // what it was
  bool data_is_null = false;
  const AclTable::Entry* acl = nullptr;
  std::int32_t version = 0;
  std::int32_t creations = 0;
  wire::Zxid zxid = 0;  // mzxid, or the parent's pzxid
  std::int64_t mtime = 0;
  Moment since{0};  // of a mortal
};

class Tree {
 public:
  using Nodes = std::vector<Node*>;
  // What a session has created.
  struct Owned {
    Nodes nodes{};
    std::size_t bytes = 0;  // to name them all in a log
    std::size_t aside = 0;  // were removed, and may be put back
  };
  // A container or a TTL node, and since when it has not changed.
  struct Mortal {
    Node* node;
    Moment since;
  };

  // `key`: of the hashes of names.
  explicit Tree(base::HashKey key = {});
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // Nothing if there is none, also for a path that is not valid. "" is the root, as in ZooKeeper.
  Node* find(std::string_view path) { return find_from(root_.get(), path); }
  const Node* find(std::string_view path) const { return find_from(root_.get(), path); }

  // Sets the present time, at which changes happen from now on. It must not jump; mtime comes from the wall clock, which may.
  void advance(Moment now) noexcept;

  // A change that was applied before, or that finds a later state of the tree (see change.h), is applied as far as it makes sense.
  NodeUndo apply(const NodeCreated& change, wire::Zxid zxid, std::int64_t time);
  NodeUndo apply(const NodeRemoved& change, wire::Zxid zxid, std::int64_t time);
  NodeUndo apply(const DataSet& change, wire::Zxid zxid, std::int64_t time);
  NodeUndo apply(const AclSet& change, wire::Zxid zxid, std::int64_t time);
  // The last one first.
  void take_back(NodeUndo undo) noexcept;
  // The change is final. Every undo ends in one of these two.
  void forget(NodeUndo undo) noexcept;

  // The node of that path, which is created if need be, for a snapshot to fill in. Nothing if it has no parent, or the path is not valid.
  Node* restore(std::string_view path);
  void set_acl(Node& node, const wire::AclList& list);
  void set_kind(Node& node, Kind kind, std::int64_t owner);
  void set_data(Node& node, const wire::Buffer& data);

  // The ephemerals of a session, in no order; nothing if it has none.
  const Nodes* ephemerals(wire::SessionId session) const;
  const std::unordered_map<wire::SessionId, Owned>& ephemerals() const { return ephemerals_; }
  // How many bytes their names take in a log.
  std::size_t ephemeral_bytes(wire::SessionId session) const;
  // Containers and TTL nodes, in no order.
  const std::vector<Mortal>& mortals() const { return mortals_; }
  // Whether its time is over: a container that was used and is empty, a TTL node that no client has changed for its time.
  bool is_over(const Node& node) const;

  std::size_t size() const { return size_; }
  std::size_t ephemeral_count() const { return ephemeral_count_; }
  // Paths and data, as ZooKeeper counts them.
  std::size_t data_size() const { return data_size_; }
  // How many different lists there are, those of undos included.
  std::size_t acl_count() const { return acls_.size(); }

  // Walks over all nodes, the oldest first, in any number of steps; nodes may come and go between two steps. One walk at
  // a time.
  void begin_walk() { cursor_ = oldest_; }
  Node* next();

 private:
  static Node* find_from(Node* node, std::string_view path);
  Node* add(Node& parent, std::string_view name);
  // Room for one more child of `parent`, and for one more ephemeral or mortal. These throw std::bad_alloc, and then nothing has changed;
  // the members below do not allocate.
  void make_room(Node& parent);
  void make_room(Kind kind, std::int64_t owner);
  // Frees an empty table, unless a child may be put back into it.
  void tidy(Node& parent) noexcept;
  void tidy(Kind kind, std::int64_t owner) noexcept;
  // Takes the node out of all tables except its parent's, and puts it into them.
  void unlink(Node& node) noexcept;
  void link(Node& node, Node* after) noexcept;
  // Exchanges the data of the node and of the undo.
  void swap_data(Node& node, NodeUndo& undo) noexcept;
  // For good.
  void erase(Node& node) noexcept;
  void remove_below(Node& node);
  void enter(Node& node) noexcept;
  void leave(Node& node) noexcept;
  // The nodes of that session, and the index of that node in mortals_; both must exist.
  Owned& owned_by(std::int64_t session) noexcept;
  std::size_t place_of(const Node& mortal) const noexcept;
  // One node of that session is not set aside any more.
  void come_back(std::int64_t session) noexcept;

  const base::HashKey key_;
  Moment now_{0};
  AclTable acls_;
  std::unique_ptr<Node> root_;
  Node* oldest_ = nullptr;
  Node* newest_ = nullptr;
  Node* cursor_ = nullptr;
  std::unordered_map<wire::SessionId, Owned> ephemerals_;
  std::vector<Mortal> mortals_;
  std::size_t size_ = 0;
  std::size_t ephemeral_count_ = 0;
  std::size_t data_size_ = 0;
};

}  // namespace holdfast::engine
