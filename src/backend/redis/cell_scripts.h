// cell_scripts.h -- what Redis executes for locks of one key each: Lua, one script for each request.
//
//   script   keys                                 arguments                        answers
//   hello    -                                    -                                OK | REPLICA master | EVICTS policy
//   acquire  cell, token counter                  owner, milliseconds              OK token | BUSY stored | FOREIGN key type
//   extend   cells                                milliseconds, an owner for each  for each: 1 if it is still that owner's, or 0
//   remove   cell                                 id, channel                      OK | ABSENT | BUSY stored
//   leave    cells                                an owner and a channel for each  OK
//   look     cell                                 -                                FREE | BUSY stored
//
// `stored` is what lies under the key, whichever library put it there: its type, the milliseconds that it has left (-1: no end), and then, of
// a string its text, of a hash its fields and values, of a sorted set its members; nothing of other types. Long ones are cut off.
//
// acquire may be sent again when its answer was lost: what is already that owner's is his, for the whole time again. No script changes
// anything that belongs to another owner, but for remove, with which an operator breaks a lock: it is asked for by its very id, and does
// nothing if another has come.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::redis {

// What is stored for a hold.
enum class CellKind {
  text,      // a string, the owner: SET NX PX. What most libraries do
  redisson,  // a hash, owner -> 1, and a message when it ends: RLock of Redisson
};

enum class CellScript : std::size_t { hello, acquire, extend, remove, leave, look };
inline constexpr std::size_t kCellScripts = static_cast<std::size_t>(CellScript::look) + 1;

// The texts, in the order of CellScript.
std::vector<std::string> cell_scripts(CellKind kind);

}  // namespace holdfast::redis
