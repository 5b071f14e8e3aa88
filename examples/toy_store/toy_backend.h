// toy_backend.h -- the SPI on the toy store: one client's side of it. docs/backends/writing-one.md walks through it.
#pragma once

#include <atomic>
#include <memory>

#include "toy_store.h"

namespace toy {

class Backend final : public spi::QueueBackend {
 public:
  Backend(spi::Executor& executor, std::shared_ptr<Store> store, holdfast::Clock::duration session_timeout)
      : executor_(executor), store_(std::move(store)), session_timeout_(session_timeout) {}

  void open(spi::Observer& observer) override {
    observer_ = &observer;
    executor_.post([this] { connect(); });
  }
  std::function<void()> close() override {
    const std::lock_guard lock(store_->mutex);
    closed_ = true;
    for (const auto each : listening_) store_->listeners.erase(each);
    store_->end(session_);
    return {};  // nothing that would block
  }

  void enqueue(const std::vector<spi::Request>& requests, Callback<std::vector<Enqueued>> done) override {
    answer(std::move(done), [&] { return store_->enqueue(session_, requests); });
  }
  void find(Name queue, Name uid, Callback<Enqueued> done) override {
    answer(std::move(done), [&]() -> Reply<Enqueued> {
      const auto has_uid = [&](const Examined& each) { return each.ticket.id.starts_with(uid + "-"); };
      const auto* const found = store_->find(queue, has_uid);
      if (!found) return {Status::absent};
      return {.value = {{found->ticket, found->token, found->session}, store_->list(queue)}};
    });
  }
  void list(Name queue, Callback<Listing> done) override {
    answer(std::move(done), [&] { return Reply<Listing>{.value = store_->list(queue)}; });
  }
  void dequeue(Name queue, Name ticket, Callback<Nothing> done) override {
    answer(std::move(done), [&] {
      const auto tickets = std::erase_if(store_->queues[queue], [&](auto& each) { return each.ticket.id == ticket; });
      const auto marks = std::erase_if(store_->marks[queue], [&](auto& each) { return mark_of(each) == ticket; });
      store_->changed();
      return Reply<Nothing>{tickets + marks == 0 ? Status::absent : Status::ok};
    });
  }
  void read(Name queue, Name ticket, Callback<TicketText> done) override {
    answer(std::move(done), [&] { return store_->text(queue, ticket); });
  }
  void check(Name queue, Name ticket, Callback<Nothing> done) override {
    answer(std::move(done), [&] { return Reply<Nothing>{store_->text(queue, ticket).status}; });
  }
  void write(Name queue, Name ticket, const TicketText& text, Callback<Nothing> done) override {
    answer(std::move(done), [&]() -> Reply<Nothing> {
      auto* const found = store_->ticket(queue, ticket);
      if (!found) return {Status::absent};
      found->text = text;
      store_->changed();
      return {};
    });
  }
  void beat(Callback<Nothing> done) override {
    answer(std::move(done), [] { return Reply<Nothing>(); });
  }

  ListenerId listen(Name queue, Name ticket, Callback<TicketText> armed, spi::TicketListener told) override {
    const auto see = [=, this] { return store_->text(queue, ticket); };
    return listen_for(std::move(armed), see, std::move(told), /*once=*/false);
  }
  ListenerId listen_to_queue(Name queue, Callback<Listing> armed, spi::TicketListener told) override {
    const auto see = [=, this] { return Reply<Listing>{.value = store_->list(queue)}; };
    return listen_for(
        std::move(armed), see, [told](const auto&) { told({Status::absent}); }, /*once=*/true);
  }
  ListenerId listen_to_count(Name name, Callback<std::int32_t> armed, spi::CountListener told) override {
    const auto see = [this, at = path(name)] { return store_->count(at); };
    const auto tell = [told](const Reply<std::int32_t>& count) { count ? told(count.value) : void(); };
    return listen_for(std::move(armed), see, tell, /*once=*/false);
  }
  void ignore(ListenerId listener) override {
    const std::lock_guard lock(store_->mutex);
    listening_.erase(listener);
    store_->listeners.erase(listener);
  }

  std::string mark_of(Name ticket) const override { return "mark of " + ticket; }
  void leave_mark(Name queue, Name ticket, Callback<Nothing> done) override {
    answer(std::move(done), [&]() -> Reply<Nothing> {
      if (!store_->ticket(queue, ticket)) return {Status::absent};
      store_->marks[queue].insert(ticket);
      return {};
    });
  }
  void abandoned_marks(Name queue, Callback<std::vector<std::string>> done) override {
    answer(std::move(done), [&] {
      Reply<std::vector<std::string>> abandoned;
      for (const auto& each : store_->marks[queue]) {
        if (!store_->ticket(queue, each)) abandoned.value.push_back(mark_of(each));
      }
      return abandoned;
    });
  }

  void make_count(Name name, std::int32_t initial, Callback<Nothing> done) override {
    answer(std::move(done), [&] {
      store_->values.try_emplace(path(name), Store::Value{std::to_string(initial)});
      return Reply<Nothing>();
    });
  }
  void read_count(Name name, Callback<std::int32_t> done) override {
    answer(std::move(done), [&] { return store_->count(path(name)); });
  }
  void set_count(Name name, std::int32_t count, Callback<Nothing> done) override {
    answer(std::move(done), [&]() -> Reply<Nothing> {
      if (!store_->values.contains(path(name))) return {Status::absent};
      return store_->commit({}, {{Change::What::set, path(name), std::to_string(count)}});
    });
  }

  void examine(Name queue, Callback<spi::Examination> done) override {
    answer(std::move(done), [&] { return Reply<spi::Examination>{.value = store_->examine(queue)}; });
  }
  void commit(const std::vector<spi::TicketName>& guards, const std::vector<Change>& changes,
              Callback<Nothing> done) override {
    answer(std::move(done), [&] { return store_->commit(guards, changes); });
  }

  std::string where() const override { return "the toy store"; }
  std::string path(Name queue) const override { return "/" + queue; }
  spi::SemaphoreQueues semaphore(Name name) const override { return {name + "/turns", name + "/permits"}; }

 private:
  void connect() {
    if (closed_) return;
    const auto asked = executor_.now();
    session_ = (std::lock_guard(store_->mutex), store_->begin());
    observer_->connected({.id = session_, .timeout = session_timeout_, .asked = asked});
  }
  void session_is_over() {
    for (const auto each : std::set(listening_)) ignore(each);
    observer_->expired(std::exchange(session_, 0));
    connect();
  }

  // A round trip: `serve` runs on the store. The reply is posted, because no callback may come before the request has returned; and with the
  // lock held, so that a listener is told of a change only after the reply to the request that armed it.
  template <class T, class Serve>
  void answer(Callback<T> done, Serve serve) {
    const auto sent = executor_.now();  // before it is served: a lease that is counted from here cannot be too long
    const std::lock_guard lock(store_->mutex);
    const bool open = store_->sessions.contains(session_);
    auto reply = open ? serve() : Reply<T>{session_ == 0 ? Status::unreachable : Status::expired};
    executor_.post([this, sent, session = session_, done, reply]() mutable {
      if (closed_) return done({Status::closed});
      if (reply || reply.status == Status::absent) observer_->acknowledged(session, sent, /*by_keeper=*/true);
      done(reply);
      if (reply.status == Status::expired && session == session_) session_is_over();
    });
  }

  // To listen is to look again after every change, and to tell what is not as it was.
  template <class T, class See, class Tell>
  ListenerId listen_for(Callback<T> armed, See see, Tell tell, bool once) {
    const auto id = *listening_.insert(++last_listener_).first;
    const auto seen = std::make_shared<Reply<T>>();
    const auto look = [=, this] {
      const auto now = (std::lock_guard(store_->mutex), see());
      if (closed_ || !listening_.contains(id) || (now.status == seen->status && now.value == seen->value)) return;
      *seen = now;
      if (once || !now) ignore(id);
      tell(now);
    };
    const auto if_not_ignored = [=, this](const Reply<T>& reply) {
      if (!listening_.contains(id)) return;
      if (!reply) listening_.erase(id);
      armed(reply);
    };
    answer<T>(if_not_ignored, [&] {
      *seen = see();
      if (*seen) store_->listeners[id] = {&executor_, look};
      return *seen;
    });
    return id;
  }

  inline static std::atomic<ListenerId> last_listener_ = 0;  // of all clients: the store has one map of them
  spi::Executor& executor_;
  const std::shared_ptr<Store> store_;
  const holdfast::Clock::duration session_timeout_;
  spi::Observer* observer_ = nullptr;
  spi::SessionId session_ = 0;
  std::set<ListenerId> listening_;
  bool closed_ = false;
};

}  // namespace toy
