// fair_queue.h -- work that waits, and whose turn it is: by what it is likely to cost, by address, by connection.
//
//   work of about     addresses         lines: the order of one connection is kept
//   16 us             10.0.0.1          exists  exists
//                     10.0.0.2          exists
//   64 us
//   ...
//   64 ms             10.0.0.1          getChildren ...
//                                       getChildren ...    and five hundred more
//
// Each column takes turns by the time used (turns.h). So clients that ask for much share with their likes, however many they are, and
// the one that asks for little waits for the request that is under way, and for others that ask for little. Of two magnitudes that
// have had the same time the smaller one is first: what is large waits until the small has had as much time as the large one needs. So
// nothing waits for ever: each magnitude has its share, and in it each address, and of that each connection.
//
// A line stands where its first work belongs. What it has had elsewhere does not count there.
//
// Thread safety: none; everything happens in the loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "server/turns.h"
#include "server/work.h"

namespace holdfast::server {

struct Address;

// Whose line it is: a connection's, that of a session that ends, the service's own.
struct LineId {
  enum class Kind : std::uint8_t { service, connection, session };
  Kind kind = Kind::service;
  std::uint64_t id = 0;
  const Address* address = nullptr;  // none: a client in this process. Never looked into.
  friend bool operator==(const LineId&, const LineId&) = default;
};

class FairQueue {
 public:
  using Cost = Turns::Cost;
  // Why a line waits although it has work. It goes on when there is no reason left.
  enum class Hold : std::uint8_t {
    unsent = 1,      // the client does not read its answers
    unfinished = 2,  // a piece of its first work is under way
    room = 4,        // there is no memory for what it asks for yet
  };

  FairQueue();
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // Throws std::bad_alloc, and nothing has changed, but that the work is gone. So does push_first().
  void push(const LineId& client, std::unique_ptr<Work> work);
  // It goes on with this: before all else of that client.
  void push_first(const LineId& client, std::unique_ptr<Work> work, Cost expected);

  bool any_ready() const { return magnitudes_.any_ready(); }
  // Whose turn it is. There is one: see any_ready().
  const LineId& next() const { return next_line().client; }
  // Its work, what that is likely to cost, and whether expect() has said so.
  Work& next_work() const { return *next_line().work.front().work; }
  Cost expected() const { return next_line().work.front().expected; }
  bool is_weighed() const { return next_line().work.front().weighed; }
  // The next one's work has been weighed. False: it is of a larger magnitude than it seemed, and now waits among its likes.
  bool expect(Cost cost);
  // charge() its client for it before the next is taken.
  std::unique_ptr<Work> take();
  // Work of that client which was expected to take `expected` took so much time; a second time if more comes of it.
  void charge(const LineId& client, Cost cost, Cost expected = Cost{0}) noexcept;
  // All of them, also those that are on hold: no turns any more.
  std::vector<std::unique_ptr<Work>> take_all();

  void hold(const LineId& client, Hold why);
  void release(const LineId& client, Hold why);
  // It has work, and does not wait for its client to read.
  bool waits_for_its_turn(const LineId& client) const;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // That are remembered: those with work, and those that have had more than others.
  std::size_t lines() const { return lines_.size(); }
  std::size_t groups() const;

 private:
  // Each magnitude is four times the one before.
  static constexpr std::size_t kMagnitudes = 8;
  static constexpr Cost kSmallest = std::chrono::microseconds(16);

  // The clients of one address, and the service by itself.
  using GroupId = std::pair<bool, const Address*>;
  struct Magnitude;
  struct Group : Turns::Member {
    Magnitude* magnitude = nullptr;
    GroupId id{};
    std::size_t size = 0;  // lines
    Turns turns;
  };
  struct Magnitude : Turns::Member {
    std::map<GroupId, Group> groups;
    Turns turns;
  };
  struct Waiting {
    std::unique_ptr<Work> work;
    Cost expected{0};
    bool weighed = false;
  };
  struct Line : Turns::Member {
    LineId client;
    Group* group = nullptr;  // never none, once it has been made
    std::deque<Waiting> work;
    std::uint8_t holds = 0;
  };
  struct Hash {
    std::size_t operator()(const LineId& client) const {
      return std::hash<std::uint64_t>{}(client.id << 2 | static_cast<std::uint64_t>(client.kind));
    }
  };

  static std::size_t magnitude_of(Cost cost);
  static GroupId group_of(const LineId& client) { return {client.kind == LineId::Kind::connection, client.address}; }
  Line& next_line() const;
  // A new one stands where work of that cost belongs.
  Line& line_of(const LineId& client, Cost expected);
  Group& group_at(std::size_t magnitude, const LineId& client);
  void enter(Line& line, Group& group) noexcept;
  // Where it belongs by what it has to do; if there is no memory for that, where it is.
  void put(Line& line) noexcept;
  void put(Group& group) noexcept;
  void forget_idle(Group& group) noexcept;
  void charge(Line& line, Group& group, Cost cost) noexcept;
  template <class Add>
  Line& add(const LineId& client, Cost expected, Add add);

  std::array<Magnitude, kMagnitudes> all_;
  Turns magnitudes_;
  std::unordered_map<LineId, Line, Hash> lines_;
  std::size_t size_ = 0;
};

}  // namespace holdfast::server
