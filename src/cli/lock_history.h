// lock_history.h -- what happened between two looks at the locks.
//
//   before     now        event
//   -          holds      granted (holds, at the first look)
//   -          waits      queued (waits, at the first look)
//   waits      holds      granted
//   any        asked      asked: somebody wants it back
//   holds      -          released: given back, or ended with its session; the service does not say which
//   waits      -          left: gave up waiting, or had its turn and was done between two looks
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/describe.h"
#include "cli/lock_json.h"

namespace holdfast::cli {

enum class Event { holds, waits, queued, granted, asked, released, left };

std::string_view to_string(Event event);

struct Change {
  Event event;
  std::string name;
  std::string path;
  std::string kind;
  TicketInfo ticket;  // as it was seen last
};

class LockHistory {
 public:
  // What has changed since the last call: by name; of one name first who has gone, then who has come, both in the queue's order.
  // A card that was overwritten by asking for the lock is put back into `locks` from what was seen before.
  std::vector<Change> see(std::vector<LockInfo>& locks);

 private:
  struct Seen {
    std::string path;
    std::string kind;
    std::vector<TicketInfo> tickets;
  };
  bool first_ = true;
  std::map<std::string, Seen> seen_;
};

// "2024-11-15T20:26:40.123Z orders/123 granted to billing (pid 812) on web1: monthly run, token 4294967310"
std::string change_line(const Change& change, Time now);
Json change_json(const Change& change, Time now);

}  // namespace holdfast::cli
