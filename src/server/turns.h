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
// A new member takes memory, its turns do not.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "base/assert.h"
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
  struct Member;

 private:
  struct Before {
    bool operator()(const Member* a, const Member* b) const;
  };
  using Members = std::set<Member*, Before>;

 public:
  // What takes turns derives from this. It leaves before it is destroyed.
  struct Member {
    Member() : place(place_of(this)) {}
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    Cost start{0};
    Cost handicap{0};
    std::uint64_t turn = 0;  // among those that are alike
    State state = State::away;
    // In the sets, kept while it is away: only a new member takes memory.
    Members::node_type place;
  };

  bool any_ready() const { return !ready_.empty(); }
  // There is one: see any_ready().
  Member& next() const {
    HOLDFAST_ASSERT(any_ready());
    return **ready_.begin();
  }
  // Its turn begins: a member that comes from now on has had as much as this one.
  void begin(const Member& member) { now_ = std::max(now_, member.start); }
  void put(Member& member, State state) noexcept {
    if (member.state == state) return;
    extract(member);
    if (state == State::ready) member.start = std::max(member.start, now_);
    member.state = state;
    insert(member);
  }
  // It has cost so much, and counts with that handicap from now on.
  void charge(Member& member, Cost cost, Cost handicap) noexcept {
    HOLDFAST_ASSERT(cost >= Cost{0} && handicap >= Cost{0}, cost, handicap);
    extract(member);
    member.start += cost;
    member.handicap = handicap;
    insert(member);
  }
  // Idle, and not to be remembered: it has had no more than the others, or there is no other that waits. None: nullptr.
  Member* forgettable() const {
    if (idle_.empty() || (any_ready() && (*idle_.begin())->start > now_)) return nullptr;
    return *idle_.begin();
  }

 private:
  static Members::node_type place_of(Member* member) {
    Members one{member};
    return one.extract(one.begin());
  }
  void insert(Member& member) noexcept {
    member.turn = ++last_turn_;
    if (member.state == State::away) return;
    HOLDFAST_ASSERT(!member.place.empty(), member.state);
    const auto put = (member.state == State::ready ? ready_ : idle_).insert(std::move(member.place));
    HOLDFAST_ASSERT(put.inserted, member.turn);
  }
  void extract(Member& member) noexcept {
    if (member.state == State::away) return;
    member.place = (member.state == State::ready ? ready_ : idle_).extract(&member);
    HOLDFAST_ASSERT(!member.place.empty() && member.place.value() == &member, member.state, member.turn);
  }

  Members ready_;
  Members idle_;
  Cost now_{0};  // the start of the last one that had its turn
  std::uint64_t last_turn_ = 0;
};

inline bool Turns::Before::operator()(const Member* a, const Member* b) const {
  return std::pair(a->start + a->handicap, a->turn) < std::pair(b->start + b->handicap, b->turn);
}

}  // namespace holdfast::server
