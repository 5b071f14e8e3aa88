// path.h -- which paths a node may have.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::engine {

// By ZooKeeper's rules (PathUtils): absolute, no empty or relative part, no control or private characters.
bool is_valid_path(std::string_view path);

// How many parts it has; 0 for the root.
std::size_t depth(std::string_view path);

// "" for "/a" and "/".
std::string_view parent_of(std::string_view path);
// "/" for "/a" and "/": the key for watches.
std::string_view parent_or_root(std::string_view path);
std::string_view name_of(std::string_view path);

// Nodes that always exist.
bool is_special(std::string_view path);

}  // namespace holdfast::engine
