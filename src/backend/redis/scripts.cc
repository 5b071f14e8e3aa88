#include "backend/redis/scripts.h"

#include <fmt/format.h>

#include "backend/redis/lua_common.h"
#include "backend/redis/lua_listeners.h"
#include "backend/redis/lua_sessions.h"
#include "backend/redis/lua_tickets.h"
#include "backend/redis/lua_values.h"
#include "backend/redis/session_clock.h"

namespace holdfast::redis {
namespace {

// Tickets and listeners of a dead session that one script removes at most: a few milliseconds.
constexpr int kMostSwept = 256;

// For how long at least a timeout is remembered that no session has any more (lua_sessions.h).
constexpr SessionTime kDay = std::chrono::days(1);

std::string constants() {
  return fmt::format("local CLAIMS_PER_TIMEOUT, MOST_SWEPT, MARK_OF, DAY = {}, {}, '{}', {}\n", kClaimsPerTimeout,
                     kMostSwept, kMarkOf, kDay.count());
}

enum class IfFull { refused, done };

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text = constants();
  for (const auto part : parts) text += part;
  return text;
}

std::string request(std::string_view what, IfFull if_full, std::string_view before = {}, std::string_view also = {}) {
  return joined({lua::kNames, if_full == IfFull::done ? lua::kEvenIfFull : "", lua::kSession, before, also, what});
}

}  // namespace

std::vector<std::string> scripts() {
  std::vector<std::string> all(kScripts);
  const auto set = [&](Script script, std::string text) { all[static_cast<std::size_t>(script)] = std::move(text); };
  set(Script::hello, joined({lua::kTypes, lua::kNames, lua::kRights, lua::kInstance, lua::kHello}));
  set(Script::close, request(lua::kClose, IfFull::done));
  set(Script::beat,
      joined({lua::kNames, lua::kEvenIfFull, lua::kInstance, lua::kSameInstance, lua::kSession, lua::kPace}));
  set(Script::enqueue, request(lua::kEnqueue, IfFull::refused));
  set(Script::find, request(lua::kFind, IfFull::done));
  set(Script::list, request(lua::kList, IfFull::done));
  set(Script::dequeue, request(lua::kDequeue, IfFull::done));
  set(Script::read, request(lua::kRead, IfFull::done, lua::kText));
  set(Script::write, request(lua::kWrite, IfFull::done));
  set(Script::listen, request(lua::kListen, IfFull::done, lua::kText, lua::kAddListener));
  set(Script::listen_to_queue, request(lua::kListenToQueue, IfFull::done, lua::kAddListener));
  set(Script::listen_to_count, request(lua::kListenToCount, IfFull::done, lua::kAddListener));
  set(Script::still_listening, request(lua::kStillListening, IfFull::done));
  set(Script::ignore, request(lua::kIgnore, IfFull::done));
  set(Script::leave_mark, request(lua::kLeaveMark, IfFull::done));
  set(Script::abandoned_marks, request(lua::kAbandonedMarks, IfFull::done));
  set(Script::make_count, request(lua::kMakeCount, IfFull::refused));
  set(Script::set_count, request(lua::kSetCount, IfFull::done));
  set(Script::examine, request(lua::kExamine, IfFull::done));
  set(Script::commit, request(lua::kCommit, IfFull::refused));
  return all;
}

std::string channels_of(std::string_view prefix, int database) { return fmt::format("{{{}}}:n:{}:", prefix, database); }

std::string script_to_end_a_session() { return joined({lua::kNames, lua::kEvenIfFull, lua::kClose}); }

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
