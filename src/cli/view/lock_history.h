// lock_history.h -- what happened to the locks, out of looks at them and of what the server told in between.
//
//   before     now        event
//   -          holds      granted (holds, at the first look)
//   -          waits      queued (waits, at the first look)
//   waits      holds      granted
//   any        asked      asked: the holder was asked to give it back
//   holds      -          released: given back, or ended with its session; the service does not say which
//   waits      -          left: gave up waiting, or had its turn and was done between two looks
//   -          -          passed: came and went between two looks, as the server told; whether it held or waited is not known
//
// Times are those at which the server told of a ticket, where it did; else those of the look.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/view/describe.h"
#include "cli/view/lock_json.h"

namespace holdfast::cli {

enum class Event { holds, waits, queued, granted, asked, released, left, passed };

std::string_view to_string(Event event);

// A node that came or went, as the server told.
struct NodeSign {
  Time at;
  bool came = false;
  std::string queue;  // the name it is in
  std::string id;
};

struct Change {
  Event event;
  std::string name;
  std::string path;
  std::string kind;
  TicketInfo ticket;  // as it was seen last
  Time at{};
  std::optional<std::chrono::milliseconds> held{};  // of `released`, if its grant was seen
};

class LockHistory {
 public:
  // What has changed since the last call, in the order of time; at one time by name, and of one name first which tickets have
  // gone, then which have come, both in the queue's order. `signs`: what the server has told since, before the look at `at`.
  // A card that was overwritten by asking for the lock is put back into `locks` from what was seen before.
  std::vector<Change> see(std::vector<LockInfo>& locks, Time at, const std::vector<NodeSign>& signs = {});
  // After the last look: tickets that have come and gone, of which a later look might have seen more.
  std::vector<Change> finish();

 private:
  using Key = std::pair<std::string, std::string>;  // name of the lock, id of the ticket
  struct Seen {
    std::string path;
    std::string kind;
    std::vector<TicketInfo> tickets;
  };
  struct Told {
    std::optional<Time> came;
    std::optional<Time> gone;
    bool seen = false;  // in a look
  };

  void remember(const std::vector<NodeSign>& signs);
  Told* told(const std::string& name, const std::string& id);
  void add_passed(Time until, std::vector<Change>& changes);

  bool first_ = true;
  std::map<std::string, Seen> seen_;
  std::map<Key, Time> granted_;  // of those that hold, if the grant was seen
  std::map<Key, Told> told_;     // by queue
  std::map<Key, Time> over_;     // when those have gone that a look has seen go, for as long as it may be told late
};

// "2024-11-15T20:26:40.123Z orders/123 granted to billing (pid 812) on web1: monthly run, token 4294967310"
std::string change_line(const Change& change);
Json change_json(const Change& change);

}  // namespace holdfast::cli
