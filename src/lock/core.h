// core.h -- what a Client is inside: one session, its local queues and cohorts, and the threads they need.
//
//   thread      runs                                          may block
//   loop        replies, session events, timers               no
//   losses      callbacks on Lease::lost()                    should not
//   notices     ClientOptions::listener, Companion::work()    yes
//   callers     their calls, inside the monitor               while they wait for their turn
//
// The backend's own threads only post to the loop.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/signal.h"
#include "holdfast/client.h"
#include "lock/claim.h"
#include "lock/companion.h"
#include "lock/local_queue.h"
#include "lock/loop.h"
#include "lock/messenger.h"
#include "lock/opening.h"
#include "lock/session.h"
#include "lock/session_key.h"
#include "lock/sweeper.h"

namespace holdfast::lock {

class Core final : public Session::Watcher {
 public:
  using MakeBackend = std::function<std::unique_ptr<spi::QueueBackend>(net::Reactor&)>;

  Core(const MakeBackend& make, ClientOptions options);
  ~Core() override;

  // False in a child of the process that made it. There nothing else may be called, and nothing of it destroyed (base/process.h).
  bool is_of_this_process() const noexcept { return made_.is_here(); }

  // Waits for the first session, as the retry policy says. Throws Error.
  void open(Clock::time_point deadline);
  void close() noexcept;

  std::shared_ptr<LocalQueue> local_queue(const std::string& full_name, bool may_keep = true);
  ConnectionState state() const noexcept { return state_.load(); }
  Clock::duration session_timeout() {
    return loop_.enter([&] { return session_.terms().timeout; });
  }
  SessionKey session_key() {
    return loop_.enter([&] { return SessionKey{session_.id(), session_.password()}; });
  }
  std::string path(const std::string& name) const { return backend_->path(full_name(name)); }
  // The path of a node that is not a lock: without the name space.
  std::string path_outside(const std::string& name) const { return backend_->path(name); }
  std::string full_name(const std::string& name) const;
  spi::SemaphoreQueues semaphore(const std::string& full_name) const { return backend_->semaphore(full_name); }

  // Block until there is an outcome.
  Outcome acquire(Entrance& entrance, Call call);
  // A cohort that no other thread joins: for a multi-lock, or for permits.
  std::shared_ptr<Cohort> cohort(std::vector<QueueRequest> wanted) {
    return loop_.enter([&] { return make_cohort(std::move(wanted)); });
  }
  // A shared hold in the place of `write`, which goes on as well (downgrade).
  Outcome acquire_beside(const Hold& write, Call call);

  std::error_code release(const std::shared_ptr<Hold>& hold, Sweeper::Done done = {});
  void listen_for_revocation(const Hold& hold);

  // How often each hold of this client was entered, by the ticket's id.
  std::map<std::string, std::size_t> entries_by_ticket();

  // Runs `f` inside the monitor with the backend. If the client is closed or refused, returns that refusal instead.
  template <class F>
  std::optional<Refusal> with_backend(F&& f) {
    return loop_.enter([&]() -> std::optional<Refusal> {
      if (!over_) f(*backend_);
      return over_;
    });
  }
  // Until the client is closed. Nothing happens if it is already. Throws Error if the system has no room to watch another descriptor.
  void take_along(std::shared_ptr<Companion> companion);
  // Makes one request, and waits for its reply until the deadline (default: the connection timeout), after which it is `unknown`.
  template <class T>
  spi::Reply<T> ask(const std::function<void(spi::QueueBackend&, spi::Callback<T>)>& request,
                    std::optional<Clock::time_point> deadline = {});
  Clock::time_point now() const { return loop_.now(); }
  // What a hold of this call is for, as far as no handler says otherwise.
  const std::string& purpose_of(const Call& call) const {
    return call.options.purpose.empty() ? options_.purpose : call.options.purpose;
  }
  const ClientOptions& options() const { return options_; }
  // The handlers; none if the client has none.
  const std::shared_ptr<const Chain>& chain() const { return chain_; }
  // Requested by close(), or when the service has refused the client.
  std::stop_token closed() const { return closing_.get_token(); }

 private:
  void state_changed(ConnectionState state) override;
  void session_connected(bool replaced) override;
  void session_disconnected() override;
  void validity_ended() override;
  void beat() override;
  void session_refused(const std::string& why) override;
  void no_service() override { opening_.no_service(); }

  std::string why_not_open(std::optional<Clock::time_point> deadline);
  std::shared_ptr<Cohort> make_cohort(std::vector<QueueRequest> wanted, std::shared_ptr<KeepPolicy> keeping = nullptr);
  template <class F>
  void for_each_cohort(F&& f);
  Card make_card(const Call& call) const;
  std::optional<Refusal> would_deadlock(const Waiter& waiter, const std::string& queue);
  void watch_for_circles(Waiter& waiter);

  const ClientOptions options_;
  const std::shared_ptr<const Chain> chain_;
  std::stop_source closing_;
  const base::Birthplace made_;
  Messenger losses_{"hf-lost"};
  Messenger notices_{"hf-listener"};
  Loop loop_;
  const Clock::time_point began_ = loop_.now();
  std::unique_ptr<spi::QueueBackend> backend_;
  Session session_;
  Sweeper sweeper_;
  Context context_;
  CohortContext cohorts_;

  // Inside the monitor.
  std::map<std::string, std::weak_ptr<LocalQueue>> local_queues_;
  std::size_t local_queues_kept_ = 0;
  std::vector<std::weak_ptr<Cohort>> all_cohorts_;
  std::size_t cohorts_kept_ = 0;
  std::optional<Refusal> over_;  // why nothing can be acquired any more
  Opening opening_;
  std::shared_ptr<Companion> companion_;  // none once closed
  std::unique_ptr<net::Reactor::Readiness> companions_;

  const std::shared_ptr<base::Signal> closed_ = std::make_shared<base::Signal>();
  std::atomic<ConnectionState> state_ = ConnectionState::lost;
};

template <class T>
spi::Reply<T> Core::ask(const std::function<void(spi::QueueBackend&, spi::Callback<T>)>& request,
                        std::optional<Clock::time_point> deadline) {
  // Shared with the callback, which may come long after the caller has stopped waiting.
  struct Answer {
    base::Signal here;
    spi::Reply<T> reply;
  };
  const auto answer = std::make_shared<Answer>();
  const auto over = with_backend([&](spi::QueueBackend& backend) {
    request(backend, [answer](spi::Reply<T> reply) {
      answer->reply = std::move(reply);
      answer->here.set();
    });
  });
  if (over) return {spi::Status::closed, over->message, {}};
  if (!answer->here.wait_until(deadline.value_or(now() + options_.connection_timeout))) {
    return {spi::Status::unknown, "there was no answer in time", {}};
  }
  return std::move(answer->reply);
}

}  // namespace holdfast::lock
