// scripts.h -- what Redis executes for each request: Lua, one script for each, and the keys that all of them use.
//
// A prefix has eleven keys, whatever it stores, in one slot of a cluster ({...} is what decides that). None has a time to live.
//
//   {P}:m  hash   what there is once: layout, instance, promoted, clock, closed, longest, longest_before, day, token, last
//   {P}:s  zset   session -> when it ends, on the session clock (session_clock.h), in microseconds
//   {P}:i  hash   session -> the number of the connection that speaks for it
//   {P}:e  zset   session -> its timeout
//   {P}:q  zset   "<queue>\0<ticket>": the tickets of a queue are a range, in order
//   {P}:c  hash   "<queue>\0<ticket>" -> "<session> <token> <made> <asked back> <card>"
//   {P}:t  zset   "<session>\0T<queue>\0<ticket>" and "<session>\0L<listener>": what ends with a session
//   {P}:w  zset   listeners: "t<queue>\0<ticket>\0<session>\0<id>", "q<queue>\0<session>\0<id>", "c<parent>\0<leaf>\0<session>\0<id>"
//   {P}:v  zset   "<parent>\0<leaf>": the paths of values
//   {P}:d  hash   "<parent>\0<leaf>" -> "<version> <text>"
//   {P}:k  zset   "<queue>\0<ticket>": marks
//
// The score of q, t, w, v and k is 0 throughout, so that they are in the order of their bytes. Names have no \0.
//
// A ticket is "<sequence, 10 digits>-<token, 16 digits>-<mode>-<uid>", so that they are in the order of the queue. The token is larger than the last
// one and no less than the microseconds since 1970: so it grows even over lost data, if the server's clock is right.
//
// What is told to a client is published on its channel, "{P}:n:<database>:<session>":
//   "g <id>"                 the ticket is gone
//   "t <id> <asked> <card>"  its text is that now
//   "q <id>"                 the queue is not as it was
//   "c <id> <text>"          the value is that now
//
// Every script gets the keys, and as arguments: the session, the number of its connection, what the client saw of the session clock and how much has
// passed since (session_clock.h), the channel without its session; then what is its own. It answers with a word, the session clock, and more:
//   OK | ABSENT | DENIED why | EXPIRED | STALE
// and hello besides: CLOSED rest | FOREIGN key type | FORBIDDEN command key | LAYOUT version | REPLICA master | EVICTS policy
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "resp/command.h"

namespace holdfast::redis {

enum class Script : std::size_t {
  hello,
  close,
  beat,
  enqueue,
  find,
  list,
  dequeue,
  read,
  write,
  listen,
  listen_to_queue,
  listen_to_count,
  still_listening,
  ignore,
  leave_mark,
  abandoned_marks,
  make_count,
  set_count,
  examine,
  commit,
};
inline constexpr std::size_t kScripts = static_cast<std::size_t>(Script::commit) + 1;

// The texts, in the order of Script.
std::vector<std::string> scripts();

// The keys of a prefix, in the order in which scripts have them.
std::vector<std::string> keys_of(std::string_view prefix);

// What the channels of all sessions begin with.
std::string channels_of(std::string_view prefix, int database);

// For a process that is not a client: ends a session, whichever client speaks for it. Its words are all that EVALSHA gets but the digest.
std::string script_to_end_a_session();
resp::Command words_to_end(std::int64_t session, std::string_view prefix, int database);

inline constexpr std::string_view kMarkOf = "mark of ";
inline constexpr std::string_view kTurns = "turns";
inline constexpr std::string_view kPermits = "permits";

}  // namespace holdfast::redis
