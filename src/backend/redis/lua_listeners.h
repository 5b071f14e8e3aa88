// lua_listeners.h -- scripts about listeners: to a ticket, a queue, a count. Put together in scripts.cc.
#pragma once

#include <string_view>

namespace holdfast::redis::lua {

inline constexpr std::string_view kAddListener = R"lua(
local function add_listener(start)
  local member = start .. session .. '\0' .. ARGV[#ARGV]
  call('ZADD', W, 0, member)
  call('ZADD', T, 0, session .. '\0L' .. member)
end
)lua";

inline constexpr std::string_view kListen = R"lua(
local queue, ticket = ARGV[6], ARGV[7]
local asked, card = text_of(queue, ticket)
if not asked then return {'ABSENT', shown} end
add_listener('t' .. queue .. '\0' .. ticket .. '\0')
return {'OK', shown, asked, card, shortest()}
)lua";

inline constexpr std::string_view kListenToQueue = R"lua(
local tickets, others = listing(ARGV[6])
add_listener('q' .. ARGV[6] .. '\0')
return {'OK', shown, tickets, others, shortest()}
)lua";

inline constexpr std::string_view kListenToCount = R"lua(
local parent, leaf = split(ARGV[6])
local version, value = value_of(parent, leaf)
if not version then return {'ABSENT', shown} end
if ARGV[#ARGV] ~= '0' then add_listener('c' .. parent .. '\0' .. leaf .. '\0') end
return {'OK', shown, value}
)lua";

// The listener as it is stored, without its session and id; then the id.
inline constexpr std::string_view kStillListening = R"lua(
local there = call('ZSCORE', W, ARGV[6] .. session .. '\0' .. ARGV[7])
return {there and 'OK' or 'ABSENT', shown}
)lua";

inline constexpr std::string_view kIgnore = R"lua(
forget_listener(ARGV[6] .. session .. '\0' .. ARGV[7], session)
return {'OK', shown}
)lua";

}  // namespace holdfast::redis::lua
