// faulty_backend.h -- a backend in front of another one, whose connection fails on command.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "holdfast/testing/faulty_service.h"

namespace holdfast::testing {

class FaultyBackend final : public spi::QueueBackend, private spi::Observer {
 public:
  // Whether the service has that session.
  using IsOpen = std::function<bool(spi::SessionId)>;

  // `kept`: lives as long as this does.
  FaultyBackend(spi::Executor& executor, std::unique_ptr<spi::QueueBackend> inner, IsOpen is_open,
                std::shared_ptr<void> kept)
      : kept_(std::move(kept)), executor_(executor), inner_(std::move(inner)), is_open_(std::move(is_open)) {}

  // The faults. From inside the Executor; also before open().
  void pause() { paused_ = true; }
  void resume();
  void cut();
  void mend();
  // The service has ended the session: the client hears of it now, if it is connected.
  void look_for_expiry();
  void lose_next(Operation operation, bool reply_only) { to_lose_ = Loss{operation, reply_only}; }
  // What no store may do, for the tests of what the lock makes of it: every request is answered again, and an enqueue() for one ticket less.
  void answer_twice() { answers_twice_ = true; }
  void answer_for_fewer() { answers_for_fewer_ = true; }
  spi::SessionId session() const { return session_.id; }

  void open(spi::Observer& observer) override;
  void enqueue(const std::vector<spi::Request>& requests, spi::Callback<std::vector<spi::Enqueued>> done) override;
  void find(const std::string& queue, const std::string& uid, spi::Callback<spi::Enqueued> done) override;
  void list(const std::string& queue, spi::Callback<spi::Listing> done) override;
  void dequeue(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void read(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> done) override;
  ListenerId listen(const std::string& queue, const std::string& ticket, spi::Callback<spi::TicketText> armed,
                    spi::TicketListener told) override;
  ListenerId listen_to_queue(const std::string& queue, spi::Callback<spi::Listing> armed,
                             spi::TicketListener told) override;
  void ignore(ListenerId listener) override;
  void beat(spi::Callback<spi::Nothing> done) override;
  void check(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  void write(const std::string& queue, const std::string& ticket, const spi::TicketText& text,
             spi::Callback<spi::Nothing> done) override;
  void leave_mark(const std::string& queue, const std::string& ticket, spi::Callback<spi::Nothing> done) override;
  bool shows_waiters() const override { return inner_->shows_waiters(); }
  Token token_of(const std::string& queue, const spi::Place& place) const override {
    return inner_->token_of(queue, place);
  }
  std::string mark_of(const std::string& ticket) const override { return inner_->mark_of(ticket); }
  void abandoned_marks(const std::string& queue, spi::Callback<std::vector<std::string>> done) override;
  void make_count(const std::string& name, std::int32_t initial, spi::Callback<spi::Nothing> done) override;
  void read_count(const std::string& name, spi::Callback<std::int32_t> done) override;
  void set_count(const std::string& name, std::int32_t count, spi::Callback<spi::Nothing> done) override;
  ListenerId listen_to_count(const std::string& name, spi::Callback<std::int32_t> armed,
                             spi::CountListener told) override;
  void examine(const std::string& queue, spi::Callback<spi::Examination> done) override;
  void commit(const std::vector<spi::TicketName>& guards, const std::vector<spi::Change>& changes,
              spi::Callback<spi::Nothing> done) override;
  std::function<void()> close() override;
  std::string where() const override { return "a faulty service in " + inner_->where(); }
  std::string trouble() const override {
    return cut_ ? "the connection is cut" : paused_ ? "the service is paused" : "";
  }
  std::string path(const std::string& queue) const override { return inner_->path(queue); }
  spi::SemaphoreQueues semaphore(const std::string& name) const override { return inner_->semaphore(name); }

 private:
  struct Loss {
    Operation operation;
    bool reply_only;
  };
  // A request that came while the service was paused.
  struct Held {
    std::function<void()> serve;
    std::function<void(spi::Status)> fail;
  };
  struct Listener {
    std::optional<ListenerId> inner;             // once the inner backend listens
    bool armed = false;                          // and the client has been told
    std::deque<std::function<void()>> untold{};  // what the listener will be told when the connection is back
  };

  void connected(const spi::Session& session) override;
  void disconnected() override {}
  void expired(spi::SessionId session) override;
  // Called when a reply is passed on instead: a lost reply must not acknowledge anything.
  void acknowledged(spi::SessionId, Clock::time_point, bool) override {}
  void refused(const std::string& why) override { observer_->refused(why); }

  // `serve(done)` makes the request of the inner backend.
  template <class T, class Serve>
  void request(Operation operation, spi::Callback<T> done, Serve serve);
  template <class T, class Serve>
  void forward(Operation operation, Clock::time_point made, spi::Callback<T> done, const Serve& serve);
  // `arm(armed, tell)` listens at the inner backend; tell(f) runs f when the listener may be told.
  template <class T, class Arm>
  ListenerId listener(Operation operation, spi::Callback<T> armed, Arm arm);
  bool is_lost(Operation operation, bool reply_only);
  void break_connection();
  void hear_again();
  void tell_what_it_missed(Listener& listener);
  bool hears() const { return !cut_ && !paused_; }

  const std::shared_ptr<void> kept_;
  spi::Executor& executor_;
  const std::unique_ptr<spi::QueueBackend> inner_;
  const IsOpen is_open_;
  spi::Observer* observer_ = nullptr;
  spi::Session session_{};
  std::uint64_t connection_ = 1;  // its number; the replies of an earlier one are lost
  std::optional<Loss> to_lose_;
  std::deque<Held> held_;
  std::map<ListenerId, Listener> listeners_;
  ListenerId last_listener_ = 0;
  bool opened_ = false;  // of the inner backend
  bool cut_ = false;
  bool paused_ = false;
  bool closed_ = false;
  bool answers_twice_ = false;
  bool answers_for_fewer_ = false;
};

}  // namespace holdfast::testing
