#include "backend/redis/redis_backend.h"

#include <algorithm>
#include <utility>

#include "backend/redis/answers.h"
#include "backend/redis/redis_backend_request.h"

namespace holdfast::redis {
namespace {

using resp::Value;
using spi::Reply;
using spi::Status;

std::string without_slash(const std::string& path) { return path.starts_with('/') ? path.substr(1) : path; }

}  // namespace

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
    // Of a crowd that has died, one script ends a part. Its successors do not wait for as many beats.
    if (item(value, 3).text == "1" && connected_ && !closed_) beat_again([](const auto&) {});
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

}  // namespace holdfast::redis
