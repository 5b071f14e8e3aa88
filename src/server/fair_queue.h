// fair_queue.h -- work that waits: a line for each client, and whose turn it is.
//
// Start-time fair queueing (Goyal, Vin, Cheng 1996), with measured time as the cost. Every line has a start: how much of the service's
// time it has had. The line with the least goes first, and what it costs is added to it. Who was away begins at what the others
// have had by now, so nobody saves time up:
//
//   client           start   its work
//   heartbeat        7.00    exists                          comes, and is next: everybody else has had more
//   pipeline         7.01    getChildren  getChildren ...    each costs 0.1
//   one more         7.02    getChildren  getChildren ...
//
// So however many clients ask for however much, one that asks for little waits for the request that is under way, and for others
// that ask for little. Within a line the order is kept.
//
// Thread safety: none; everything happens in the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/moment.h"
#include "server/work.h"

namespace holdfast::server {

// Whose line it is: a connection's, that of a session that ends, the service's own.
struct LineId {
  enum class Kind : std::uint8_t { service, connection, session };
  Kind kind = Kind::service;
  std::uint64_t id = 0;
  friend bool operator==(const LineId&, const LineId&) = default;
};

class FairQueue {
 public:
  using Cost = engine::Moment;
  // Why a line waits although it has work. It goes on when there is no reason left.
  enum class Hold : std::uint8_t {
    unsent = 1,      // the client does not read its answers
    unfinished = 2,  // a piece of its first work is under way
  };

  void push(const LineId& client, std::unique_ptr<Work> work);
  // It goes on with this: before all else of that client.
  void push_first(const LineId& client, std::unique_ptr<Work> work);

  // Whose turn it is. There is one: see any_ready().
  const LineId& next() const { return (*ready_.begin()).line->client; }
  // What the next one's work is likely to cost: as much as what it asked for before.
  Cost expected() const { return (*ready_.begin()).line->expected; }
  bool any_ready() const { return !ready_.empty(); }
  // charge() its client for it before the next is taken.
  std::unique_ptr<Work> take();
  // Work of that client took so much time; a second time if more comes of it.
  void charge(const LineId& client, Cost cost);
  // All of them, whoever holds them: no turns any more.
  std::vector<std::unique_ptr<Work>> take_all();

  void hold(const LineId& client, Hold why);
  void release(const LineId& client, Hold why);
  // It has work that waits for its turn, and for nothing else.
  bool waits_for_its_turn(const LineId& client) const;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // That are remembered: those with work, and those that have had more than others.
  std::size_t lines() const { return lines_.size(); }

 private:
  struct Line {
    LineId client;
    std::deque<std::unique_ptr<Work>> work{};
    Cost start{0};
    Cost expected{0};
    std::uint8_t holds = 0;
    std::uint64_t turn = 0;  // among those that are alike
  };
  // Of those with the same start the one first that is likely to ask for least.
  struct Place {
    Cost start;
    Cost expected;
    std::uint64_t turn;
    Line* line;
    bool operator<(const Place& other) const {
      return std::tie(start, expected, turn) < std::tie(other.start, other.expected, other.turn);
    }
  };
  struct Hash {
    std::size_t operator()(const LineId& client) const {
      return std::hash<std::uint64_t>{}(client.id << 2 | static_cast<std::uint64_t>(client.kind));
    }
  };

  Line& line_of(const LineId& client);
  static Place place_of(Line& line) { return {line.start, line.expected, line.turn, &line}; }
  static bool is_ready(const Line& line) { return !line.work.empty() && line.holds == 0; }
  // Before and after a change of what a place depends on.
  void leave(Line& line);
  void enter(Line& line);
  void forget_idle();

  std::unordered_map<LineId, Line, Hash> lines_;
  std::set<Place> ready_;
  std::set<Place> idle_;  // without work, but not forgotten: they have had more than the others
  Cost now_{0};           // the start of the last one that had its turn
  std::uint64_t last_turn_ = 0;
  std::size_t size_ = 0;
};

}  // namespace holdfast::server
