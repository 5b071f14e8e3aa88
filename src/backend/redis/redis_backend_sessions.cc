// RedisBackend's sessions: they begin with hello, on the first connection and after a loss, and go on over the next ones.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "backend/redis/answers.h"
#include "backend/redis/redis_backend.h"
#include "base/text.h"
#include "redis/refusal.h"

namespace holdfast::redis {
namespace {

using resp::Value;

// A server that owes an answer is left after this part of the timeout: the rest is for another connection.
constexpr auto silence_of(SessionTime timeout) { return timeout * 2 / 3; }
Client::Options with_scripts(Client::Options options, SessionTime timeout) {
  options.silence = silence_of(timeout);
  options.scripts = scripts();
  return options;
}

}  // namespace

RedisBackend::RedisBackend(net::Reactor& reactor, Store store, std::chrono::milliseconds session_timeout,
                           std::shared_ptr<net::ClientTls> tls)
    : reactor_(reactor),
      store_(std::move(store)),
      asked_timeout_(session_timeout),
      keys_(keys_of(store_.prefix)),
      client_(reactor, with_scripts(store_.client, session_timeout),
              {.connected =
                   [this] {
                     witness_.forget();  // it may be another server
                     say_hello();
                   },
               .disconnected = [this] { lost(); },
               .refused = [this](const std::string& why) { refused(why); },
               .told = [this](const std::string& from, const std::string& text) { told(from, text); }},
              std::move(tls)) {}

void RedisBackend::open(spi::Observer& observer) {
  observer_ = &observer;
  reactor_.post([this] {
    if (!closed_) client_.open();
  });
}

std::string RedisBackend::channel() const { return channels_of(store_.prefix, store_.client.database); }

resp::Command RedisBackend::words_of(std::vector<std::string> words, Clock::time_point now) const {
  const auto claim = witness_.claim(now, pace());
  resp::Command all{std::to_string(keys_.size())};
  all.reserve(keys_.size() + 6 + words.size());
  all.insert(all.end(), keys_.begin(), keys_.end());
  all.insert(all.end(), {std::to_string(session_.id), connection_, std::to_string(claim.seen.count()),
                         std::to_string(claim.passed.count()), channel()});
  std::move(words.begin(), words.end(), std::back_inserter(all));
  return all;
}

void RedisBackend::say_hello() {
  if (closed_ || !client_.connected()) return;
  const auto sent = reactor_.now();
  client_.call_script(static_cast<std::size_t>(Script::hello),
                      words_of({std::to_string(asked_timeout_.count()), had_session_ ? "1" : "0"}, sent),
                      [this, sent](const std::optional<Value>& answer) { greeted(answer, sent); });
}

void RedisBackend::greeted(const std::optional<Value>& answer, Clock::time_point sent) {
  if (!answer || closed_) return;  // the next connection asks again
  if (answer->is_error()) {
    const auto refusal = refusal_of(*answer, "EVALSHA");
    return refusal.final ? refused(refusal.why) : client_.leave(refusal.why);
  }
  const auto& word = item(*answer, 0).text;
  const auto& detail = item(*answer, 2).text;
  if (word == "OK") return session_begins(*answer, sent);
  if (word == "CLOSED") {
    witness_.saw(SessionTime(number<std::int64_t>(item(*answer, 1).text)), reactor_.now());
    const auto rest = SessionTime(number<std::int64_t>(detail));
    not_yet_ = fmt::format(
        "Redis has restarted, failed over or lost its data, and gives no locks before those from before it have ended: "
        "{} s more",
        std::chrono::ceil<std::chrono::seconds>(rest).count());
    if (session_.id != 0) session_is_over();
    reactor_.cancel(hello_timer_);
    const auto pause = std::max<Clock::duration>(asked_timeout_ / kBeatsPerTimeout, kShortestPause);
    hello_timer_ = reactor_.at(reactor_.now() + pause, [this] {
      hello_timer_ = net::Reactor::kNoTimer;
      say_hello();
    });
    return;
  }
  if (word == "REPLICA")
    return client_.leave(fmt::format("it is a replica of {}; name that one", base::printable(detail)));
  if (word == "FOREIGN") {
    return refused(fmt::format("the key {} there is a {}, which is not Holdfast's; use another prefix or database",
                               base::printable(detail), base::printable(item(*answer, 3).text)));
  }
  if (word == "FORBIDDEN") {
    const auto& key = item(*answer, 3).text;
    return refused(
        fmt::format("its user may not do what a lock needs ({}{}{}); see docs/backends/redis.md for the rights",
                    base::printable(detail), key.empty() ? "" : " on ", base::printable(key)));
  }
  if (word == "LAYOUT") {
    return refused(
        fmt::format("what is stored there has the layout {}, of another version of Holdfast", base::printable(detail)));
  }
  if (word == "EVICTS") {
    return refused(
        fmt::format("it may throw locks away when its memory is full (maxmemory-policy {}); set it to noeviction "
                    "or volatile-lru",
                    base::printable(detail)));
  }
  client_.leave("it answers what was not asked");
}

void RedisBackend::session_begins(const Value& answer, Clock::time_point sent) {
  reactor_.cancel(std::exchange(hello_timer_, net::Reactor::kNoTimer));
  not_yet_.clear();
  witness_.saw(SessionTime(number<std::int64_t>(item(answer, 1).text)), reactor_.now());
  const auto id = number<spi::SessionId>(item(answer, 2).text);
  const bool goes_on = id == session_.id;
  if (!goes_on && session_.id != 0) {
    listeners_.clear();
    observer_->expired(std::exchange(session_.id, 0));
  }
  connection_ = item(answer, 3).text;
  had_session_ = true;
  if (!goes_on) session_ = {.id = id, .timeout = asked_timeout_, .asked = sent};
  // Whatever is asked after this comes after it over there, too: no listener is armed before the channel is heard.
  client_.call({"SUBSCRIBE", channel() + std::to_string(id)}, [this](const std::optional<Value>& subscribed) {
    if (!subscribed || !subscribed->is_error() || closed_) return;
    const auto refusal = refusal_of(*subscribed, "SUBSCRIBE");
    refusal.final ? refused(refusal.why) : client_.leave(refusal.why);
  });
  connected_ = true;
  observer_->connected(session_);
  if (!goes_on || closed_) return;
  observer_->acknowledged(session_.id, sent, /*by_keeper=*/true);
  look_again();
}

void RedisBackend::session_is_over() {
  connected_ = false;
  listeners_.clear();
  observer_->expired(std::exchange(session_.id, 0));
}

void RedisBackend::lost() {
  reactor_.cancel(std::exchange(hello_timer_, net::Reactor::kNoTimer));
  not_yet_.clear();
  if (std::exchange(connected_, false) && !closed_) observer_->disconnected();
}

void RedisBackend::refused(const std::string& why) {
  if (closed_) return;
  connected_ = false;
  not_yet_ = why;
  observer_->refused(fmt::format("no session at {}: {}", where(), why));
}

std::string RedisBackend::trouble() const {
  if (connected_) return {};
  return not_yet_.empty() ? client_.trouble() : not_yet_;
}

std::function<void()> RedisBackend::close() {
  resp::Command goodbye;
  if (connected_) {
    goodbye = client_.command_of(static_cast<std::size_t>(Script::close), words_of({}, reactor_.now()));
  }
  closed_ = true;
  connected_ = false;
  reactor_.cancel(std::exchange(hello_timer_, net::Reactor::kNoTimer));
  reactor_.cancel(std::exchange(pace_timer_, net::Reactor::kNoTimer));
  return client_.close(goodbye);
}

}  // namespace holdfast::redis
