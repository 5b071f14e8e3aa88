#include "testing/faulty_backend.h"

#include <utility>

namespace holdfast::testing {

using spi::Reply;
using spi::Status;

// ------------------------------------------------------------------------------------------------------------ connection

void FaultyBackend::open(spi::Observer& observer) {
  observer_ = &observer;
  if (hears()) hear_again();
}

void FaultyBackend::connected(const spi::Session& session) {
  session_ = session;
  observer_->connected(session);
}

void FaultyBackend::expired(spi::SessionId session) {
  session_ = {};
  listeners_.clear();
  observer_->expired(session);
}

// Requests under way end `unknown` when their replies come, since those belong to an earlier connection.
void FaultyBackend::break_connection() {
  ++connection_;
  for (auto& each : std::exchange(held_, {})) each.fail(Status::unknown);
  if (observer_ != nullptr && session_.id != 0) observer_->disconnected();
}

void FaultyBackend::hear_again() {
  if (closed_ || observer_ == nullptr) return;
  if (!std::exchange(opened_, true)) return inner_->open(*this);
  look_for_expiry();
  for (auto& each : std::exchange(held_, {})) each.serve();
  for (auto& [id, listener] : listeners_) tell_what_it_missed(listener);
}

void FaultyBackend::tell_what_it_missed(Listener& listener) {
  if (!listener.armed || !hears()) return;
  for (auto& tell : std::exchange(listener.untold, {})) executor_.post(std::move(tell));
}

void FaultyBackend::look_for_expiry() {
  // The inner backend learns it by its next request.
  if (hears() && opened_ && !closed_ && session_.id != 0 && !is_open_(session_.id)) inner_->beat([](const auto&) {});
}

void FaultyBackend::cut() {
  if (!std::exchange(cut_, true)) break_connection();
}

void FaultyBackend::mend() {
  if (!std::exchange(cut_, false) || closed_) return;
  if (session_.id != 0 && is_open_(session_.id)) observer_->connected(session_);
  if (hears()) hear_again();
}

void FaultyBackend::resume() {
  if (std::exchange(paused_, false) && hears()) hear_again();
}

std::function<void()> FaultyBackend::close() {
  closed_ = true;
  for (auto& each : std::exchange(held_, {})) each.fail(Status::closed);
  return inner_->close();
}

// -------------------------------------------------------------------------------------------------------------- requests

bool FaultyBackend::is_lost(Operation operation, bool reply_only) {
  if (!to_lose_ || to_lose_->reply_only != reply_only) return false;
  if (to_lose_->operation != Operation::any && to_lose_->operation != operation) return false;
  to_lose_.reset();
  break_connection();
  executor_.post([this, connection = connection_] {
    if (!closed_ && !cut_ && connection == connection_ && session_.id != 0) observer_->connected(session_);
  });
  return true;
}

template <class T, class Serve>
void FaultyBackend::request(Operation operation, spi::Callback<T> done, Serve serve) {
  const auto made = executor_.now();
  if (answers_twice_) {
    done = [this, once = std::move(done)](const Reply<T>& reply) {
      executor_.post([once, reply] { once(reply); });
      once(reply);
    };
  }
  const auto fail = [done](Status status) { done({status, "a fault that was told", {}}); };
  if (closed_) return serve(std::move(done));
  if (cut_) return executor_.post([this, fail] { fail(closed_ ? Status::closed : Status::unreachable); });
  if (paused_) {
    held_.push_back({[=, this] { forward<T>(operation, made, done, serve); }, fail});
    return;
  }
  forward<T>(operation, made, std::move(done), serve);
}

template <class T, class Serve>
void FaultyBackend::forward(Operation operation, Clock::time_point made, spi::Callback<T> done, const Serve& serve) {
  const auto lost = [this, done] {
    executor_.post([this, done] { done({closed_ ? Status::closed : Status::unknown, "the connection broke", {}}); });
  };
  if (is_lost(operation, /*reply_only=*/false)) return lost();
  const auto connection = connection_;
  const auto session = session_.id;
  serve([=, this](Reply<T> reply) {
    if (reply.status == Status::closed) return done(std::move(reply));
    if (connection != connection_ || is_lost(operation, /*reply_only=*/true)) return lost();
    if (reply || reply.status == Status::absent) observer_->acknowledged(session, made, /*by_keeper=*/true);
    done(std::move(reply));
  });
}

void FaultyBackend::enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) {
  if (answers_for_fewer_) {
    done = [all = std::move(done)](Reply<std::vector<spi::Enqueued>> reply) {
      if (!reply.value.empty()) reply.value.pop_back();
      all(std::move(reply));
    };
  }
  request(Operation::enqueue, std::move(done), [=, this](auto reply) { inner_->enqueue(requests, std::move(reply)); });
}

void FaultyBackend::find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) {
  request(Operation::find, std::move(done), [=, this](auto reply) { inner_->find(queue, uid, std::move(reply)); });
}

void FaultyBackend::list(const std::string& queue, spi::Callback<spi::Listing> done) {
  request(Operation::list, std::move(done), [=, this](auto reply) { inner_->list(queue, std::move(reply)); });
}

void FaultyBackend::dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(Operation::dequeue, std::move(done),
          [=, this](auto reply) { inner_->dequeue(queue, ticket, std::move(reply)); });
}

void FaultyBackend::read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) {
  request(Operation::read, std::move(done), [=, this](auto reply) { inner_->read(queue, ticket, std::move(reply)); });
}

void FaultyBackend::beat(spi::Callback<spi::Nothing> done) {
  request(Operation::beat, std::move(done), [this](auto reply) { inner_->beat(std::move(reply)); });
}

void FaultyBackend::check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(Operation::check, std::move(done), [=, this](auto reply) { inner_->check(queue, ticket, std::move(reply)); });
}

void FaultyBackend::write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
                          spi::Callback<spi::Nothing> done) {
  request(Operation::write, std::move(done),
          [=, this](auto reply) { inner_->write(queue, ticket, text, std::move(reply)); });
}

void FaultyBackend::leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) {
  request(Operation::mark, std::move(done),
          [=, this](auto reply) { inner_->leave_mark(queue, ticket, std::move(reply)); });
}

void FaultyBackend::abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) {
  request(Operation::mark, std::move(done),
          [=, this](auto reply) { inner_->abandoned_marks(queue, std::move(reply)); });
}

void FaultyBackend::make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) {
  request(Operation::count, std::move(done),
          [=, this](auto reply) { inner_->make_count(name, initial, std::move(reply)); });
}

void FaultyBackend::read_count(const std::string& name, spi::Callback<std::int32_t> done) {
  request(Operation::count, std::move(done), [=, this](auto reply) { inner_->read_count(name, std::move(reply)); });
}

void FaultyBackend::set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) {
  request(Operation::count, std::move(done),
          [=, this](auto reply) { inner_->set_count(name, count, std::move(reply)); });
}

void FaultyBackend::examine(const std::string& queue, spi::Callback<spi::Examination> done) {
  request(Operation::examine, std::move(done), [=, this](auto reply) { inner_->examine(queue, std::move(reply)); });
}

void FaultyBackend::commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
                           spi::Callback<spi::Nothing> done) {
  request(Operation::commit, std::move(done),
          [=, this](auto reply) { inner_->commit(guards, changes, std::move(reply)); });
}

// ------------------------------------------------------------------------------------------------------------- listeners

template <class T, class Arm>
FaultyBackend::ListenerId FaultyBackend::listener(Operation operation, spi::Callback<T> armed, Arm arm) {
  const auto id = ++last_listener_;
  listeners_[id];
  const auto if_not_ignored = [this, id, armed = std::move(armed)](Reply<T> reply) {
    const auto found = listeners_.find(id);
    if (found == listeners_.end()) return;
    // Before the client is called, which may ignore() it.
    if (reply) {
      found->second.armed = true;
      tell_what_it_missed(found->second);
    } else {
      ignore(id);
    }
    armed(std::move(reply));
  };
  const auto tell = [this, id](std::function<void()> f) {
    const auto found = listeners_.find(id);
    if (found == listeners_.end()) return;
    auto unless_ignored = [this, id, f = std::move(f)] {
      if (listeners_.contains(id)) f();
    };
    hears() && found->second.armed ? unless_ignored() : found->second.untold.push_back(std::move(unless_ignored));
  };
  request<T>(operation, if_not_ignored, [this, id, arm, tell](auto reply) {
    const auto found = listeners_.find(id);
    if (found != listeners_.end()) found->second.inner = arm(std::move(reply), tell);
  });
  return id;
}

FaultyBackend::ListenerId FaultyBackend::listen(const std::string& queue, const std::string& ticket,
                                                spi::Callback<spi::TicketText> armed, spi::TicketListener told) {
  return listener(Operation::listen, std::move(armed), [=, this](auto reply, auto tell) {
    return inner_->listen(queue, ticket, std::move(reply),
                          [=](const auto& news) { tell([told, news] { told(news); }); });
  });
}

FaultyBackend::ListenerId FaultyBackend::listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                                                         spi::TicketListener told) {
  return listener(Operation::listen, std::move(armed), [=, this](auto reply, auto tell) {
    return inner_->listen_to_queue(queue, std::move(reply),
                                   [=](const auto& news) { tell([told, news] { told(news); }); });
  });
}

FaultyBackend::ListenerId FaultyBackend::listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                                                         spi::CountListener told) {
  return listener(Operation::listen, std::move(armed), [=, this](auto reply, auto tell) {
    return inner_->listen_to_count(name, std::move(reply),
                                   [=](std::int32_t count) { tell([told, count] { told(count); }); });
  });
}

void FaultyBackend::ignore(ListenerId listener) {
  const auto found = listeners_.find(listener);
  if (found == listeners_.end()) return;
  if (found->second.inner) inner_->ignore(*found->second.inner);
  listeners_.erase(found);
}

}  // namespace holdfast::testing
