#include "server/first_zxid.h"

#include <algorithm>

namespace holdfast::server {
namespace {

// Writes of one life: more than a million in every second for ten days. More only carry into the upper half of its room.
constexpr int kCounterBits = 40;
// How often 40 bits are used up before a life has no room left.
constexpr std::uint64_t kRoomOfALife = 2;
// 2020-01-01. Counted from here, tokens stay below 2^53 until 2055: JavaScript, jq and other readers of JSON keep all their digits.
constexpr std::chrono::seconds kBeginningOfTime{1'577'836'800};

// Never less than what versions without a clock began with.
wire::Zxid from_clock(std::chrono::microseconds wall_clock) {
  return std::max(wire::Zxid{1} << kCounterBits,
                  kZxidsPerMicrosecond * static_cast<wire::Zxid>((wall_clock - kBeginningOfTime).count()));
}

}  // namespace

wire::Zxid first_zxid(const store::Store* store, std::chrono::microseconds wall_clock) {
  if (store == nullptr) return from_clock(wall_clock);
  // From how often the store was opened, which is durable before any client is told anything, and not from what is in the log: a life
  // may have told zxids of which nothing is left there (writes that failed or were refused, or that went with the power).
  auto epoch = kRoomOfALife * store->epoch();
  // A log that has got further than that all the same has used up all its room.
  if (store->last_index() > 0) epoch = std::max(epoch, (store->last_index() >> kCounterBits) + kRoomOfALife);
  return static_cast<wire::Zxid>(epoch << kCounterBits);
}

}  // namespace holdfast::server
