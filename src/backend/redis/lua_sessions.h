// lua_sessions.h -- scripts about sessions: hello, beat, the end. Put together in scripts.cc.
#pragma once

#include <string_view>

namespace holdfast::redis::lua {

// Before anything is read: what another program has put under our keys stays as it is.
inline constexpr std::string_view kTypes = R"lua(
for at, kind in ipairs({'hash', 'zset', 'hash', 'zset', 'zset', 'hash', 'zset', 'zset', 'zset', 'hash', 'zset'}) do
  local found = redis.call('TYPE', KEYS[at]).ok
  if found ~= 'none' and found ~= kind then return {'FOREIGN', '0', KEYS[at], found} end
end
)lua";

// A right that is missing would stop a script half way. Redis can be asked for rights from 7.0 on; before, the first script that fails says it.
inline constexpr std::string_view kRights = R"lua(
local function missing(commands, keys)
  for _, command in ipairs(commands) do
    for _, key in ipairs(keys) do
      if not redis.acl_check_cmd(command, key) then return {'FORBIDDEN', '0', command, key} end
    end
  end
end
if redis.acl_check_cmd then
  local answer = missing({'hget', 'hset', 'hdel', 'hincrby'}, {M, I, C, D}) or
    missing({'zadd', 'zrem', 'zscore', 'zrange', 'zrangebylex', 'zrevrangebylex'}, {S, E, Q, T, W, V, K}) or
    missing({'type', 'exists', 'del'}, KEYS) or
    missing({'publish', 'subscribe'}, {channel .. '1'})
  if answer then return answer end
  for _, command in ipairs({'time', 'info'}) do
    if not redis.acl_check_cmd(command) then return {'FORBIDDEN', '0', command, ''} end
  end
end
)lua";

// Which process this is, and which history its data has: a replica that becomes a master remembers whose it was (master_replid2), until nothing
// follows it for long. Not master_replid alone: that changes, too, when the first replica comes, or the last one has been gone for an hour.
inline constexpr std::string_view kInstance = R"lua(
local replication = call('INFO', 'replication')
local run = call('INFO', 'server'):match('run_id:(%w+)') or ''
local promoted = ''
if replication:match('second_repl_offset:(%-?%d+)') ~= '-1' then
  promoted = (replication:match('master_replid2:(%w+)') or '') .. ':' .. (replication:match('second_repl_offset:(%d+)') or '')
end
local function same_instance()
  if call('HGET', M, 'instance') ~= run then return false end
  return promoted == '' or promoted == call('HGET', M, 'promoted')
end
)lua";

// timeout, and whether the client has had a session here before.
inline constexpr std::string_view kHello = R"lua(
local timeout, had_session = tonumber(ARGV[6]), ARGV[7] == '1'
local layout = call('HGET', M, 'layout')
if not layout and call('EXISTS', M) == 1 then return {'FOREIGN', '0', M, 'hash of another program'} end
if layout and layout ~= '1' then return {'LAYOUT', '0', layout} end
if replication:match('role:(%S+)') ~= 'master' then
  return {'REPLICA', '0', (replication:match('master_host:(%S+)') or '?') .. ':' .. (replication:match('master_port:(%S+)') or '?')}
end
local memory = call('INFO', 'memory')
local policy = memory:match('maxmemory_policy:(%S+)') or ''
if memory:match('maxmemory:(%d+)') ~= '0' and policy:sub(1, 7) == 'allkeys' then return {'EVICTS', '0', policy} end

-- A full server takes up again a session that lives (kEvenIfFull), and begins none.
if layout and call('ZSCORE', S, session) then call('ZREM', S, '') end

-- The longest timeout of the sessions that live, and of those that began in this day of the session clock or in the one before: what was lost may
-- have been one like them. An even longer one of last year keeps no store closed today.
local function noted(field) return tonumber(call('HGET', M, field) or '0') end
local living = tonumber(call('ZRANGE', E, -1, -1, 'WITHSCORES')[2] or '0')
local longest = math.max(timeout, living, noted('longest'), noted('longest_before'))
if not layout then
  now = microseconds()  -- anything that it has not shown before
  shown = text(now)
  call('DEL', S, I, E, Q, C, T, W)
  call('HSET', M, 'layout', '1', 'instance', run, 'promoted', promoted, 'clock', shown, 'longest', text(longest), 'day', shown)
  if had_session then call('HSET', M, 'closed', ends(longest)) end
elseif not same_instance() then
  -- Signs of life may have been lost: all sessions are over, and none begins before they would have ended.
  call('DEL', S, I, E, Q, C, T, W)
  call('HSET', M, 'instance', run, 'promoted', promoted, 'longest', text(longest), 'closed', ends(longest))
else
  move_clock()
  if now - noted('day') > DAY then
    call('HSET', M, 'longest_before', text(noted('longest')), 'longest', text(living), 'day', shown)
  end
  call('HSET', M, 'longest', text(math.max(timeout, noted('longest'))))
end
local closed = noted('closed')
if closed >= now then return {'CLOSED', shown, text(closed - now)} end
sweep()
local until_then = call('ZSCORE', S, session)
if not until_then or tonumber(until_then) < now then
  local id = math.max(tonumber(call('HGET', M, 'last') or '0') + 1, microseconds())
  session = text(id)
  call('HSET', M, 'last', session)
  call('ZADD', E, text(timeout), session)
end
call('ZADD', S, ends(tonumber(call('ZSCORE', E, session))), session)
return {'OK', shown, session, text(call('HINCRBY', I, session, 1)), call('ZSCORE', E, session)}
)lua";

inline constexpr std::string_view kClose = R"lua(
if not call('ZSCORE', S, session) then return {'ABSENT', shown} end
call('ZADD', S, -1, session)
end_session(session, 4 * MOST_SWEPT)
return {'OK', shown}
)lua";

// Another instance behind a connection that was not broken (an operator has made a replica of it and back): hello decides.
inline constexpr std::string_view kSameInstance = R"lua(
if not same_instance() then return {'STALE', shown} end
)lua";

inline constexpr std::string_view kPace = R"lua(
return {'OK', shown, shortest(), more and '1' or '0'}
)lua";

}  // namespace holdfast::redis::lua
