// cell_layout.h -- where a lock of one key lies, what is written there, and what other libraries write there.
//
//   kind       key            owner                      channel                                a library that does the same
//   text       lock:orders    "<uuid> <card>"            -                                      redis-py, redlock, redis-semaphore, ...
//   redisson   orders         "<uuid of client>:<n>"     redisson_lock__channel:{orders}        Redisson's RLock
//
// The owner is new for every ticket, and has 122 random bits at least: no other client can write the same by chance.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "backend/redis/cell_scripts.h"
#include "resp/value.h"

namespace holdfast::redis {

inline constexpr std::size_t kUuidLength = 36;

struct CellLayout {
  CellKind kind = CellKind::text;
  // The key of a name, for which %s stands, once. Other libraries put a prefix before it: "lock:%s".
  std::string key = "%s";
  // The key of the counter of fencing tokens, which all locks share.
  std::string counter = "{holdfast}:token";

  std::string key_of(std::string_view queue) const;
  // Where the end of a hold is published; empty: nowhere.
  std::string channel_of(const std::string& of_key) const;
  // The mode, as the URL has it: "cell" or "redisson".
  std::string_view mode() const { return kind == CellKind::redisson ? "redisson" : "cell"; }
};

// What lies under a key, as BUSY says it (cell_scripts.h).
struct Stored {
  // Types in which libraries keep locks. Anything else is foreign data, which is neither waited for nor touched.
  bool is_lock = false;
  std::string type{};                // as Redis names it: "zset"
  std::string id{};                  // of the ticket; remove wants it
  std::string recipe{};              // the library, as far as it can be told
  std::string card{};                // of one of ours; for others, what they have written
  std::chrono::milliseconds left{};  // -1 ms: it stays until it is removed
};
Stored stored_of(const resp::Value& busy);

// Whether mutexes of this kind can wait for what is stored there.
bool can_wait_for(CellKind kind, const Stored& stored);

}  // namespace holdfast::redis
