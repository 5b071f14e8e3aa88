// RedisBackend's listeners: what is published on the session's channel reaches the one that asked for it, over connections and their loss.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "backend/redis/answers.h"
#include "backend/redis/redis_backend.h"
#include "backend/redis/redis_backend_request.h"

namespace holdfast::redis {
namespace {

using resp::Value;
using spi::Reply;
using spi::Status;

std::string split_member(char kind, const std::string& path) {
  const auto slash = path.rfind('/');
  const auto parent = slash == std::string::npos ? std::string() : path.substr(0, slash);
  const auto leaf = slash == std::string::npos ? path : path.substr(slash + 1);
  return fmt::format("{}{}{}{}{}", kind, parent, '\0', leaf, '\0');
}

}  // namespace

template <class T, class Parse>
RedisBackend::ListenerId RedisBackend::add_listener(Listener listener, spi::Callback<T> armed, Parse parse) {
  const ListenerId id = ++last_listener_;
  listener.words.push_back(std::to_string(id));
  const auto script = listener.script;
  const auto words = listener.words;
  listeners_[id] = std::move(listener);
  request<T>(
      script, words,
      [this, id, armed = std::move(armed)](Reply<T> reply) {
        const auto found = listeners_.find(id);
        if (found == listeners_.end()) return;
        if (reply) {
          found->second.armed = true;
        } else {
          listeners_.erase(found);
        }
        armed(std::move(reply));
      },
      [this, id, parse](const Value& value) {
        auto reply = parse(value);
        if constexpr (!std::is_same_v<T, std::int32_t>) keep_pace(item(value, 4));
        if (const auto found = listeners_.find(id); found != listeners_.end()) {
          // As what is told spells it.
          if constexpr (std::is_same_v<T, spi::TicketText>) found->second.last = spelled(reply.value);
          if constexpr (std::is_same_v<T, std::int32_t>) found->second.last = item(value, 2).text;
        }
        return reply;
      });
  return id;
}

RedisBackend::ListenerId RedisBackend::listen(const std::string& queue, const std::string& ticket,
                                              spi::Callback<spi::TicketText> armed, spi::TicketListener told) {
  return add_listener(Listener{.member = fmt::format("t{}{}{}{}", queue, '\0', ticket, '\0'),
                               .script = Script::listen,
                               .words = {queue, ticket},
                               .told = std::move(told)},
                      std::move(armed), text_reply);
}

RedisBackend::ListenerId RedisBackend::listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                                                       spi::TicketListener told) {
  return add_listener(Listener{.member = fmt::format("q{}{}", queue, '\0'),
                               .script = Script::listen_to_queue,
                               .words = {queue},
                               .told = std::move(told)},
                      std::move(armed), [](const Value& value) -> Reply<spi::Listing> {
                        return {Status::ok, {}, listing(item(value, 2), item(value, 3))};
                      });
}

RedisBackend::ListenerId RedisBackend::listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                                                       spi::CountListener told) {
  return add_listener(Listener{.member = split_member('c', name),
                               .script = Script::listen_to_count,
                               .words = {name},
                               .count_told = std::move(told)},
                      std::move(armed), [name](const Value& value) { return count_reply(name, item(value, 2).text); });
}

void RedisBackend::ignore(ListenerId listener) {
  if (closed_) return;
  const auto found = listeners_.find(listener);
  if (found == listeners_.end()) return;
  const auto member = std::move(found->second.member);
  listeners_.erase(found);
  if (!connected_) return;  // it stays over there until its ticket or this session ends, and what it says is not heard
  request<spi::Nothing>(
      Script::ignore, {member, std::to_string(listener)}, [](const auto&) {}, nothing);
}

// "<what> <id> <text>", see scripts.h.
void RedisBackend::told(const std::string& from, const std::string& text) {
  if (closed_ || from != channel() + std::to_string(session_.id) || text.size() < 3) return;
  const auto space = std::min(text.find(' ', 2), text.size());
  const auto id = number<ListenerId>(std::string_view(text).substr(2, space - 2));
  tell(id, text.front(), space < text.size() ? text.substr(space + 1) : std::string());
}

void RedisBackend::tell(ListenerId id, char what, const std::string& text) {
  const auto found = listeners_.find(id);
  if (found == listeners_.end()) return;
  auto& listener = found->second;
  if (what == 'c') {
    if (std::exchange(listener.last, text) == text || !listener.count_told) return;
    const auto count_told = listener.count_told;
    if (const auto count = count_reply({}, text)) count_told(count.value);
  } else if (what == 't') {
    if (std::exchange(listener.last, text) == text || !listener.told) return;
    const auto told = listener.told;
    told({Status::ok, {}, ticket_text(text)});
  } else {
    const auto told = std::move(listener.told);
    listeners_.erase(found);
    if (told) told({Status::absent, what == 'g' ? "it is gone" : "something came or went", {}});
  }
}

// The session goes on over another connection: what was published meanwhile was not heard.
void RedisBackend::look_again() {
  std::vector<ListenerId> all;
  for (const auto& [id, listener] : listeners_) {
    if (listener.armed) all.push_back(id);
  }
  for (const auto id : all) {
    const auto& listener = listeners_.at(id);
    const auto script = listener.script;
    if (script == Script::listen_to_queue) {
      request<spi::Nothing>(
          Script::still_listening, {listener.member, std::to_string(id)},
          [this, id](const auto& reply) {
            if (reply.status == Status::absent) tell(id, 'q', {});
          },
          nothing);
    } else {
      request<std::string>(
          script, listener.words,
          [this, id, script](const Reply<std::string>& reply) {
            if (reply) tell(id, script == Script::listen ? 't' : 'c', reply.value);
            // A count that was removed says nothing.
            if (reply.status == Status::absent && script == Script::listen) tell(id, 'g', {});
          },
          [script](const Value& value) -> Reply<std::string> {
            if (script == Script::listen_to_count) return {Status::ok, {}, item(value, 2).text};
            return {Status::ok, {}, item(value, 2).text + " " + item(value, 3).text};
          });
    }
  }
}

}  // namespace holdfast::redis
