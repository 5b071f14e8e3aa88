// node.h -- one node of the tree.
//
//   Tree ──owns──> root ──Children──> Node ──Children──> Node
//                                       │ parent
//   oldest <── older ── Node ── newer ──> newest
//
// In addition to the tree there is a list of all nodes in the order of their creation. A parent is always older than its children. A
// snapshot walks along that list in small steps, while nodes come and go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/acl.h"
#include "engine/children.h"
#include "wire/records.h"

namespace holdfast::engine {

enum class Kind : std::uint8_t { persistent, ephemeral, container, ttl };

struct Node {
  std::string name;  // the last part of its path
  Node* parent = nullptr;
  std::unique_ptr<Children> children;  // none for most
  Node* older = nullptr;
  Node* newer = nullptr;

  std::string data;
  const AclTable::Entry* acl = nullptr;  // none: every client may do everything
  wire::Zxid czxid = 0;
  wire::Zxid mzxid = 0;
  wire::Zxid pzxid = 0;
  std::int64_t ctime = 0;
  std::int64_t mtime = 0;
  std::int64_t owner = 0;  // the session of an ephemeral; the time to live of a TTL node, in milliseconds
  std::int32_t version = 0;
  std::int32_t aversion = 0;
  // How many children were ever created here: the number in sequential names.
  std::int32_t creations = 0;
  std::uint32_t below = 0;  // how many nodes there are below, at any depth
  std::uint32_t place = 0;  // among the ephemerals of its session, or among the mortals
  Kind kind = Kind::persistent;
  bool data_is_null = false;

  std::size_t child_count() const { return children ? children->size() : 0; }
  wire::Buffer buffer() const { return data_is_null ? wire::Buffer{} : wire::Buffer{data}; }
  const wire::AclList* acl_list() const { return acl == nullptr ? nullptr : &acl->list; }
  wire::Stat stat() const;
  std::string path() const;
};

// It may be removed without a request: a container that is empty, a TTL node whose time is over.
inline bool is_mortal(const Node& node) { return node.kind == Kind::container || node.kind == Kind::ttl; }

}  // namespace holdfast::engine
