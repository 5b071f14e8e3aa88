#include "backend/redis/cell_scripts.h"

#include <fmt/format.h>

#include <string_view>

#include "backend/redis/cell_layout.h"

namespace holdfast::redis {
namespace {

constexpr std::string_view kNames = R"lua(
local call, pcall = redis.call, redis.pcall

-- A key of another type is not this owner's, and no error.
local function is_text(cell, owner) return pcall('GET', cell) == owner end
local function has_field(cell, owner) return pcall('HEXISTS', cell, owner) == 1 end

-- What lies there, for people. Cut off: a foreign key may be of any size.
local function busy(cell)
  local kind = call('TYPE', cell).ok
  if kind == 'none' then return {'FREE'} end
  local reply = {'BUSY', kind, call('PTTL', cell)}
  local items = {}
  if kind == 'string' then
    items = {call('GETRANGE', cell, 0, 4095)}
  elseif kind == 'hash' and call('HLEN', cell) <= 16 then
    items = call('HGETALL', cell)
  elseif kind == 'zset' then
    items = call('ZRANGE', cell, 0, 15)
  end
  for at, item in ipairs(items) do reply[3 + at] = item end
  return reply
end

-- Takes what has that id out of the cell. A client that waits for a lock of Redisson hears it on the channel.
local function remove(cell, id, channel)
  local kind = call('TYPE', cell).ok
  local done = false
  if kind == 'string' then
    local text = call('GET', cell)
    done = text == id or (#id == UUID and text:sub(1, UUID + 1) == id .. ' ')
    if done then call('DEL', cell) end
  elseif kind == 'hash' then
    done = call('HDEL', cell, id) == 1
  elseif kind == 'zset' then
    done = call('ZREM', cell, id) == 1
  end
  if done and channel ~= '' and call('EXISTS', cell) == 0 then call('PUBLISH', channel, '0') end
  return done
end
)lua";

// Whether this server can be trusted with keys that have a time to live.
constexpr std::string_view kHello = R"lua(
local replication = call('INFO', 'replication')
if replication:match('role:(%S+)') ~= 'master' then
  return {'REPLICA', (replication:match('master_host:(%S+)') or '?') .. ':' .. (replication:match('master_port:(%S+)') or '?')}
end
local memory = call('INFO', 'memory')
local policy = memory:match('maxmemory_policy:(%S+)') or ''
if memory:match('maxmemory:(%d+)') ~= '0' and policy ~= '' and policy ~= 'noeviction' then return {'EVICTS', policy} end
return {'OK'}
)lua";

// Larger than the last one, and no less than the microseconds since 1970: so it grows even over lost data, if the server's clock is right.
// Read before anything is written, because a script that fails half way is not undone.
constexpr std::string_view kToken = R"lua(
-- Before 7.0 a script that asks for the time may only write if its effects are replicated, not its text.
if redis.replicate_commands then redis.replicate_commands() end
local cell, counter = KEYS[1], KEYS[2]
local owner, time = ARGV[1], ARGV[2]
local function next_token()
  local last = pcall('GET', counter)
  if type(last) == 'table' then return nil, {'FOREIGN', counter, call('TYPE', counter).ok} end
  local now = call('TIME')
  return string.format('%.0f', math.max((tonumber(last or '0') or 0) + 1, now[1] * 1000000 + now[2]))
end
)lua";

constexpr std::string_view kAcquireText = R"lua(
local token, foreign = next_token()
if foreign then return foreign end
if not call('SET', cell, owner, 'NX', 'PX', time) then
  if not is_text(cell, owner) then return busy(cell) end
  call('PEXPIRE', cell, time)
end
call('SET', counter, token)
return {'OK', token}
)lua";

constexpr std::string_view kAcquireRedisson = R"lua(
if call('EXISTS', cell) == 1 and not has_field(cell, owner) then return busy(cell) end
local token, foreign = next_token()
if foreign then return foreign end
call('HSET', cell, owner, 1)
call('PEXPIRE', cell, time)
call('SET', counter, token)
return {'OK', token}
)lua";

constexpr std::string_view kExtend = R"lua(
local held = {}
for at, cell in ipairs(KEYS) do
  local mine = is_mine(cell, ARGV[at + 1])
  if mine then call('PEXPIRE', cell, ARGV[1]) end
  held[at] = mine and 1 or 0
end
return held
)lua";

constexpr std::string_view kRemove = R"lua(
if remove(KEYS[1], ARGV[1], ARGV[2]) then return {'OK'} end
if call('EXISTS', KEYS[1]) == 1 then return busy(KEYS[1]) end
return {'ABSENT'}
)lua";

constexpr std::string_view kLeave = R"lua(
for at, cell in ipairs(KEYS) do remove(cell, ARGV[2 * at - 1], ARGV[2 * at]) end
return {'OK'}
)lua";

constexpr std::string_view kLook = R"lua(
return busy(KEYS[1])
)lua";

}  // namespace

std::vector<std::string> cell_scripts(CellKind kind) {
  const bool redisson = kind == CellKind::redisson;
  const auto names = fmt::format("local UUID = {}\n{}", kUuidLength, kNames);
  const auto is_mine = fmt::format("local is_mine = {}\n", redisson ? "has_field" : "is_text");
  std::vector<std::string> all(kCellScripts);
  const auto set = [&](CellScript script, std::string text) { all[static_cast<std::size_t>(script)] = names + text; };
  set(CellScript::hello, std::string(kHello));
  set(CellScript::acquire, std::string(kToken) + std::string(redisson ? kAcquireRedisson : kAcquireText));
  set(CellScript::extend, is_mine + std::string(kExtend));
  set(CellScript::remove, std::string(kRemove));
  set(CellScript::leave, std::string(kLeave));
  set(CellScript::look, std::string(kLook));
  return all;
}

}  // namespace holdfast::redis
