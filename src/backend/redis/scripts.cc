#include "backend/redis/scripts.h"

#include <fmt/format.h>

#include "backend/redis/session_clock.h"

namespace holdfast::redis {
namespace {

// ------------------------------------------------------------------------------------------------------ what all of them begin with

constexpr std::string_view kNames = R"lua(
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

local function sweep()
  local room = MOST_SWEPT
  while room > 0 do
    local first = call('ZRANGE', S, 0, 0, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) >= now then return end
    local ended = end_session(first[1], room)
    room = room - math.max(1, ended)
  end
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
constexpr std::string_view kEvenIfFull = R"lua(
call('ZREM', S, '')
)lua";

// The session is there, this connection speaks for it, and it lives on.
constexpr std::string_view kSession = R"lua(
move_clock()
local until_then = call('ZSCORE', S, session)
if not until_then or tonumber(until_then) < now then
  sweep()
  return {'EXPIRED', shown}
end
if call('HGET', I, session) ~= connection then return {'STALE', shown} end
call('ZADD', S, ends(tonumber(call('ZSCORE', E, session))), session)
sweep()
)lua";

// Which process this is, and which history its data has: a replica that becomes a master remembers whose it was (master_replid2), until nothing
// follows it for long. Not master_replid alone: that changes, too, when the first replica comes, or the last one has been gone for an hour.
constexpr std::string_view kInstance = R"lua(
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

// ------------------------------------------------------------------------------------------------------------------ sessions

// Before anything is read: what another program has put under our keys stays as it is.
constexpr std::string_view kTypes = R"lua(
for at, kind in ipairs({'hash', 'zset', 'hash', 'zset', 'zset', 'hash', 'zset', 'zset', 'zset', 'hash', 'zset'}) do
  local found = redis.call('TYPE', KEYS[at]).ok
  if found ~= 'none' and found ~= kind then return {'FOREIGN', '0', KEYS[at], found} end
end
)lua";

// timeout, and whether the client has had a session here before.
constexpr std::string_view kHello = R"lua(
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

local longest = math.max(timeout, tonumber(call('HGET', M, 'longest') or '0'))
if not layout then
  now = microseconds()  -- anything that it has not shown before
  shown = text(now)
  call('DEL', S, I, E, Q, C, T, W)
  call('HSET', M, 'layout', '1', 'instance', run, 'promoted', promoted, 'clock', shown, 'longest', text(longest))
  if had_session then call('HSET', M, 'closed', ends(longest)) end
elseif not same_instance() then
  -- Signs of life may have been lost: all sessions are over, and none begins before they would have ended.
  call('DEL', S, I, E, Q, C, T, W)
  call('HSET', M, 'instance', run, 'promoted', promoted, 'longest', text(longest), 'closed', ends(longest))
else
  move_clock()
  call('HSET', M, 'longest', text(longest))
end
local closed = tonumber(call('HGET', M, 'closed') or '0')
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

constexpr std::string_view kClose = R"lua(
if not call('ZSCORE', S, session) then return {'ABSENT', shown} end
call('ZADD', S, -1, session)
end_session(session, 4 * MOST_SWEPT)
return {'OK', shown}
)lua";

// Another instance behind a connection that was not broken (an operator has made a replica of it and back): hello decides.
constexpr std::string_view kSameInstance = R"lua(
if not same_instance() then return {'STALE', shown} end
)lua";

constexpr std::string_view kPace = R"lua(
return {'OK', shown, shortest()}
)lua";

// ------------------------------------------------------------------------------------------------------------------- tickets

// How many; queue, uid, mode, card and in_place_of of each.
constexpr std::string_view kEnqueue = R"lua(
local requests = {}
for at = 7, 6 + 5 * tonumber(ARGV[6]), 5 do
  local request = {queue = ARGV[at], uid = ARGV[at + 1], mode = ARGV[at + 2], card = ARGV[at + 3], place = ARGV[at + 4]}
  if request.place ~= '' and not there(request.queue, request.place) then return {'ABSENT', shown} end
  requests[#requests + 1] = request
end
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
for _, request in ipairs(requests) do tell_queue(request.queue) end
for _, request in ipairs(requests) do
  local tickets, others = listing(request.queue)
  reply[#reply + 1] = tickets
  reply[#reply + 1] = others
end
return reply
)lua";

constexpr std::string_view kFind = R"lua(
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

constexpr std::string_view kList = R"lua(
local tickets, others = listing(ARGV[6])
return {'OK', shown, tickets, others}
)lua";

constexpr std::string_view kDequeue = R"lua(
local queue, name = ARGV[6], ARGV[7]
if remove_ticket(queue, name) or remove_value(queue, name) then return {'OK', shown} end
if name:sub(1, #MARK_OF) == MARK_OF and call('ZREM', K, queue .. '\0' .. name:sub(#MARK_OF + 1)) == 1 then return {'OK', shown} end
return {'ABSENT', shown}
)lua";

constexpr std::string_view kText = R"lua(
-- Of a ticket or a value: asked back, and the card.
local function text_of(queue, ticket)
  local owner, token, made, asked, card = stored(queue, ticket)
  if owner then return asked, card end
  local version, value = value_of(queue, ticket)
  if version then return '0', value end
  return nil
end
)lua";

constexpr std::string_view kRead = R"lua(
local asked, card = text_of(ARGV[6], ARGV[7])
if not asked then return {'ABSENT', shown} end
return {'OK', shown, asked, card}
)lua";

constexpr std::string_view kWrite = R"lua(
local queue, ticket, asked, card = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local owner, token, made = stored(queue, ticket)
if not owner then return {'ABSENT', shown} end
call('HSET', C, queue .. '\0' .. ticket, owner .. ' ' .. token .. ' ' .. made .. ' ' .. asked .. ' ' .. card)
tell_text(queue, ticket, asked, card)
return {'OK', shown}
)lua";

// ----------------------------------------------------------------------------------------------------------------- listeners

constexpr std::string_view kAddListener = R"lua(
local function add_listener(start)
  local member = start .. session .. '\0' .. ARGV[#ARGV]
  call('ZADD', W, 0, member)
  call('ZADD', T, 0, session .. '\0L' .. member)
end
)lua";

constexpr std::string_view kListen = R"lua(
local queue, ticket = ARGV[6], ARGV[7]
local asked, card = text_of(queue, ticket)
if not asked then return {'ABSENT', shown} end
add_listener('t' .. queue .. '\0' .. ticket .. '\0')
return {'OK', shown, asked, card, shortest()}
)lua";

constexpr std::string_view kListenToQueue = R"lua(
local tickets, others = listing(ARGV[6])
add_listener('q' .. ARGV[6] .. '\0')
return {'OK', shown, tickets, others, shortest()}
)lua";

constexpr std::string_view kListenToCount = R"lua(
local parent, leaf = split(ARGV[6])
local version, value = value_of(parent, leaf)
if not version then return {'ABSENT', shown} end
if ARGV[#ARGV] ~= '0' then add_listener('c' .. parent .. '\0' .. leaf .. '\0') end
return {'OK', shown, value}
)lua";

// The listener as it is stored, without its session and id; then the id.
constexpr std::string_view kStillListening = R"lua(
local there = call('ZSCORE', W, ARGV[6] .. session .. '\0' .. ARGV[7])
return {there and 'OK' or 'ABSENT', shown}
)lua";

constexpr std::string_view kIgnore = R"lua(
forget_listener(ARGV[6] .. session .. '\0' .. ARGV[7], session)
return {'OK', shown}
)lua";

// -------------------------------------------------------------------------------------------------------------- marks, counts

constexpr std::string_view kLeaveMark = R"lua(
local queue, ticket = ARGV[6], ARGV[7]
if not there(queue, ticket) then return {'ABSENT', shown} end
call('ZADD', K, 0, queue .. '\0' .. ticket)
return {'OK', shown}
)lua";

constexpr std::string_view kAbandonedMarks = R"lua(
local queue, marks = ARGV[6], {}
for _, member in ipairs(range(K, queue .. '\0')) do
  local ticket = member:sub(#queue + 2)
  if not there(queue, ticket) then marks[#marks + 1] = MARK_OF .. ticket end
end
return {'OK', shown, marks}
)lua";

constexpr std::string_view kMakeCount = R"lua(
local parent, leaf = split(ARGV[6])
if not value_of(parent, leaf) then set_value(parent, leaf, '0', ARGV[7]) end
return {'OK', shown}
)lua";

constexpr std::string_view kSetCount = R"lua(
local parent, leaf = split(ARGV[6])
local version = value_of(parent, leaf)
if not version then return {'ABSENT', shown} end
set_value(parent, leaf, text(version + 1), ARGV[7])
return {'OK', shown}
)lua";

// --------------------------------------------------------------------------------------------------------- examination, commit

constexpr std::string_view kExamine = R"lua(
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
constexpr std::string_view kCommit = R"lua(
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

// Tickets and listeners of a dead session that one script removes at most: a few milliseconds.
constexpr int kMostSwept = 256;

std::string constants() {
  return fmt::format("local CLAIMS_PER_TIMEOUT, MOST_SWEPT, MARK_OF = {}, {}, '{}'\n", kClaimsPerTimeout, kMostSwept,
                     kMarkOf);
}

enum class IfFull { refused, done };

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text = constants();
  for (const auto part : parts) text += part;
  return text;
}

std::string request(std::string_view what, IfFull if_full, std::string_view before = {}, std::string_view also = {}) {
  return joined({kNames, if_full == IfFull::done ? kEvenIfFull : "", kSession, before, also, what});
}

}  // namespace

std::vector<std::string> scripts() {
  std::vector<std::string> all(kScripts);
  const auto set = [&](Script script, std::string text) { all[static_cast<std::size_t>(script)] = std::move(text); };
  set(Script::hello, joined({kTypes, kNames, kInstance, kHello}));
  set(Script::close, request(kClose, IfFull::done));
  set(Script::beat, joined({kNames, kEvenIfFull, kInstance, kSameInstance, kSession, kPace}));
  set(Script::enqueue, request(kEnqueue, IfFull::refused));
  set(Script::find, request(kFind, IfFull::done));
  set(Script::list, request(kList, IfFull::done));
  set(Script::dequeue, request(kDequeue, IfFull::done));
  set(Script::read, request(kRead, IfFull::done, kText));
  set(Script::write, request(kWrite, IfFull::done));
  set(Script::listen, request(kListen, IfFull::done, kText, kAddListener));
  set(Script::listen_to_queue, request(kListenToQueue, IfFull::done, kAddListener));
  set(Script::listen_to_count, request(kListenToCount, IfFull::done, kAddListener));
  set(Script::still_listening, request(kStillListening, IfFull::done));
  set(Script::ignore, request(kIgnore, IfFull::done));
  set(Script::leave_mark, request(kLeaveMark, IfFull::done));
  set(Script::abandoned_marks, request(kAbandonedMarks, IfFull::done));
  set(Script::make_count, request(kMakeCount, IfFull::refused));
  set(Script::set_count, request(kSetCount, IfFull::done));
  set(Script::examine, request(kExamine, IfFull::done));
  set(Script::commit, request(kCommit, IfFull::refused));
  return all;
}

std::string channels_of(std::string_view prefix, int database) { return fmt::format("{{{}}}:n:{}:", prefix, database); }

std::string script_to_end_a_session() { return joined({kNames, kEvenIfFull, kClose}); }

resp::Command words_to_end(std::int64_t session, std::string_view prefix, int database) {
  const auto keys = keys_of(prefix);
  resp::Command words{std::to_string(keys.size())};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), {std::to_string(session), "", "0", "0", channels_of(prefix, database)});
  return words;
}

std::vector<std::string> keys_of(std::string_view prefix) {
  std::vector<std::string> keys;
  for (const char key : std::string_view("msieqctwvdk")) keys.push_back(fmt::format("{{{}}}:{}", prefix, key));
  return keys;
}

}  // namespace holdfast::redis
