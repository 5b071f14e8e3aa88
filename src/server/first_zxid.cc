#include "server/first_zxid.h"

#include <algorithm>

namespace holdfast::server {
namespace {

// Writes of one life: more than a million in every second for ten days. More only carry into the upper half of its room.
constexpr int kCounterBits = 40;
// How often 40 bits are used up before a life has no room left.
constexpr std::uint64_t kRoomOfALife = 2;

}  // namespace

wire::Zxid first_zxid(const store::Store* store) {
  if (store == nullptr) return wire::Zxid{1} << kCounterBits;
  // From how often the store was opened, which is durable before anybody is told anything, and not from what is in the log: a life
  // may have told zxids of which nothing is left there (writes that failed or were refused, or that went with the power).
  auto epoch = kRoomOfALife * store->epoch();
  // A log that has got further than that all the same has used up all its room.
  if (store->last_index() > 0) epoch = std::max(epoch, (store->last_index() >> kCounterBits) + kRoomOfALife);
  return static_cast<wire::Zxid>(epoch << kCounterBits);
}

}  // namespace holdfast::server
