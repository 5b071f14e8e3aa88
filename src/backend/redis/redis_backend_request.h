// redis_backend_request.h -- how RedisBackend asks: a script is called, and its answer becomes a Reply. For its own source files only.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backend/redis/answers.h"
#include "backend/redis/redis_backend.h"
#include "redis/refusal.h"

namespace holdfast::redis {

template <class T, class Parse>
void RedisBackend::request(Script script, std::vector<std::string> words, spi::Callback<T> done, Parse parse) {
  if (closed_ || !connected_) {
    const auto status = closed_ ? spi::Status::closed : spi::Status::unreachable;
    auto why =
        closed_ ? std::string("the client was closed") : fmt::format("no connection to {}: {}", where(), trouble());
    return reactor_.post([done = std::move(done), status, why = std::move(why)] { done({status, why, {}}); });
  }
  const auto sent = reactor_.now();
  client_.call_script(static_cast<std::size_t>(script), words_of(std::move(words), sent),
                      [this, sent, session = session_.id, done = std::move(done),
                       parse = std::function<spi::Reply<T>(const resp::Value&)>(std::move(parse))](
                          const std::optional<resp::Value>& value) { answer<T>(session, sent, value, done, parse); });
}

template <class T>
void RedisBackend::answer(spi::SessionId session, Clock::time_point sent, const std::optional<resp::Value>& value,
                          const spi::Callback<T>& done, const std::function<spi::Reply<T>(const resp::Value&)>& parse) {
  if (closed_) return done({spi::Status::closed, "the client was closed", {}});
  if (!value) return done({spi::Status::unknown, fmt::format("the connection to {} broke", where()), {}});
  if (value->is_error()) {
    const auto refusal = refusal_of(*value, "EVALSHA");
    auto why = fmt::format("{} has refused it: {}", where(), refusal.why);
    if (refusal.is_not_the_master) client_.leave(refusal.why);
    return done({refusal.passes ? spi::Status::unreachable : spi::Status::denied, std::move(why), {}});
  }
  const auto& word = item(*value, 0).text;
  witness_.saw(SessionTime(number<std::int64_t>(item(*value, 1).text)), reactor_.now());
  if (word == "OK" || word == "ABSENT") {
    observer_->acknowledged(session, sent, /*by_keeper=*/true);
    return done(word == "OK" ? parse(*value) : spi::Reply<T>{spi::Status::absent, "it is not there", {}});
  }
  if (word == "EXPIRED") {
    done({spi::Status::expired, "the session has ended", {}});
    if (session != session_.id || closed_) return;
    session_is_over();
    return say_hello();
  }
  if (word == "DENIED") return done({spi::Status::denied, item(*value, 2).text, {}});
  // STALE: another connection speaks for this session, or this is not the server any more that it was. Which, hello finds out.
  client_.leave(word == "STALE" ? "it is not the server any more that it was" : "it answers what was not asked");
  done({spi::Status::unknown, fmt::format("{} does not know this connection", where()), {}});
}

}  // namespace holdfast::redis
