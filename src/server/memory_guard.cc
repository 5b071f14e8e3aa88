#include "server/memory_guard.h"

#include <utility>

namespace holdfast::server {
namespace {

// Of the reserve: if all clients together use less than this, it is nodes that have used the memory up.
constexpr std::size_t kClientsShare = 4;

}  // namespace

// Nodes may have used it up as well as clients: then disconnecting clients gains nothing, and writes are refused until nodes are removed.
// Clients go if they use more than their share, and whatever they use before the reserve ends.
base::MemoryLeft MemoryGuard::left() {
  const auto left = base::memory_left();
  if (left == base::MemoryLeft::enough || relieving_) return left;
  const auto missing = base::missing_memory();
  const auto share = base::memory_reserve_size() / kClientsShare;
  if (quotas_.memory->used() > share) {
    // A little more than is missing, so that the next frame does not bring it about again.
    quotas_.memory->relieve(quotas_.addresses, missing.to_enough + share);
  } else if (left == base::MemoryLeft::least) {
    quotas_.memory->relieve(quotas_.addresses, missing.to_little);
  } else {
    return left;
  }
  // What they used is freed in the turns that have come to the loop by now.
  relieving_ = true;
  loop_.post(alive_.guard([this] {
    relieving_ = false;
    for (const auto id : std::exchange(waiting_, {})) {
      if (const auto connection = connections_.find(id)) flow_.has_room(*connection);
    }
  }));
  return base::memory_left();
}

bool MemoryGuard::wait_for_room(ClientConnection& connection) {
  if (!relieving_ || !connection.peer) return false;
  waiting_.push_back(connection.id);
  flow_.wait_for_room(connection);
  return true;
}

}  // namespace holdfast::server
