#include "backend/redis/cell_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/assert.h"
#include "base/random.h"
#include "base/text.h"
#include "base/uuid.h"
#include "redis/refusal.h"

namespace holdfast::redis {
namespace {

using resp::Value;
using spi::Reply;
using spi::Status;

// A server that owes an answer is left after this part of the time to live: the rest is for another connection.
constexpr auto silence_of(std::chrono::milliseconds time) { return time * 2 / 3; }
// Cells that one script extends: a millisecond of the server's time.
constexpr std::size_t kMostExtended = 500;

std::string text_at(const Value& value, std::size_t at) {
  return at < value.items.size() ? value.items[at].text : std::string();
}

Client::Options with_scripts(Client::Options options, CellKind kind, std::chrono::milliseconds time) {
  options.silence = silence_of(time);
  options.scripts = cell_scripts(kind);
  return options;
}

spi::SessionId any_session() {
  const auto high = static_cast<spi::SessionId>(base::random_number() >> 1);
  return (high << 32 | static_cast<spi::SessionId>(base::random_number())) + 1;
}

}  // namespace

CellBackend::CellBackend(net::Reactor& reactor, CellStore store, std::chrono::milliseconds time,
                         std::shared_ptr<net::ClientTls> tls)
    : reactor_(reactor),
      store_(std::move(store)),
      time_(time),
      uuid_(base::random_uuid()),
      client_(reactor, with_scripts(store_.client, store_.layout.kind, time),
              {.connected = [this] { say_hello(); },
               .disconnected = [this] { lost(); },
               .refused = [this](const std::string& why) { refused(why); },
               .told = [this](const std::string& from, const std::string&) { told(from); }},
              std::move(tls)) {
  HOLDFAST_ASSERT(store_.layout.key.find("%s") != std::string::npos, store_.layout.key);
}

// ------------------------------------------------------------------------------------------------------------------ sessions

void CellBackend::open(spi::Observer& observer) {
  observer_ = &observer;
  reactor_.post([this] {
    if (!closed_) client_.open();
  });
}

void CellBackend::say_hello() {
  if (closed_) return;
  const auto sent = reactor_.now();
  call(CellScript::hello, {"0"}, [this, sent](const Answer& answer) { greeted(answer, sent); });
}

void CellBackend::greeted(const Answer& answer, Clock::time_point sent) {
  if (answer.status == Status::denied) return refused(answer.detail);
  if (answer.status == Status::unreachable) return client_.leave(answer.detail);
  if (!answer) return;  // the next connection asks again
  const auto word = text_at(answer.value, 0);
  const auto detail = text_at(answer.value, 1);
  if (word == "REPLICA")
    return client_.leave(fmt::format("it is a replica of {}; name that one", base::printable(detail)));
  if (word == "EVICTS") {
    return refused(
        fmt::format("it may throw locks away when its memory is full (maxmemory-policy {}); set it to noeviction",
                    base::printable(detail)));
  }
  if (word != "OK") return client_.leave("it answers what was not asked");
  // What is ours lives on before anything may rely on it.
  extend_all([this, sent](const Reply<spi::Nothing>& reply) {
    if (reply) return session_begins(sent);
    if (reply.status == Status::denied) return refused(reply.detail);
    if (reply.status == Status::unreachable) client_.leave(reply.detail);
  });
}

void CellBackend::session_begins(Clock::time_point sent) {
  if (closed_ || !client_.connected()) return;
  not_yet_.clear();
  if (session_.id == 0) session_ = {.id = any_session(), .timeout = time_, .asked = sent};
  connected_ = true;
  observer_->connected(session_);
  observer_->acknowledged(session_.id, sent, /*by_keeper=*/true);
  for (auto& [queue, cell] : cells_) {
    if (!cell.waiting) continue;
    if (!cell.channel.empty()) client_.call({"SUBSCRIBE", cell.channel}, [](const auto&) {});
    acquire(cell);
  }
}

void CellBackend::lost() {
  not_yet_.clear();
  if (std::exchange(connected_, false) && !closed_) observer_->disconnected();
}

void CellBackend::refused(const std::string& why) {
  if (closed_) return;
  connected_ = false;
  not_yet_ = why;
  observer_->refused(fmt::format("no session at {}: {}", where(), why));
}

std::string CellBackend::trouble() const {
  if (connected_) return {};
  return not_yet_.empty() ? client_.trouble() : not_yet_;
}

std::vector<std::string> CellBackend::goodbye() const {
  std::vector<std::string> keys;
  std::vector<std::string> arguments;
  const auto add = [&](const std::string& key, const std::string& owner, const std::string& channel) {
    keys.push_back(key);
    arguments.insert(arguments.end(), {owner, channel});
  };
  for (const auto& [queue, cell] : cells_) {
    if (cell.first().may_have_the_cell() || cell.first().stray) add(cell.key, cell.first().owner, cell.channel);
  }
  for (const auto& stray : strays_) add(stray.key, stray.owner, stray.channel);
  if (keys.empty()) return {};
  keys.insert(keys.begin(), std::to_string(keys.size()));
  keys.insert(keys.end(), arguments.begin(), arguments.end());
  return keys;
}

std::function<void()> CellBackend::close() {
  resp::Command last;
  if (auto words = goodbye(); connected_ && !words.empty()) {
    last = client_.command_of(static_cast<std::size_t>(CellScript::leave), std::move(words));
  }
  closed_ = true;
  connected_ = false;
  for (auto& [queue, cell] : cells_) reactor_.cancel(std::exchange(cell.timer, net::Reactor::kNoTimer));
  return client_.close(last);
}

// ------------------------------------------------------------------------------------------------------------------ requests

CellBackend::Answer CellBackend::answer_of(const std::optional<Value>& value) {
  if (closed_) return {Status::closed, "the client was closed", {}};
  if (!value) return {Status::unknown, fmt::format("the connection to {} broke", where()), {}};
  if (!value->is_error()) return {Status::ok, {}, *value};
  const auto refusal = refusal_of(*value, "EVALSHA");
  if (refusal.is_not_the_master) client_.leave(refusal.why);
  return {refusal.passes ? Status::unreachable : Status::denied,
          fmt::format("{} has refused it: {}", where(), refusal.why),
          {}};
}

void CellBackend::call(CellScript script, resp::Command words, Answered done) {
  client_.call_script(static_cast<std::size_t>(script), std::move(words),
                      [this, done = std::move(done)](const std::optional<Value>& value) { done(answer_of(value)); });
}

void CellBackend::request(CellScript script, resp::Command words, Answered done) {
  if (closed_ || !connected_) return reply_later<Value>(std::move(done), no_connection());
  call(script, std::move(words), [this, sent = reactor_.now(), done = std::move(done)](const Answer& answer) {
    // Not by the keeper: it says nothing about the cells that are held.
    if (answer && connected_) observer_->acknowledged(session_.id, sent, /*by_keeper=*/false);
    done(answer);
  });
}

CellBackend::NoConnection CellBackend::no_connection() const {
  return {closed_ ? Status::closed : Status::unreachable,
          closed_ ? "the client was closed" : fmt::format("no connection to {}: {}", where(), trouble())};
}

void CellBackend::look(const std::string& queue, std::function<void(const Reply<std::optional<Stored>>&)> done) {
  request(CellScript::look, {"1", store_.layout.key_of(queue)}, [done = std::move(done)](const Answer& answer) {
    if (!answer) return done({answer.status, answer.detail, {}});
    if (text_at(answer.value, 0) != "BUSY") return done({});
    done({Status::ok, {}, stored_of(answer.value)});
  });
}

void CellBackend::remove(const std::string& key, const std::string& id, const std::string& channel,
                         spi::Callback<spi::Nothing> done) {
  request(CellScript::remove, {"1", key, id, channel}, [done = std::move(done)](const Answer& answer) {
    if (!answer) return done({answer.status, answer.detail, {}});
    done({text_at(answer.value, 0) == "OK" ? Status::ok : Status::absent, {}, {}});
  });
}

// ------------------------------------------------------------------------------------------------------------------- tickets

Cell* CellBackend::cell_of(const std::string& queue) {
  const auto found = cells_.find(queue);
  return found == cells_.end() ? nullptr : &found->second;
}

CellTicketPtr CellBackend::ticket_of(const std::string& queue, const std::string& id) {
  const auto* cell = cell_of(queue);
  if (cell == nullptr) return nullptr;
  const auto found =
      std::find_if(cell->tickets.begin(), cell->tickets.end(), [&](const auto& each) { return each->id == id; });
  return found == cell->tickets.end() ? nullptr : *found;
}

spi::Enqueued CellBackend::enqueued(const Cell& cell, const CellTicket& ticket) const {
  return {.place = {.ticket = {.id = ticket.id, .sequence = ticket.sequence},
                    .token = ticket.token,
                    .session = session_.id},
          .queue = cell.listing()};
}

void CellBackend::enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) {
  const auto& wanted = requests.front();
  if (wanted.mode == spi::Mode::permit) return unsupported(done, "no semaphores");
  if (wanted.mode != spi::Mode::exclusive) return unsupported(done, "no readers and writers");
  if (requests.size() > 1) return unsupported(done, "no locks of several names");
  if (store_.layout.key_of(wanted.queue) == store_.layout.counter) {
    return reply_later<std::vector<spi::Enqueued>>(
        std::move(done), {Status::denied,
                          fmt::format("the key {} is Holdfast's counter of tokens; choose another name or prefix",
                                      base::printable(store_.layout.counter)),
                          {}});
  }
  if (closed_ || !connected_) return reply_later<std::vector<spi::Enqueued>>(std::move(done), no_connection());
  const auto ticket = std::make_shared<CellTicket>();
  ticket->queue = wanted.queue;
  ticket->uid = wanted.uid;
  ticket->card = wanted.card;
  ticket->sequence = ++last_sequence_;
  const bool redisson = store_.layout.kind == CellKind::redisson;
  ticket->id = redisson ? fmt::format("{}:{}", uuid_, ticket->sequence) : wanted.uid;
  ticket->owner = redisson ? ticket->id : fmt::format("{} {}", wanted.uid, wanted.card);
  auto& cell = cells_[wanted.queue];
  if (cell.queue.empty()) {
    cell.queue = wanted.queue;
    cell.key = store_.layout.key_of(wanted.queue);
    cell.channel = store_.layout.channel_of(cell.key);
  }
  cell.tickets.push_back(ticket);
  if (cell.tickets.size() > 1)
    return reply_later<std::vector<spi::Enqueued>>(done, {.value = {enqueued(cell, *ticket)}});
  acquire(cell, [this, queue = wanted.queue, ticket, done = std::move(done)](const Reply<spi::Nothing>& reply) {
    auto* const there = cell_of(queue);
    if (reply) {
      const Cell none;
      return done({.value = {enqueued(there != nullptr ? *there : none, *ticket)}});
    }
    // Then there is no ticket, unless the answer was lost.
    if (reply.status != Status::unknown && there != nullptr) take_out(*there, ticket);
    done({reply.status, reply.detail, {}});
  });
}

void CellBackend::acquire(Cell& cell, Settled done) {
  if (!cell.attempt || cell.attempt->ticket != cell.tickets.front()) {
    auto& ticket = *cell.tickets.front();
    HOLDFAST_ASSERT(!ticket.holds(), cell.queue);
    cell.attempt = std::make_shared<CellAttempt>(CellAttempt{.ticket = cell.tickets.front()});
    reactor_.cancel(std::exchange(cell.timer, net::Reactor::kNoTimer));
    if (connected_) ticket.state = CellTicket::State::sent;
    request(
        CellScript::acquire, {"2", cell.key, store_.layout.counter, ticket.owner, std::to_string(time_.count())},
        [this, queue = cell.queue, attempt = cell.attempt](const Answer& answer) { acquired(queue, attempt, answer); });
  }
  if (done) cell.attempt->done.push_back(std::move(done));
}

void CellBackend::acquired(const std::string& queue, const std::shared_ptr<CellAttempt>& attempt,
                           const Answer& answer) {
  using State = CellTicket::State;
  auto& ticket = *attempt->ticket;
  Reply<spi::Nothing> reply{answer.status, answer.detail, {}};
  auto* cell = cell_of(queue);
  if (cell != nullptr && cell->attempt == attempt) cell->attempt.reset();
  const bool gone = ticket.state == State::gone;  // what it got has been removed after that, on the same connection
  const auto word = answer ? text_at(answer.value, 0) : std::string();
  if (answer.status == Status::unknown) ticket.stray = true;
  if (word == "OK" && !gone) {
    ticket.state = State::holds;
    const auto token = text_at(answer.value, 1);
    (void)std::from_chars(token.data(), token.data() + token.size(), ticket.token);
  }
  // Every other answer says that nothing was done, also an error of the server.
  const bool is_answered = answer.status != Status::unknown && answer.status != Status::closed;
  if (word != "OK" && is_answered && !gone) ticket.state = State::waiting;
  if (word == "BUSY") {
    auto stored = stored_of(answer.value);
    if (!can_wait_for(store_.layout.kind, stored)) {
      reply = {
          Status::denied,
          fmt::format("the key {} there is a {}, which is not a lock of this kind (mode={})",
                      base::printable(store_.layout.key_of(queue)), base::printable(stored.type), store_.layout.mode()),
          {}};
    }
    if (cell != nullptr) cell->stored = std::move(stored);
  } else if (word == "FOREIGN") {
    reply = {Status::denied,
             fmt::format("the key {} there is a {}, and not Holdfast's counter of tokens",
                         base::printable(text_at(answer.value, 1)), base::printable(text_at(answer.value, 2))),
             {}};
  } else if (answer && word != "OK") {
    client_.leave("it answers what was not asked");
    reply = {Status::unknown, "it answers what was not asked", {}};
  }
  if (reply.status == Status::denied) tell(ticket.waiters, Status::denied, reply.detail);
  if (ticket.holds()) tell(ticket.waiters, Status::absent, "the cell is ours");
  for (const auto& done : std::exchange(attempt->done, {})) done(reply);
  cell = cell_of(queue);
  if (cell == nullptr || closed_) return;
  if (attempt->again && cell->tickets.front() == attempt->ticket && !ticket.holds()) acquire(*cell);
  settle(*cell);
}

void CellBackend::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  auto* const cell = cell_of(queue);
  CellTicketPtr ticket;
  if (cell != nullptr) {
    const auto found =
        std::find_if(cell->tickets.begin(), cell->tickets.end(), [&](const auto& each) { return each->uid == uid; });
    if (found != cell->tickets.end()) ticket = *found;
  }
  if (!ticket) return reply_later<spi::Enqueued>(std::move(done), {Status::absent, "it is not there", {}});
  if (cell->first().holds()) return reply_later<spi::Enqueued>(std::move(done), {.value = enqueued(*cell, *ticket)});
  // Asked for once more by the same owner, so it does no harm if the first one is executed after this.
  acquire(*cell, [this, queue, ticket, done = std::move(done)](const Reply<spi::Nothing>& reply) {
    const auto* const there = cell_of(queue);
    if (!reply) return done({reply.status, reply.detail, {}});
    if (there == nullptr || ticket->state == CellTicket::State::gone) return done({Status::absent, "it is gone", {}});
    done({.value = enqueued(*there, *ticket)});
  });
}

void CellBackend::list(const std::string& queue, spi::Callback<spi::Listing> done) {
  auto* const cell = cell_of(queue);
  if (cell == nullptr) {
    return look(queue, [done = std::move(done)](const Reply<std::optional<Stored>>& stored) {
      Reply<spi::Listing> reply{stored.status, stored.detail, {}};
      if (stored.value) reply.value.push_back({.id = stored.value->id});
      done(std::move(reply));
    });
  }
  if (cell->first().holds()) return reply_later<spi::Listing>(std::move(done), {.value = cell->listing()});
  acquire(*cell, [this, queue, done = std::move(done)](const Reply<spi::Nothing>& reply) {
    const auto* const there = cell_of(queue);
    done({reply.status, reply.detail, reply && there != nullptr ? there->listing() : spi::Listing{}});
  });
}

void CellBackend::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  const auto mine = ticket_of(queue, ticket);
  const auto key = store_.layout.key_of(queue);
  const auto channel = store_.layout.channel_of(key);
  if (!mine) return remove(key, ticket, channel, std::move(done));
  if (mine->may_have_the_cell() || mine->stray) {
    remove(key, mine->owner, channel, std::move(done));
  } else {
    reply_later<spi::Nothing>(std::move(done), {});
  }
  take_out(*cell_of(queue), mine);
}

void CellBackend::take_out(Cell& cell, const CellTicketPtr& ticket) {
  if (ticket->state == CellTicket::State::gone) return;
  const bool was_first = cell.tickets.front() == ticket;
  if (ticket->stray) strays_.push_back({cell.key, ticket->owner, cell.channel, reactor_.now() + time_});
  ticket->state = CellTicket::State::gone;
  std::erase(cell.tickets, ticket);
  // Most tickets go before the first beat listens to them; to post would wake the loop for nothing.
  const bool is_listened_to = !ticket->waiters.empty() || !ticket->listeners.empty();
  if (is_listened_to)
    reactor_.post([this, ticket] {
      if (closed_) return;
      // Not "absent": that would say that it is the turn of the ticket which is gone.
      tell(ticket->waiters, Status::unknown, "the ticket after it is gone");
      tell(ticket->listeners, Status::absent, "it is gone");
    });
  if (cell.tickets.empty()) {
    settle(cell);
    cells_.erase(cells_.find(cell.queue));
    return;
  }
  if (was_first) acquire(cell);
  settle(cell);
}

Token CellBackend::token_of(const std::string& queue, const spi::Place& place) const {
  const auto found = cells_.find(queue);
  if (found == cells_.end() || found->second.first().id != place.ticket.id) return place.token;
  return found->second.first().token;
}

// --------------------------------------------------------------------------------------------------------------------- beats

void CellBackend::beat(spi::Callback<spi::Nothing> done) {
  if (closed_ || !connected_) return reply_later<spi::Nothing>(std::move(done), no_connection());
  const auto sent = reactor_.now();
  std::erase_if(strays_, [&](const Stray& stray) {
    call(CellScript::leave, {"1", stray.key, stray.owner, stray.channel}, [](const auto&) {});
    return stray.until < sent;
  });
  extend_all([this, sent, done = std::move(done)](const Reply<spi::Nothing>& reply) {
    if (reply && connected_) observer_->acknowledged(session_.id, sent, /*by_keeper=*/true);
    done(reply);
  });
}

void CellBackend::extend_all(Settled done) {
  struct All {
    std::size_t missing = 0;
    Reply<spi::Nothing> reply{};
    Settled done;
  };
  std::vector<Extension> asked;
  for (const auto& [queue, cell] : cells_) {
    if (!cell.first().may_have_the_cell()) continue;
    asked.push_back({cell.tickets.front(), queue, cell.key, cell.first().holds()});
  }
  if (asked.empty()) {
    return client_.call({"PING"}, [this, done = std::move(done)](const std::optional<Value>& value) {
      const auto answer = answer_of(value);
      done({answer.status, answer.detail, {}});
    });
  }
  const auto all = std::make_shared<All>(All{.done = std::move(done)});
  all->missing = (asked.size() + kMostExtended - 1) / kMostExtended;
  for (std::size_t begin = 0; begin < asked.size(); begin += kMostExtended) {
    const auto end = std::min(begin + kMostExtended, asked.size());
    const std::vector<Extension> part(asked.begin() + static_cast<std::ptrdiff_t>(begin),
                                      asked.begin() + static_cast<std::ptrdiff_t>(end));
    resp::Command words{std::to_string(part.size())};
    for (const auto& each : part) words.push_back(each.key);
    words.push_back(std::to_string(time_.count()));
    for (const auto& each : part) words.push_back(each.ticket->owner);
    call(CellScript::extend, std::move(words), [this, all, part](const Answer& answer) {
      if (answer) {
        extended(part, answer.value);
      } else if (all->reply) {
        all->reply = {answer.status, answer.detail, {}};
      }
      if (--all->missing == 0) all->done(all->reply);
    });
  }
}

void CellBackend::extended(const std::vector<Extension>& asked, const Value& answer) {
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool still = i < answer.items.size() && answer.items[i].integer == 1;
    const auto& ticket = asked[i].ticket;
    if (still || !asked[i].held || !ticket->holds()) continue;
    auto* const cell = cell_of(asked[i].queue);
    HOLDFAST_ASSERT(cell != nullptr && cell->tickets.front() == ticket, asked[i].queue);
    take_out(*cell, ticket);
  }
}

}  // namespace holdfast::redis
