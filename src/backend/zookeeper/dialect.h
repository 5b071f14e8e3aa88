// dialect.h -- how tickets are spelled as ZooKeeper nodes: Curator's way, and who else may be met in a queue.
//
//   recipe               node                                        asks for
//   Curator, and ours    _c_<uuid>-lock-<seq>                        exclusive
//   Curator read/write   _c_<uuid>-__READ__<seq>, ...-__WRIT__<seq>  shared, exclusive
//   go-zookeeper         _c_<32 hex>-lock-<seq>                      exclusive
//   kazoo                <32 hex>__lock__<seq>, ...__rlock__<seq>    exclusive, shared
//   ZooKeeper's recipe   x-<session>-<seq>                           exclusive
//
// All of them number from the same counter, that of the parent node, so one order holds for all. But a `lock-` node is waited
// for only by those who make such nodes themselves: not by Curator's own read/write lock, nor by kazoo or ZooKeeper's recipe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::zookeeper {

// The name to create; the server appends the sequence.
std::string node_prefix(const std::string& uid, bool shared);
// Whether this node was made with that uid.
bool has_uid(std::string_view node, std::string_view uid);

// Nothing if it is no ticket of any recipe we know.
std::optional<spi::Ticket> parse_node(std::string_view node);

struct Children {
  spi::Listing tickets;  // in queue order
  // A node whose maker does not wait for our tickets, and one that is no ticket at all; empty if there is none.
  std::string foreign;
  std::string stray;
};

Children sort_children(const std::vector<std::string>& nodes);

}  // namespace holdfast::zookeeper
