// node.h -- one node of the tree.
//
//   Tree ──owns──> root ──Children──> Node ──Children──> Node
//                                       │ parent
//   oldest <── older ── Node ── newer ──> newest
//
// Besides the tree there is one list of all nodes in the order of their creation. A parent is always older than its children. A
// snapshot walks that list in small steps, while nodes come and go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "engine/acl.h"
#include "wire/records.h"

namespace holdfast::engine {

enum class Kind : std::uint8_t { persistent, ephemeral, container, ttl };

struct Node;

struct NodeName {
  using is_transparent = void;
  static std::string_view of(std::string_view name) { return name; }
  static std::string_view of(const std::unique_ptr<Node>& node);

  template <class T>
  std::size_t operator()(const T& value) const {
    return std::hash<std::string_view>{}(of(value));
  }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return of(a) == of(b);
  }
};
using Children = std::unordered_set<std::unique_ptr<Node>, NodeName, NodeName>;

struct Node {
  std::string name;  // the last part of its path
  Node* parent = nullptr;
  std::unique_ptr<Children> children;  // none for most
  Node* older = nullptr;
  Node* newer = nullptr;

  std::string data;
  const AclTable::Entry* acl = nullptr;  // none: everybody may do everything
  wire::Zxid czxid = 0;
  wire::Zxid mzxid = 0;
  wire::Zxid pzxid = 0;
  std::int64_t ctime = 0;
  std::int64_t mtime = 0;
  std::int64_t owner = 0;  // the session of an ephemeral; the time to live of a TTL node, in milliseconds
  std::int32_t version = 0;
  std::int32_t aversion = 0;
  // How many children were ever created here: what sequential names are made of.
  std::int32_t creations = 0;
  Kind kind = Kind::persistent;
  bool data_is_null = false;

  std::size_t child_count() const { return children ? children->size() : 0; }
  wire::Buffer buffer() const { return data_is_null ? wire::Buffer{} : wire::Buffer{data}; }
  const wire::AclList* acl_list() const { return acl == nullptr ? nullptr : &acl->list; }
  // It is to be removed: a container that was used and is empty, a TTL node that nobody changed for long enough.
  bool is_over(std::int64_t time) const;
  wire::Stat stat() const;
  std::string path() const;
};

inline std::string_view NodeName::of(const std::unique_ptr<Node>& node) { return node->name; }

}  // namespace holdfast::engine
