// lua_tickets.h -- scripts about tickets: made, found, listed, removed, read and written. Put together in scripts.cc.
#pragma once

#include <string_view>

namespace holdfast::redis::lua {

// How many; queue, uid, mode, card and in_place_of of each.
inline constexpr std::string_view kEnqueue = R"lua(
local requests = {}
for at = 7, 6 + 5 * tonumber(ARGV[6]), 5 do
  local request = {queue = ARGV[at], uid = ARGV[at + 1], mode = ARGV[at + 2], card = ARGV[at + 3], place = ARGV[at + 4]}
  if request.place ~= '' and not there(request.queue, request.place) then return {'ABSENT', shown} end
  requests[#requests + 1] = request
end
-- Before anything is made: a user who may not publish is refused, and no ticket is left.
for _, request in ipairs(requests) do tell_queue(request.queue) end
local time = microseconds()
local token = math.max(tonumber(call('HGET', M, 'token') or '0') + 1, time)
call('HSET', M, 'token', text(token))
local reply = {'OK', shown, text(token)}
for at, request in ipairs(requests) do
  local sequence = 0
  if request.place ~= '' then
    sequence = tonumber(request.place:match('^(%d+)'))
  else
    local queue = request.queue
    local last = call('ZREVRANGEBYLEX', Q, '(' .. queue .. '\1', '[' .. queue .. '\0', 'LIMIT', 0, 1)[1]
    if last then sequence = tonumber(last:match('^(%d+)', #queue + 2)) + 1 end
  end
  local ticket = string.format('%010.0f-%016.0f-%s-%s', sequence, token, request.mode, request.uid)
  local member = request.queue .. '\0' .. ticket
  call('ZADD', Q, 0, member)
  call('HSET', C, member, session .. ' ' .. text(token) .. ' ' .. text(time) .. ' 0 ' .. request.card)
  call('ZADD', T, 0, session .. '\0T' .. member)
  reply[#reply + 1] = ticket
end
for _, request in ipairs(requests) do
  local tickets, others = listing(request.queue)
  reply[#reply + 1] = tickets
  reply[#reply + 1] = others
end
return reply
)lua";

inline constexpr std::string_view kFind = R"lua(
local queue, uid = ARGV[6], ARGV[7]
local tickets, others = listing(queue)
for _, ticket in ipairs(tickets) do
  if ticket:sub(-#uid - 1) == '-' .. uid then
    local owner, token = stored(queue, ticket)
    return {'OK', shown, ticket, token, owner, tickets, others}
  end
end
return {'ABSENT', shown}
)lua";

inline constexpr std::string_view kList = R"lua(
local tickets, others = listing(ARGV[6])
return {'OK', shown, tickets, others}
)lua";

inline constexpr std::string_view kDequeue = R"lua(
local queue, name = ARGV[6], ARGV[7]
if remove_ticket(queue, name) or remove_value(queue, name) then return {'OK', shown} end
if name:sub(1, #MARK_OF) == MARK_OF and call('ZREM', K, queue .. '\0' .. name:sub(#MARK_OF + 1)) == 1 then return {'OK', shown} end
return {'ABSENT', shown}
)lua";

inline constexpr std::string_view kText = R"lua(
-- Of a ticket or a value: asked back, and the card.
local function text_of(queue, ticket)
  local owner, token, made, asked, card = stored(queue, ticket)
  if owner then return asked, card end
  local version, value = value_of(queue, ticket)
  if version then return '0', value end
  return nil
end
)lua";

inline constexpr std::string_view kRead = R"lua(
local asked, card = text_of(ARGV[6], ARGV[7])
if not asked then return {'ABSENT', shown} end
return {'OK', shown, asked, card}
)lua";

inline constexpr std::string_view kWrite = R"lua(
local queue, ticket, asked, card = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local owner, token, made = stored(queue, ticket)
if not owner then return {'ABSENT', shown} end
call('HSET', C, queue .. '\0' .. ticket, owner .. ' ' .. token .. ' ' .. made .. ' ' .. asked .. ' ' .. card)
tell_text(queue, ticket, asked, card)
return {'OK', shown}
)lua";

}  // namespace holdfast::redis::lua
