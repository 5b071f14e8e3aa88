-- EVALSHA sha 1 key token data: writes `data` to the hash `key`, beside the token.
-- 1: written. 0: refused, nothing changed. An error: nothing changed either.
local zero = string.rep('0', 20)

-- Lua's numbers are doubles: exact up to 2^53 only. Half of 20 digits always is.
local function less(a, b)
  local high_a, high_b = tonumber(a:sub(1, 10)), tonumber(b:sub(1, 10))
  if high_a ~= high_b then return high_a < high_b end
  return tonumber(a:sub(11)) < tonumber(b:sub(11))
end

local key, token, data = KEYS[1], ARGV[1], ARGV[2]
if #token ~= 20 or token:find('%D') then return redis.error_reply('ERR a token is 20 digits') end
local seen = redis.call('HGET', key, 'token') or zero
if token == zero or less(token, seen) then return 0 end
redis.call('HSET', key, 'token', token, 'data', data)
return 1
