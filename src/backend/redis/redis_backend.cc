#include "backend/redis/redis_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <type_traits>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "redis/refusal.h"

namespace holdfast::redis {
namespace {

using resp::Value;
using spi::Reply;
using spi::Status;

// A server that owes an answer is left after this part of the timeout: the rest is for another connection.
constexpr auto silence_of(SessionTime timeout) { return timeout * 2 / 3; }
// Often enough to drive the session clock at full speed: as often as every client beats (lock/validity.h).
constexpr int kBeatsPerTimeout = 6;
constexpr auto kShortestPause = std::chrono::milliseconds(20);

// Of a list; a null if it is shorter.
const Value& item(const Value& value, std::size_t at) {
  static const Value none;
  return at < value.items.size() ? value.items[at] : none;
}

template <class T>
T number(std::string_view text) {
  T value{};
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

char letter(spi::Mode mode) {
  switch (mode) {
    case spi::Mode::exclusive: return 'x';
    case spi::Mode::write: return 'w';
    case spi::Mode::shared: return 's';
    case spi::Mode::permit: return 'p';
    case spi::Mode::none: break;
  }
  return '?';
}

// "0000000007-1790000000000000-x-<uid>".
spi::Ticket ticket_of(const std::string& id) {
  constexpr std::size_t kDigits = 10;
  constexpr std::size_t kMode = kDigits + 1 + 16 + 1;
  spi::Ticket ticket{.id = id, .mode = spi::Mode::none};
  const auto digits = id.substr(0, kDigits);
  if (id.size() <= kMode || digits.find_first_not_of("0123456789") != std::string::npos) return ticket;
  ticket.sequence = number<std::int64_t>(digits);
  switch (id[kMode]) {
    case 'x': ticket.mode = spi::Mode::exclusive; break;
    case 'w': ticket.mode = spi::Mode::write; break;
    case 's': ticket.mode = spi::Mode::shared; break;
    case 'p': ticket.mode = spi::Mode::permit; break;
    default: break;
  }
  return ticket;
}

spi::Listing listing(const Value& tickets, const Value& others) {
  spi::Listing all;
  all.reserve(tickets.items.size() + others.items.size());
  for (const auto& each : tickets.items) all.push_back(ticket_of(each.text));
  for (const auto& each : others.items) all.push_back({.id = each.text, .mode = spi::Mode::none});
  // What another program has put among the tickets is none, too.
  std::stable_partition(all.begin(), all.end(), [](const auto& each) { return each.mode != spi::Mode::none; });
  return all;
}

// As it is published and stored: "1 card".
std::string spelled(const spi::TicketText& text) { return fmt::format("{} {}", text.revoked ? 1 : 0, text.card); }
spi::TicketText ticket_text(std::string_view spelled) {
  return {.card = std::string(spelled.substr(std::min<std::size_t>(2, spelled.size()))),
          .revoked = spelled.starts_with('1')};
}

Reply<spi::TicketText> text_reply(const Value& value) {
  return {Status::ok, {}, {.card = item(value, 3).text, .revoked = item(value, 2).text == "1"}};
}

Reply<std::int32_t> count_reply(const std::string& name, const std::string& text) {
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size()) return {Status::ok, {}, count};
  return {Status::denied, fmt::format("/{} holds {} bytes that are not a count", name, text.size()), {}};
}

Reply<spi::Nothing> nothing(const Value&) { return {}; }

std::string without_slash(const std::string& path) { return path.starts_with('/') ? path.substr(1) : path; }

std::string split_member(char kind, const std::string& path) {
  const auto slash = path.rfind('/');
  const auto parent = slash == std::string::npos ? std::string() : path.substr(0, slash);
  const auto leaf = slash == std::string::npos ? path : path.substr(slash + 1);
  return fmt::format("{}{}{}{}{}", kind, parent, '\0', leaf, '\0');
}

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

// ------------------------------------------------------------------------------------------------------------------ sessions

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

// ------------------------------------------------------------------------------------------------------------------ requests

template <class T, class Parse>
void RedisBackend::request(Script script, std::vector<std::string> words, spi::Callback<T> done, Parse parse) {
  if (closed_ || !connected_) {
    const auto status = closed_ ? Status::closed : Status::unreachable;
    auto why =
        closed_ ? std::string("the client was closed") : fmt::format("no connection to {}: {}", where(), trouble());
    return reactor_.post([done = std::move(done), status, why = std::move(why)] { done({status, why, {}}); });
  }
  const auto sent = reactor_.now();
  client_.call_script(static_cast<std::size_t>(script), words_of(std::move(words), sent),
                      [this, sent, session = session_.id, done = std::move(done),
                       parse = std::function<Reply<T>(const Value&)>(std::move(parse))](
                          const std::optional<Value>& value) { answer<T>(session, sent, value, done, parse); });
}

template <class T>
void RedisBackend::answer(spi::SessionId session, Clock::time_point sent, const std::optional<Value>& value,
                          const spi::Callback<T>& done, const std::function<Reply<T>(const Value&)>& parse) {
  if (closed_) return done({Status::closed, "the client was closed", {}});
  if (!value) return done({Status::unknown, fmt::format("the connection to {} broke", where()), {}});
  if (value->is_error()) {
    const auto refusal = refusal_of(*value, "EVALSHA");
    auto why = fmt::format("{} has refused it: {}", where(), refusal.why);
    const auto code = value->code();
    // Redis refuses these before the script has changed anything.
    const bool passes = code == "OOM" || code == "MISCONF" || code == "NOREPLICAS" || code == "LOADING" ||
                        code == "BUSY" || code == "READONLY" || code == "MASTERDOWN";
    if (code == "READONLY" || code == "MASTERDOWN") client_.leave(refusal.why);
    return done({passes ? Status::unreachable : Status::denied, std::move(why), {}});
  }
  const auto& word = item(*value, 0).text;
  witness_.saw(SessionTime(number<std::int64_t>(item(*value, 1).text)), reactor_.now());
  if (word == "OK" || word == "ABSENT") {
    observer_->acknowledged(session, sent, /*by_keeper=*/true);
    return done(word == "OK" ? parse(*value) : Reply<T>{Status::absent, "it is not there", {}});
  }
  if (word == "EXPIRED") {
    done({Status::expired, "the session has ended", {}});
    if (session != session_.id || closed_) return;
    session_is_over();
    return say_hello();
  }
  if (word == "DENIED") return done({Status::denied, item(*value, 2).text, {}});
  // STALE: another connection speaks for this session, or this is not the server any more that it was. Which, hello finds out.
  client_.leave(word == "STALE" ? "it is not the server any more that it was" : "it answers what was not asked");
  done({Status::unknown, fmt::format("{} does not know this connection", where()), {}});
}

void RedisBackend::enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) {
  std::vector<std::string> words{std::to_string(requests.size())};
  for (const auto& each : requests) {
    words.insert(words.end(), {each.queue, each.uid, std::string(1, letter(each.mode)), each.card, each.in_place_of});
  }
  const auto count = requests.size();
  request(Script::enqueue, std::move(words), std::move(done),
          [count, session = session_.id](const Value& value) -> Reply<std::vector<spi::Enqueued>> {
            Reply<std::vector<spi::Enqueued>> reply;
            const auto token = number<Token>(item(value, 2).text);
            for (std::size_t i = 0; i < count; ++i) {
              const auto ticket = ticket_of(item(value, 3 + i).text);
              reply.value.push_back({.place = {.ticket = ticket, .token = token, .session = session},
                                     .queue = listing(item(value, 3 + count + 2 * i), item(value, 4 + count + 2 * i))});
            }
            return reply;
          });
}

void RedisBackend::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  request(Script::find, {queue, uid}, std::move(done), [](const Value& value) -> Reply<spi::Enqueued> {
    return {Status::ok,
            {},
            {.place = {.ticket = ticket_of(item(value, 2).text),
                       .token = number<Token>(item(value, 3).text),
                       .session = number<spi::SessionId>(item(value, 4).text)},
             .queue = listing(item(value, 5), item(value, 6))}};
  });
}

void RedisBackend::list(const std::string& queue, spi::Callback<spi::Listing> done) {
  request(Script::list, {queue}, std::move(done), [](const Value& value) -> Reply<spi::Listing> {
    return {Status::ok, {}, listing(item(value, 2), item(value, 3))};
  });
}

void RedisBackend::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(Script::dequeue, {queue, ticket}, std::move(done), nothing);
}

void RedisBackend::read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) {
  request(Script::read, {queue, ticket}, std::move(done), text_reply);
}

void RedisBackend::check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(Script::read, {queue, ticket}, std::move(done), nothing);
}

void RedisBackend::write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
                         spi::Callback<spi::Nothing> done) {
  request(Script::write, {queue, ticket, text.revoked ? "1" : "0", text.card}, std::move(done), nothing);
}

void RedisBackend::beat_again(spi::Callback<spi::Nothing> done) {
  request(Script::beat, {}, std::move(done), [this](const Value& value) -> Reply<spi::Nothing> {
    keep_pace(item(value, 2));
    return {};
  });
}

void RedisBackend::keep_pace(const Value& shortest) {
  if (!shortest.text.empty()) shortest_timeout_ = SessionTime(number<std::int64_t>(shortest.text));
  if (pace_timer_ != net::Reactor::kNoTimer || listeners_.empty() || closed_ || pace() == asked_timeout_) return;
  const auto pause = std::max<Clock::duration>(pace() / kBeatsPerTimeout, kShortestPause);
  pace_timer_ = reactor_.at(reactor_.now() + pause, [this] {
    pace_timer_ = net::Reactor::kNoTimer;
    if (connected_ && !listeners_.empty()) beat_again([](const auto&) {});
  });
}

SessionTime RedisBackend::pace() const {
  return shortest_timeout_ > SessionTime(0) ? std::min(shortest_timeout_, asked_timeout_) : asked_timeout_;
}

void RedisBackend::leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(Script::leave_mark, {queue, ticket}, std::move(done), nothing);
}

void RedisBackend::abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) {
  request(Script::abandoned_marks, {queue}, std::move(done), [](const Value& value) -> Reply<std::vector<std::string>> {
    Reply<std::vector<std::string>> reply;
    for (const auto& each : item(value, 2).items) reply.value.push_back(each.text);
    return reply;
  });
}

void RedisBackend::make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) {
  request(Script::make_count, {name, std::to_string(initial)}, std::move(done), nothing);
}

void RedisBackend::read_count(const std::string& name, spi::Callback<std::int32_t> done) {
  request(Script::listen_to_count, {name, "0"}, std::move(done),
          [name](const Value& value) { return count_reply(name, item(value, 2).text); });
}

void RedisBackend::set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) {
  request(Script::set_count, {name, std::to_string(count)}, std::move(done), nothing);
}

void RedisBackend::examine(const std::string& queue, spi::Callback<spi::Examination> done) {
  request(Script::examine, {queue}, std::move(done), [](const Value& value) -> Reply<spi::Examination> {
    Reply<spi::Examination> reply;
    auto& found = reply.value;
    found.next_sequence = number<std::int64_t>(item(value, 2).text);
    for (const auto& each : item(value, 3).items) {
      const std::chrono::microseconds made(number<std::int64_t>(item(each, 3).text));
      auto ticket = ticket_of(item(each, 0).text);
      const bool ours = ticket.mode != spi::Mode::none;
      found.tickets.push_back({.ticket = std::move(ticket),
                               .recipe = ours ? "Holdfast" : "",
                               .text = {.card = item(each, 5).text, .revoked = item(each, 4).text == "1"},
                               .token = number<Token>(item(each, 2).text),
                               .session = number<spi::SessionId>(item(each, 1).text),
                               .made = std::chrono::system_clock::time_point(
                                   std::chrono::duration_cast<std::chrono::system_clock::duration>(made))});
    }
    for (const auto& each : item(value, 4).items) found.below.push_back(each.text);
    std::sort(found.below.begin(), found.below.end());
    found.semaphore =
        found.tickets.empty() && std::find(found.below.begin(), found.below.end(), kPermits) != found.below.end();
    return reply;
  });
}

void RedisBackend::commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
                          spi::Callback<spi::Nothing> done) {
  std::vector<std::string> words{std::to_string(guards.size())};
  for (const auto& guard : guards) words.insert(words.end(), {guard.queue, guard.ticket});
  words.push_back(std::to_string(changes.size()));
  for (const auto& change : changes) {
    const char* what = "check";
    switch (change.what) {
      case spi::Change::What::create: what = "create"; break;
      case spi::Change::What::set: what = "set"; break;
      case spi::Change::What::remove: what = "remove"; break;
      case spi::Change::What::check: break;
    }
    words.insert(words.end(), {what, without_slash(change.path), change.text,
                               change.version ? std::to_string(*change.version) : std::string()});
  }
  request(Script::commit, std::move(words), std::move(done), nothing);
}

// ----------------------------------------------------------------------------------------------------------------- listeners

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
