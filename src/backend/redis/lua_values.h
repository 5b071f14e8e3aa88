// lua_values.h -- scripts about what is not a ticket: marks, counts, values of commits; and the one that shows a queue. Put together in scripts.cc.
#pragma once

#include <string_view>

namespace holdfast::redis::lua {

inline constexpr std::string_view kLeaveMark = R"lua(
local queue, ticket = ARGV[6], ARGV[7]
if not there(queue, ticket) then return {'ABSENT', shown} end
call('ZADD', K, 0, queue .. '\0' .. ticket)
return {'OK', shown}
)lua";

inline constexpr std::string_view kAbandonedMarks = R"lua(
local queue, marks = ARGV[6], {}
for _, member in ipairs(range(K, queue .. '\0')) do
  local ticket = member:sub(#queue + 2)
  if not there(queue, ticket) then marks[#marks + 1] = MARK_OF .. ticket end
end
return {'OK', shown, marks}
)lua";

inline constexpr std::string_view kMakeCount = R"lua(
local parent, leaf = split(ARGV[6])
if not value_of(parent, leaf) then set_value(parent, leaf, '0', ARGV[7]) end
return {'OK', shown}
)lua";

inline constexpr std::string_view kSetCount = R"lua(
local parent, leaf = split(ARGV[6])
local version = value_of(parent, leaf)
if not version then return {'ABSENT', shown} end
set_value(parent, leaf, text(version + 1), ARGV[7])
return {'OK', shown}
)lua";

inline constexpr std::string_view kExamine = R"lua(
local queue = ARGV[6]
local tickets, next_sequence = {}, 0
for _, member in ipairs(range(Q, queue .. '\0')) do
  local ticket = member:sub(#queue + 2)
  local owner, token, made, asked, card = stored(queue, ticket)
  tickets[#tickets + 1] = {ticket, owner or '0', token or '0', made or '0', asked or '0', card or ''}
  next_sequence = tonumber(ticket:match('^(%d+)')) + 1
end
-- The next part of every name below, found by leaps: from each to the first that does not begin with it.
local below, known = {}, {}
local function add(name)
  if name == '' or known[name] then return end
  known[name] = true
  below[#below + 1] = name
end
local start = queue == '' and '' or queue .. '/'
local function leap(key)
  local from = '[' .. start
  while true do
    local member = call('ZRANGEBYLEX', key, from, '+', 'LIMIT', 0, 1)[1]
    if not member or member:sub(1, #start) ~= start then return end
    local name, stop = member:match('^([^/%z]*)([/%z])', #start + 1)
    if not name then return end
    add(name)
    from = '[' .. start .. name .. (stop == '/' and '0' or '\1')
  end
end
leap(Q)
leap(V)
for _, member in ipairs(range(V, queue .. '\0')) do add(member:sub(#queue + 2)) end
return {'OK', shown, text(next_sequence), tickets, below}
)lua";

// How many guards, queue and ticket of each; how many changes; what, path, text and version of each.
inline constexpr std::string_view kCommit = R"lua(
local at = 7
for _ = 1, tonumber(ARGV[6]) do
  if not there(ARGV[at], ARGV[at + 1]) then return {'ABSENT', shown} end
  at = at + 2
end
local changes, after = {}, {}
for _ = 1, tonumber(ARGV[at]) do
  local change = {what = ARGV[at + 1], path = ARGV[at + 2], text = ARGV[at + 3], version = ARGV[at + 4]}
  at = at + 4
  change.parent, change.leaf = split(change.path)
  local version
  if after[change.path] ~= nil then
    version = after[change.path]
  else
    version = value_of(change.parent, change.leaf) or false
  end
  if change.what == 'create' then
    if version then return {'DENIED', shown, '/' .. change.path .. ' exists already'} end
    change.next = '0'
  else
    if not version then return {'DENIED', shown, 'there is no /' .. change.path} end
    if change.version ~= '' and change.version ~= version then
      return {'DENIED', shown, '/' .. change.path .. ' has version ' .. version .. ', not ' .. change.version}
    end
    if change.what == 'set' then change.next = text(version + 1) end
    if change.what == 'remove' then change.next = false end
    if change.what == 'check' then change.next = version end
  end
  after[change.path] = change.next
  changes[#changes + 1] = change
end
for _, change in ipairs(changes) do
  if change.what == 'create' or change.what == 'set' then
    set_value(change.parent, change.leaf, change.next, change.text)
  elseif change.what == 'remove' then
    remove_value(change.parent, change.leaf)
  end
end
return {'OK', shown}
)lua";

}  // namespace holdfast::redis::lua
