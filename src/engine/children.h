// children.h -- the children of one node: a hash table over a row of pointers.
//
//   nodes_    [ a | d | c | b ]        in a row, so that a listing of a million children can prefetch them
//   hashes_   [ . | . | . | . ]        of their names, so that a growing table looks at no node
//   slots_    [ 2 |   | 0 | 3 | 1 | ]  indexes into the row: open addressing; no table while there are few children
//
// The last child takes the place of one that is removed: the order has no meaning.
//
// Only make_room() allocates, so that a removed child can always be put back: a child that is set aside keeps its room until it is put
// back or dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/siphash.h"

namespace holdfast::engine {

struct Node;

class Children {
 public:
  // `key` is that of the whole tree, which outlives this object.
  explicit Children(const base::HashKey& key) : key_(&key) {}
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  Node* find(std::string_view name) const;
  // For one more child. Throws std::bad_alloc, and then nothing has changed.
  void make_room();
  // There must be no child of that name, and room for it.
  void insert(std::unique_ptr<Node> node) noexcept;
  // There must be a child of that name.
  std::unique_ptr<Node> extract(std::string_view name) noexcept;
  // As extract(), for a child that may be put back.
  std::unique_ptr<Node> set_aside(std::string_view name) noexcept;
  void put_back(std::unique_ptr<Node> node) noexcept;
  void drop_aside() noexcept;
  // Frees memory that is not needed.
  void tidy() noexcept;

  std::size_t size() const { return nodes_.size(); }
  bool empty() const { return nodes_.empty(); }
  // No child, and none that may be put back.
  bool unused() const { return empty() && aside_ == 0; }
  // The length of all names together, so that the length of a listing is known before it is made.
  std::size_t name_bytes() const { return name_bytes_; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

 private:
  using Place = std::uint32_t;

  static constexpr Place kNone = ~Place{0};

  Place place_of(std::string_view name, std::uint32_t hash) const;
  std::size_t slot_of(Place place) const;
  static void enter(std::vector<Place>& slots, Place place, std::uint32_t hash);
  void vacate(std::size_t slot);
  // A table with that many slots, to be swapped in.
  std::vector<Place> table_of(std::size_t slots) const;
  std::size_t home(std::uint32_t hash) const { return hash & (slots_.size() - 1); }
  std::size_t behind(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  const base::HashKey* key_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::uint32_t> hashes_;
  std::vector<Place> slots_;  // a power of two, or none
  std::size_t name_bytes_ = 0;
  std::size_t aside_ = 0;
};

}  // namespace holdfast::engine
