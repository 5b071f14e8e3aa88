// lua_common.h -- what every script begins with: names, what ends a session, and the look at the session that asks. Put together in scripts.cc.
#pragma once

#include <string_view>

namespace holdfast::redis::lua {

inline constexpr std::string_view kNames = R"lua(
local M, S, I, E, Q, C, T, W, V, D, K = unpack(KEYS)
local call = redis.call
-- Before 7.0 a script that asks for the time may only write if its effects are replicated, not its text.
if redis.replicate_commands then redis.replicate_commands() end
local session, connection, seen, passed, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local function text(number) return string.format('%.0f', number) end

local function microseconds()
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end

-- All members that begin with `start`, whose last byte is a \0.
local function range(key, start)
  return call('ZRANGEBYLEX', key, '[' .. start, '(' .. start:sub(1, -2) .. '\1')
end

-- The parts of a member between its \0s.
local function parts(member)
  local all, from = {}, 1
  while true do
    local at = member:find('\0', from, true)
    if not at then break end
    all[#all + 1] = member:sub(from, at - 1)
    from = at + 1
  end
  all[#all + 1] = member:sub(from)
  return all
end

local function forget_listener(member, owner)
  call('ZREM', W, member)
  call('ZREM', T, owner .. '\0L' .. member)
end

-- Tells those that listen as `start` says, whose members end with their session and id. Once: they are forgotten then.
local function tell(start, word, rest, once)
  for _, member in ipairs(range(W, start)) do
    local part = parts(member)
    local owner, id = part[#part - 1], part[#part]
    if once then forget_listener(member, owner) end
    call('PUBLISH', channel .. owner, word .. ' ' .. id .. rest)
  end
end

local function tell_queue(queue) tell('q' .. queue .. '\0', 'q', '', true) end

local function tell_gone(queue, ticket)
  tell('t' .. queue .. '\0' .. ticket .. '\0', 'g', '', true)
  tell_queue(queue)
end

local function tell_text(queue, ticket, asked, card)
  tell('t' .. queue .. '\0' .. ticket .. '\0', 't', ' ' .. asked .. ' ' .. card, false)
end

-- What is stored of a ticket: session, token, made, asked back, card.
local function stored(queue, ticket)
  local value = call('HGET', C, queue .. '\0' .. ticket)
  if not value then return nil end
  return value:match('^(%S+) (%S+) (%S+) (%S+) (.*)$')
end

local function there(queue, ticket) return call('ZSCORE', Q, queue .. '\0' .. ticket) and true end

local function remove_ticket(queue, ticket)
  local member = queue .. '\0' .. ticket
  local owner = stored(queue, ticket)
  if call('ZREM', Q, member) == 0 then return false end
  call('HDEL', C, member)
  if owner then call('ZREM', T, owner .. '\0T' .. member) end
  tell_gone(queue, ticket)
  return true
end

-- Ends a session as far as `room` allows: a script keeps all others waiting. One that is not through is ended further by the next scripts.
local function end_session(id, room)
  local start = id .. '\0'
  local all = call('ZRANGEBYLEX', T, '[' .. start, '(' .. id .. '\1', 'LIMIT', 0, room)
  for _, member in ipairs(all) do
    local kind, rest = member:sub(#start + 1, #start + 1), member:sub(#start + 2)
    call('ZREM', T, member)
    if kind == 'L' then
      call('ZREM', W, rest)
    else
      local part = parts(rest)
      remove_ticket(part[1], part[2])
    end
  end
  if #all < room then
    call('ZREM', S, id)
    call('ZREM', E, id)
    call('HDEL', I, id)
  end
  return #all
end

local shown = call('HGET', M, 'clock') or '0'
local now = tonumber(shown)

-- The shortest timeout there is: a client that listens drives the clock at that pace.
local function shortest() return call('ZRANGE', E, 0, 0, 'WITHSCORES')[2] end

local function move_clock()
  if passed == '0' or seen ~= shown then return end
  local timeout = shortest() or call('HGET', M, 'longest') or '0'
  now = now + math.max(0, math.min(tonumber(passed), math.floor(tonumber(timeout) / CLAIMS_PER_TIMEOUT)))
  shown = text(now)
  call('HSET', M, 'clock', shown)
end

local function ends(timeout) return text(now + timeout + math.floor(timeout / CLAIMS_PER_TIMEOUT)) end

-- Whether there may be more to end than one script can.
local function sweep()
  local room = MOST_SWEPT
  while room > 0 do
    local first = call('ZRANGE', S, 0, 0, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) >= now then return false end
    local ended = end_session(first[1], room)
    room = room - math.max(1, ended)
  end
  return true
end

-- "a/b" is the leaf "b" of "a".
local function split(path)
  local parent, leaf = path:match('^(.*)/([^/]*)$')
  if parent then return parent, leaf end
  return '', path
end

local function value_of(parent, leaf)
  local value = call('HGET', D, parent .. '\0' .. leaf)
  if not value then return nil end
  return value:match('^(%S+) (.*)$')
end

local function set_value(parent, leaf, version, value)
  local member = parent .. '\0' .. leaf
  local is_new = call('ZADD', V, 0, member) == 1
  call('HSET', D, member, version .. ' ' .. value)
  if is_new then
    tell_queue(parent)
  else
    tell_text(parent, leaf, '0', value)
    tell('c' .. member .. '\0', 'c', ' ' .. value, false)
  end
end

local function remove_value(parent, leaf)
  local member = parent .. '\0' .. leaf
  if call('ZREM', V, member) == 0 then return false end
  call('HDEL', D, member)
  tell_gone(parent, leaf)
  return true
end

-- Tickets in order, and what else lies in the queue.
local function listing(queue)
  local tickets, others = {}, {}
  for at, member in ipairs(range(Q, queue .. '\0')) do tickets[at] = member:sub(#queue + 2) end
  for at, member in ipairs(range(V, queue .. '\0')) do others[at] = member:sub(#queue + 2) end
  return tickets, others
end
)lua";

// A full server (maxmemory) refuses a script at its first write that may need memory; after one that cannot, it lets the rest through. What keeps
// holders alive and takes tickets away begins with one; what makes something new does not, and is refused as a whole.
inline constexpr std::string_view kEvenIfFull = R"lua(
call('ZREM', S, '')
)lua";

// The session is there, this connection speaks for it, and it lives on.
inline constexpr std::string_view kSession = R"lua(
move_clock()
local until_then = call('ZSCORE', S, session)
if not until_then or tonumber(until_then) < now then
  sweep()
  return {'EXPIRED', shown}
end
if call('HGET', I, session) ~= connection then return {'STALE', shown} end
call('ZADD', S, ends(tonumber(call('ZSCORE', E, session))), session)
local more = sweep()
)lua";

}  // namespace holdfast::redis::lua
