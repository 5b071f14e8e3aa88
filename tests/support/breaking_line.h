// breaking_line.h -- queues on a service behind a line that breaks at chosen requests. A few lines of its own: the lock may not know
// a backend, not even in its tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"

namespace holdfast::testing {

enum class Fate { arrives, request_lost, reply_lost };

class BreakingLine : public spi::QueueBackend {
 public:
  explicit BreakingLine(spi::Executor& executor) : executor_(executor) {}

  // The fate of the nth request, from 1.
  std::map<int, Fate> fates;
  int requests = 0;
  bool comes_back = true;           // after a break, 10 ms later
  bool with_a_new_session = false;  // ... which the service takes for another client
  bool old_tickets_stay = false;    // ... and whose old tickets it has not removed yet
  struct There : spi::Place {
    std::string name = "q";  // of its queue
  };
  std::vector<There> queue;  // all queues, one after the other
  bool listing_denied = false;
  std::set<std::string> marks;  // of these tickets
  bool marks_denied = false;

  spi::Place add_ticket(const std::string& uid, spi::SessionId session, const std::string& name = "q",
                        spi::Mode mode = spi::Mode::exclusive) {
    const auto sequence = next_++;
    spi::Place place{
        {.id = fmt::format("{}-{:010}", uid, sequence), .sequence = sequence, .mode = mode}, ++token_, session};
    queue.push_back({place, name});
    // Of the tickets of this client its own listeners would know without being told.
    if (session != session_) tell_listeners_to("");
    return place;
  }

  // By value: the caller may have it from the queue itself.
  void remove_ticket(std::string id) {
    std::erase_if(queue, [&](const auto& place) { return place.ticket.id == id; });
    tell_listeners_to(id);
  }

  // From now on they say so.
  void ask_for_tickets() { asked_for_ = true; }

  std::size_t tickets_of(spi::SessionId session) const {
    return static_cast<std::size_t>(
        std::count_if(queue.begin(), queue.end(), [&](const auto& place) { return place.session == session; }));
  }

  spi::SessionId session() const { return session_; }
  std::size_t listeners() const { return listeners_.size(); }

  void open(spi::Observer& observer) override {
    observer_ = &observer;
    connect();
  }

  void enqueue(const std::vector<spi::Request>& asked, spi::Callback<std::vector<spi::Enqueued>> done) override {
    using Placed = std::vector<spi::Enqueued>;
    exchange<Placed>(std::move(done), [this, asked]() -> spi::Reply<Placed> {
      Placed placed;
      for (const auto& each : asked) {
        placed.push_back({add_ticket(each.uid, session_, each.queue, each.mode), {}});
      }
      if (listing_denied) return {spi::Status::denied, "not allowed to list", placed};
      for (std::size_t i = 0; i < placed.size(); ++i) placed[i].queue = listing(asked[i].queue);
      return {spi::Status::ok, {}, placed};
    });
  }
  void find(const std::string& name, const std::string& uid, spi::Callback<spi::Enqueued> done) override {
    exchange<spi::Enqueued>(std::move(done), [this, name, uid]() -> spi::Reply<spi::Enqueued> {
      for (const auto& place : queue) {
        if (place.ticket.id.starts_with(uid)) return {spi::Status::ok, {}, {place, listing(name)}};
      }
      return {spi::Status::absent, "no such ticket", {}};
    });
  }
  void list(const std::string& name, spi::Callback<spi::Listing> done) override {
    exchange<spi::Listing>(std::move(done), [this, name]() -> spi::Reply<spi::Listing> {
      return {spi::Status::ok, {}, listing(name)};
    });
  }
  void dequeue(const std::string&, const std::string& ticket, spi::Callback<spi::Nothing> done) override {
    exchange<spi::Nothing>(std::move(done), [this, ticket]() -> spi::Reply<spi::Nothing> {
      if (std::erase_if(marks, [&](const auto& each) { return mark_of(each) == ticket; }) > 0) return {};
      if (!has(ticket)) return {spi::Status::absent, "no such ticket", {}};
      remove_ticket(ticket);
      return {};
    });
  }
  void read(const std::string&, const std::string& ticket, spi::Callback<spi::TicketText> done) override {
    exchange<spi::TicketText>(std::move(done), [this, ticket]() -> spi::Reply<spi::TicketText> {
      if (!has(ticket)) return {spi::Status::absent, "no such ticket", {}};
      return {spi::Status::ok, {}, {.card = "10.0.0.1"}};
    });
  }
  ListenerId listen(const std::string&, const std::string& ticket, spi::Callback<spi::TicketText> armed,
                    spi::TicketListener told) override {
    const auto id = ++last_listener_;
    exchange<spi::TicketText>(std::move(armed),
                              [this, id, ticket, told = std::move(told)]() -> spi::Reply<spi::TicketText> {
                                if (!has(ticket)) return {spi::Status::absent, "no such ticket", {}};
                                listeners_[id] = {ticket, [told] { told({spi::Status::absent, "gone", {}}); }};
                                return {spi::Status::ok, {}, {.card = "10.0.0.1", .revoked = asked_for_}};
                              });
    return id;
  }
  ListenerId listen_to_queue(const std::string& name, spi::Callback<spi::Listing> armed,
                             spi::TicketListener told) override {
    const auto id = ++last_listener_;
    exchange<spi::Listing>(std::move(armed), [this, id, name, told = std::move(told)]() -> spi::Reply<spi::Listing> {
      listeners_[id] = {"", [told] { told({spi::Status::absent, "something went", {}}); }};
      return {spi::Status::ok, {}, listing(name)};
    });
    return id;
  }
  void write(const std::string&, const std::string&, const spi::TicketText&, spi::Callback<spi::Nothing>) override {}
  void leave_mark(const std::string&, const std::string& ticket, spi::Callback<spi::Nothing> done) override {
    exchange<spi::Nothing>(std::move(done), [this, ticket]() -> spi::Reply<spi::Nothing> {
      if (marks_denied) return {spi::Status::denied, "not allowed to make it", {}};
      if (!has(ticket)) return {spi::Status::absent, "no such ticket", {}};
      marks.insert(ticket);
      return {};
    });
  }
  std::string mark_of(const std::string& ticket) const override { return "mark of " + ticket; }
  void abandoned_marks(const std::string&, spi::Callback<std::vector<std::string>> done) override {
    using Marks = std::vector<std::string>;
    exchange<Marks>(std::move(done), [this]() -> spi::Reply<Marks> {
      Marks abandoned;
      for (const auto& ticket : marks) {
        if (!has(ticket)) abandoned.push_back(mark_of(ticket));
      }
      return {spi::Status::ok, {}, abandoned};
    });
  }
  void make_count(const std::string&, std::int32_t, spi::Callback<spi::Nothing>) override {}
  void read_count(const std::string&, spi::Callback<std::int32_t>) override {}
  void set_count(const std::string&, std::int32_t, spi::Callback<spi::Nothing>) override {}
  ListenerId listen_to_count(const std::string&, spi::Callback<std::int32_t>, spi::CountListener) override { return 0; }
  spi::SemaphoreQueues semaphore(const std::string& name) const override {
    return {name + "/turns", name + "/permits"};
  }
  void examine(const std::string&, spi::Callback<spi::Examination>) override {}
  void commit(const std::vector<spi::TicketName>&, const std::vector<spi::Change>&,
              spi::Callback<spi::Nothing>) override {}
  void ignore(ListenerId listener) override {
    listeners_.erase(listener);
    ignored_.insert(listener);
  }
  void beat(spi::Callback<spi::Nothing> done) override {
    exchange<spi::Nothing>(std::move(done), [] { return spi::Reply<spi::Nothing>(); });
  }
  void check(const std::string&, const std::string& ticket, spi::Callback<spi::Nothing> done) override {
    exchange<spi::Nothing>(std::move(done), [this, ticket]() -> spi::Reply<spi::Nothing> {
      if (!has(ticket)) return {spi::Status::absent, "no such ticket", {}};
      return {};
    });
  }
  std::function<void()> close() override { return {}; }
  std::string where() const override { return "a test"; }
  std::string path(const std::string& name) const override { return "/" + name; }

  void break_connection() {
    if (!std::exchange(connected_, false)) return;
    executor_.post([this] { observer_->disconnected(); });
    if (comes_back) executor_.at(executor_.now() + std::chrono::milliseconds(10), [this] { connect(); });
  }

 private:
  // Those to a ticket, if it is not empty, and those to queues. Each is told once.
  void tell_listeners_to(const std::string& ticket) {
    const auto all = std::exchange(listeners_, {});
    for (const auto& [listener, entry] : all) {
      if (entry.first == ticket || entry.first.empty()) {
        executor_.post([this, listener = listener, told = entry.second] {
          if (!ignored_.contains(listener)) told();
        });
      } else {
        listeners_.emplace(listener, entry);
      }
    }
  }

  void connect() {
    if (session_ == 0 || with_a_new_session) {
      if (session_ != 0) {
        listeners_.clear();
        observer_->expired(session_);
        if (!old_tickets_stay) std::erase_if(queue, [&](const auto& place) { return place.session == session_; });
      }
      ++session_;
    }
    connected_ = true;
    observer_->connected({.id = session_, .timeout = std::chrono::seconds(6), .asked = executor_.now()});
  }

  template <class T, class Serve>
  void exchange(spi::Callback<T> done, Serve serve) {
    if (!connected_) return executor_.post([done] { done({spi::Status::unreachable, "no connection", {}}); });
    const auto fate = fates.contains(++requests) ? fates.at(requests) : Fate::arrives;
    const auto session = session_;
    if (fate == Fate::request_lost || fate == Fate::reply_lost) {
      if (fate == Fate::reply_lost) serve();
      executor_.post([done] { done({spi::Status::unknown, "connection lost", {}}); });
      return break_connection();
    }
    executor_.post([this, done, reply = serve(), session, sent = executor_.now()] {
      observer_->acknowledged(session, sent, true);
      done(reply);
    });
  }

  bool has(const std::string& id) const {
    return std::any_of(queue.begin(), queue.end(), [&](const auto& place) { return place.ticket.id == id; });
  }
  spi::Listing listing(const std::string& name) const {
    spi::Listing tickets;
    for (const auto& place : queue) {
      if (place.name == name) tickets.push_back(place.ticket);
    }
    return tickets;
  }

  spi::Executor& executor_;
  spi::Observer* observer_ = nullptr;
  bool connected_ = false;
  spi::SessionId session_ = 0;
  std::int64_t next_ = 0;
  Token token_ = 0;
  bool asked_for_ = false;
  std::map<ListenerId, std::pair<std::string, std::function<void()>>> listeners_;
  std::set<ListenerId> ignored_;
  ListenerId last_listener_ = 0;
};

}  // namespace holdfast::testing
