// turns.h -- whose turn it is among the members of one group, by the time that each has had.
//
// Start-time fair queueing (Goyal, Vin, Cheng 1996). Every member has a start: how much of the group's time it has had. The one with the
// least goes first, and what it costs is added to its start. A member that was away begins at what the others have had by
// now, so that time cannot be saved up:
//
//   member           start
//   heartbeat        7.00     comes, and is next: all others have had more
//   pipeline         7.01     each request costs 0.1
//   one more         7.02
//
// A handicap is added to the start wherever starts are compared: of those that have had the same, the one that is likely to ask for
// least goes first.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "engine/moment.h"

namespace holdfast::server {

class Turns {
 public:
  using Cost = engine::Moment;
  enum class State : std::uint8_t {
    away,   // not in the sets: new, held, or kept for another reason
    ready,  // has something to do
    idle,   // has nothing to do, and may have had more than the others
  };
  // What takes turns derives from this. It leaves before it is destroyed.
  struct Member {
    Cost start{0};
    Cost handicap{0};
    std::uint64_t turn = 0;  // among those that are alike
    State state = State::away;
  };

  bool any_ready() const { return !ready_.empty(); }
  // There is one: see any_ready().
  Member& next() const { return **ready_.begin(); }
  // Its turn begins: a member that comes from now on has had as much as this one.
  void begin(const Member& member) { now_ = std::max(now_, member.start); }
  void put(Member& member, State state) {
    if (member.state == state) return;
    auto place = extract(member);
    if (state == State::ready) member.start = std::max(member.start, now_);
    member.state = state;
    insert(member, std::move(place));
  }
  // It has cost so much, and counts with that handicap from now on.
  void charge(Member& member, Cost cost, Cost handicap) {
    auto place = extract(member);
    member.start += cost;
    member.handicap = handicap;
    insert(member, std::move(place));
  }
  // Idle, and not to be remembered: it has had no more than the others, or there is no other that waits. None: nullptr.
  Member* forgettable() const {
    if (idle_.empty() || (any_ready() && (*idle_.begin())->start > now_)) return nullptr;
    return *idle_.begin();
  }

 private:
  struct Before {
    bool operator()(const Member* a, const Member* b) const {
      return std::pair(a->start + a->handicap, a->turn) < std::pair(b->start + b->handicap, b->turn);
    }
  };
  using Members = std::set<Member*, Before>;

  void insert(Member& member, Members::node_type place) {
    member.turn = ++last_turn_;
    if (member.state == State::away) return;
    auto& members = member.state == State::ready ? ready_ : idle_;
    if (place) {
      members.insert(std::move(place));
    } else {
      members.insert(&member);
    }
  }
  Members::node_type extract(Member& member) {
    if (member.state == State::away) return {};
    return (member.state == State::ready ? ready_ : idle_).extract(&member);
  }

  Members ready_;
  Members idle_;
  Cost now_{0};  // the start of the last one that had its turn
  std::uint64_t last_turn_ = 0;
};

}  // namespace holdfast::server
