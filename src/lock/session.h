// session.h -- the client's session: connected or not, and until when it is provably alive.
//
//   state        event                                       next         told
//   fresh        connected                                   good         connected
//   good         disconnected, or two beats unanswered       jeopardy     jeopardy
//   jeopardy     proven again                                good         reconnected
//   good, jeop.  validity ends, or the service says expired  lost         lost (once), all holds end
//   lost         proven again (this session or the next)     good         reconnected
//   all of them  close()                                     closed       closed, unless fresh; all holds end
//
// "Lost" never waits for the service: it comes from the client's own timer, which is due a notice (validity.h) before the validity ends.
#pragma once

#include <memory>
#include <string>

#include "holdfast/client.h"
#include "holdfast/spi/executor.h"
#include "holdfast/spi/queue_backend.h"
#include "lock/validity.h"

namespace holdfast::lock {

class Session final : public spi::Observer {
 public:
  // Called inside the Executor.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void state_changed(ConnectionState state) = 0;
    // There is a connection. `replaced`: the session is another one than before, so all tickets are gone.
    virtual void session_connected(bool replaced) = 0;
    virtual void session_disconnected() = 0;
    // No hold can be proven any longer. Comes before state_changed(lost).
    virtual void validity_ended() = 0;
    virtual void beat() = 0;
    virtual void session_refused(const std::string& why) = 0;
    // As spi::Observer's.
    virtual void no_service() {}
  };

  Session(spi::Executor& executor, Watcher& watcher)
      : executor_(executor), watcher_(watcher), validity_(std::make_shared<Validity>()) {}

  // The session with which tickets are made now; 0 if there never was one.
  spi::SessionId id() const { return id_; }
  const std::string& password() const { return password_; }
  bool connected() const { return connected_; }
  // The timer is not due yet.
  bool valid() const { return executor_.now() < ends(); }
  // The validity of holds that are granted now.
  const std::shared_ptr<Validity>& validity() const { return validity_; }
  const Terms& terms() const { return terms_; }
  // No more timers, no more events. All holds end.
  void close();

  void connected(const spi::Session& session) override;
  void disconnected() override;
  void expired(spi::SessionId session) override;
  void acknowledged(spi::SessionId session, Clock::time_point sent, bool by_keeper) override;
  void refused(const std::string& why) override { watcher_.session_refused(why); }
  void no_service() override { watcher_.no_service(); }

 private:
  enum class State { fresh, good, jeopardy, lost, closed };

  void enter(State next);
  void prove();
  void end_validity(State next = State::lost);
  // When holders are told, at the latest.
  Clock::time_point ends() const { return validity_->until() - terms_.notice; }
  void watch_validity();
  void schedule_beat();

  spi::Executor& executor_;
  Watcher& watcher_;
  std::shared_ptr<Validity> validity_;
  Terms terms_;
  spi::SessionId id_ = 0;
  std::string password_;
  bool connected_ = false;
  bool closed_ = false;
  State state_ = State::fresh;
  Proof proof_;
  Clock::time_point validity_alarm_{};
  spi::Executor::TimerId validity_timer_ = spi::Executor::kNoTimer;
  spi::Executor::TimerId beat_timer_ = spi::Executor::kNoTimer;
};

}  // namespace holdfast::lock
