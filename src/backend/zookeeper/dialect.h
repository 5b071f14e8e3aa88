// dialect.h -- how tickets are spelled as ZooKeeper nodes: Curator's way, and who else may be met in a queue.
//
//   recipe               node                                        asks for
//   Curator, and ours    _c_<uuid>-lock-<seq>                        exclusive   (our uuids are of version 8, Curator's of 4)
//   Curator read/write   _c_<uuid>-__READ__<seq>, ...-__WRIT__<seq>  shared, write
//   Curator semaphore    _c_<uuid>-lease-<seq>                       permit
//   go-zookeeper         _c_<32 hex>-lock-<seq>                      exclusive
//   kazoo                <32 hex>__lock__<seq>, ...__rlock__<seq>    exclusive, shared
//   ZooKeeper's recipe   x-<session>-<seq>                           exclusive
//
// All of them number from the same counter, that of the parent node, so one order holds for all. But each waits only for nodes
// of its own kind: a Curator mutex does not wait for Curator's read/write lock, nor for kazoo, and so on. Ours wait for all: a
// queue with several kinds that only we have made is a queue like any other, one in which others do not wait for us is reported.
//
// A writer that goes on as a reader puts a reader with its own number beside its node, not a sequential one (Curator 5.5).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/spi/queue_backend.h"

namespace holdfast::zookeeper {

// The name to create; the server appends the sequence.
std::string node_prefix(const std::string& uid, spi::Mode mode);
// The name to create, whole: that of a reader with the number of `ticket`.
std::string node_in_place_of(const std::string& uid, std::string_view ticket);
// Whether this node was made with that uid.
bool has_uid(std::string_view node, std::string_view uid);

// Nothing if it is no ticket of any recipe we know.
std::optional<spi::Ticket> parse_node(std::string_view node);

// Whose it is, for people: "Curator", "kazoo", ...; empty if it is no ticket. `text` is what it holds.
std::string recipe_of(std::string_view node, std::string_view text);
// Whether clients of its recipe wait for nodes of that recipe alone.
bool waits_apart(std::string_view node);

// The sequence is a signed 32-bit counter that sticks or goes negative at its end, and then two clients can both believe to be first.
// Tickets this close to the end are given back instead; the rest of the range leaves room for those that other clients still make.
// (The counter starts anew when the empty queue is removed.)
inline constexpr std::int64_t kLastSequence = 2'147'000'000;
constexpr bool near_overflow(std::int64_t sequence) { return sequence < 0 || sequence > kLastSequence; }

// A mark of the lock delay has the uid of its ticket. It sorts after every ticket, for Curator too, and holds none of the words by
// which tickets are known.
std::string mark_of(std::string_view ticket);

struct Children {
  spi::Listing tickets;                      // in queue order; then those that are none
  std::vector<std::string> abandoned_marks;  // whose tickets are not there
  // A node whose maker does not wait for the others here, and one that is no ticket at all; empty if there is none.
  std::string foreign;
  std::string stray;
};

Children sort_children(const std::vector<std::string>& nodes);

}  // namespace holdfast::zookeeper
