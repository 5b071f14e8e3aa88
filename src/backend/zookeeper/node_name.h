// node_name.h -- how names are spelled as nodes: as they are, but for what ZooKeeper does not allow in a path.
//
// Its servers count in UTF-16 and refuse surrogates, and so every character beyond U+FFFF: emoji, and many of the names of people and
// places in China and Japan. Such a one is written \u{1f512}, as in Rust, Swift and JavaScript. A name in which just that stands already has
// its backslash written as \u{5c}, so that no two names are one node, and no two nodes one name (docs/adr/0018).
//
//   name                 node
//   orders/123           orders/123
//   C:\temp              C:\temp
//   <U+1F512>            \u{1f512}
//   \u{1f512}            \u{5c}u{1f512}
#pragma once

#include <string>
#include <string_view>

namespace holdfast::zookeeper {

// Of whole paths as well as of their parts. Each undoes the other.
std::string node_of_name(std::string_view name);
std::string name_of_node(std::string_view node);

}  // namespace holdfast::zookeeper
