#include "backend/memory/memory_backend.h"

#include <utility>

namespace holdfast::memory {

using spi::Reply;
using spi::Status;

MemoryBackend::MemoryBackend(spi::Executor& executor, std::shared_ptr<Service> service, Clock::duration session_timeout)
    : executor_(executor), service_(std::move(service)), session_timeout_(session_timeout) {}

void MemoryBackend::open(spi::Observer& observer) {
  observer_ = &observer;
  executor_.post([this] {
    if (!closed_) connect();
  });
}

void MemoryBackend::connect() {
  const auto asked = executor_.now();
  session_ = service_->open_session();
  observer_->connected({.id = session_, .timeout = session_timeout_, .asked = asked});
}

void MemoryBackend::session_is_over() {
  const auto ended = std::exchange(session_, 0);
  for (const auto& [ours, theirs] : std::exchange(listeners_, {})) service_->ignore(theirs);
  observer_->expired(ended);
  connect();
}

template <class T, class Serve>
void MemoryBackend::request(spi::Callback<T> done, Serve serve) {
  const auto sent = executor_.now();
  const auto session = session_;
  Reply<T> reply;
  // Until the reply is posted: a listener hears of what changes after that, and not before it was armed.
  const auto still = service_->still();
  if (session == 0) {
    reply = {Status::unreachable, "there is no session", {}};
  } else if (!service_->is_open(session)) {
    reply = {Status::expired, "the session has ended", {}};
  } else {
    reply = serve();
  }
  executor_.post([this, sent, session, done = std::move(done), reply = std::move(reply)]() mutable {
    if (closed_) return done({Status::closed, "the client was closed", {}});
    const bool over = reply.status == Status::expired && session == session_;
    if (reply.status == Status::ok || reply.status == Status::absent)
      observer_->acknowledged(session, sent, /*by_keeper=*/true);
    done(std::move(reply));
    if (over) session_is_over();
  });
}

void MemoryBackend::enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) {
  request(std::move(done), [&] { return service_->enqueue(session_, requests); });
}

void MemoryBackend::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  request(std::move(done), [&]() -> Reply<spi::Enqueued> {
    auto found = service_->find(queue, uid);
    if (!found) return {Status::absent, "no such ticket", {}};
    return {Status::ok, {}, std::move(*found)};
  });
}

void MemoryBackend::list(const std::string& queue, spi::Callback<spi::Listing> done) {
  request(std::move(done), [&]() -> Reply<spi::Listing> { return {Status::ok, {}, service_->list(queue)}; });
}

void MemoryBackend::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(std::move(done), [&]() -> Reply<spi::Nothing> {
    if (!service_->dequeue(queue, ticket)) return {Status::absent, "no such ticket", {}};
    return {};
  });
}

void MemoryBackend::read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) {
  request(std::move(done), [&]() -> Reply<spi::TicketText> {
    auto text = service_->text(queue, ticket);
    if (!text) return {Status::absent, "no such ticket", {}};
    return {Status::ok, {}, std::move(*text)};
  });
}

template <class T>
spi::Callback<T> MemoryBackend::unless_ignored(ListenerId id, spi::Callback<T> armed) {
  return [this, id, armed = std::move(armed)](Reply<T> reply) {
    if (!listeners_.contains(id)) return;
    if (!reply) listeners_.erase(id);
    armed(std::move(reply));
  };
}

MemoryBackend::ListenerId MemoryBackend::listen(const std::string& queue, const std::string& ticket,
                                                spi::Callback<spi::TicketText> armed, spi::TicketListener told) {
  const ListenerId id = ++last_listener_;
  listeners_[id] = 0;
  request(unless_ignored(id, std::move(armed)), [&]() -> Reply<spi::TicketText> {
    // Runs on whichever thread made the change, so it only posts.
    const auto theirs = service_->listen(queue, ticket, [this, id, told = std::move(told)](auto changed) {
      executor_.post([this, id, told, changed = std::move(changed)] {
        if (closed_ || !listeners_.contains(id)) return;
        if (changed) return told({Status::ok, {}, *changed});
        listeners_.erase(id);
        told({Status::absent, "it is gone", {}});
      });
    });
    if (!theirs) return {Status::absent, "no such ticket", {}};
    listeners_[id] = *theirs;
    return {Status::ok, {}, service_->text(queue, ticket).value_or(spi::TicketText{})};
  });
  return id;
}

MemoryBackend::ListenerId MemoryBackend::listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                                                         spi::TicketListener told) {
  const ListenerId id = ++last_listener_;
  listeners_[id] = 0;
  request(unless_ignored(id, std::move(armed)), [&]() -> Reply<spi::Listing> {
    listeners_[id] = service_->listen_to_queue(queue, [this, id, told = std::move(told)](const auto&) {
      executor_.post([this, id, told] {
        if (!closed_ && listeners_.erase(id) != 0) told({Status::absent, "something came or went", {}});
      });
    });
    return {Status::ok, {}, service_->list(queue)};
  });
  return id;
}

void MemoryBackend::ignore(ListenerId listener) {
  const auto found = listeners_.find(listener);
  if (found == listeners_.end()) return;
  service_->ignore(found->second);
  listeners_.erase(found);
}

void MemoryBackend::beat(spi::Callback<spi::Nothing> done) {
  request(std::move(done), []() -> Reply<spi::Nothing> { return {}; });
}

void MemoryBackend::check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(std::move(done), [&]() -> Reply<spi::Nothing> {
    if (!service_->text(queue, ticket)) return {Status::absent, "no such ticket", {}};
    return {};
  });
}

void MemoryBackend::write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
                          spi::Callback<spi::Nothing> done) {
  request(std::move(done), [&]() -> Reply<spi::Nothing> {
    if (!service_->write(queue, ticket, text)) return {Status::absent, "no such ticket", {}};
    return {};
  });
}

void MemoryBackend::leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(std::move(done), [&]() -> Reply<spi::Nothing> {
    if (!service_->leave_mark(queue, ticket)) return {Status::absent, "no such ticket", {}};
    return {};
  });
}

void MemoryBackend::abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) {
  request(std::move(done), [&]() -> Reply<std::vector<std::string>> {
    return {Status::ok, {}, service_->abandoned_marks(queue)};
  });
}

void MemoryBackend::make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) {
  request(std::move(done), [&]() -> Reply<spi::Nothing> {
    service_->make_count(name, initial);
    return {};
  });
}

void MemoryBackend::read_count(const std::string& name, spi::Callback<std::int32_t> done) {
  request(std::move(done), [&] { return service_->count(name); });
}

void MemoryBackend::set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) {
  request(std::move(done), [&]() -> Reply<spi::Nothing> {
    if (!service_->set_count(name, count)) return {Status::absent, "no such count", {}};
    return {};
  });
}

MemoryBackend::ListenerId MemoryBackend::listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                                                         spi::CountListener told) {
  const ListenerId id = ++last_listener_;
  listeners_[id] = 0;
  request(unless_ignored(id, std::move(armed)), [&]() -> Reply<std::int32_t> {
    auto count = service_->count(name);
    if (!count) return count;
    listeners_[id] = service_->listen_to_count(name, [this, id, told = std::move(told)](std::int32_t changed) {
      executor_.post([this, id, told, changed] {
        if (!closed_ && listeners_.contains(id)) told(changed);
      });
    });
    return count;
  });
  return id;
}

void MemoryBackend::examine(const std::string& queue, spi::Callback<spi::Examination> done) {
  request(std::move(done), [&]() -> Reply<spi::Examination> { return {Status::ok, {}, service_->examine(queue)}; });
}

void MemoryBackend::commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
                           spi::Callback<spi::Nothing> done) {
  request(std::move(done), [&] { return service_->commit(guards, changes); });
}

std::function<void()> MemoryBackend::close() {
  closed_ = true;
  // They stay in the map: one that waits to be armed is told that it is closed.
  for (auto& [ours, theirs] : listeners_) service_->ignore(std::exchange(theirs, 0));
  if (session_ != 0) service_->end_session(std::exchange(session_, 0));
  return {};
}

}  // namespace holdfast::memory
