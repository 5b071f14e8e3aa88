// core.h -- what a Client is inside: one session, its gates, and the threads they need.
//
//   thread      runs                                          may block
//   loop        replies, session events, timers               no
//   losses      callbacks on Lease::lost()                    should not
//   notices     ClientOptions::listener                       yes
//   callers     enter the monitor for what they ask           while they wait for their turn
//
// The backend's own threads only post to the loop.
#pragma once

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "holdfast/client.h"
#include "lock/claim.h"
#include "lock/gate.h"
#include "lock/loop.h"
#include "lock/messenger.h"
#include "lock/session.h"
#include "lock/signal.h"
#include "lock/sweeper.h"

namespace holdfast::lock {

class Core final : public Session::Watcher {
 public:
  Core(const Client::BackendFactory& make, ClientOptions options);
  ~Core() override;

  // Waits for the first session. Throws Error.
  void open();
  void close() noexcept;

  std::shared_ptr<Gate> gate(const std::string& name);
  ConnectionState state() const noexcept { return state_.load(); }
  std::string path(const std::string& name) const { return backend_->path(full_name(name)); }

  // Blocks until there is an outcome. A deadline that is not after the epoch: does not wait for others, and not longer
  // than the connection timeout for the service.
  Outcome acquire(const std::shared_ptr<Gate>& gate, Clock::time_point deadline, const std::stop_token& stop);
  std::error_code release(const std::shared_ptr<Hold>& hold, Sweeper::Done done = {});

 private:
  void state_changed(ConnectionState state) override;
  void session_connected(bool replaced) override;
  void session_disconnected() override;
  void validity_ended() override;
  void beat() override;
  void session_refused(const std::string& why) override;

  template <class F>
  void for_each_gate(F&& f);
  std::string full_name(const std::string& name) const;
  Card make_card() const;

  const ClientOptions options_;
  Messenger losses_;
  Messenger notices_;
  Loop loop_;
  std::unique_ptr<spi::QueueBackend> backend_;
  Session session_;
  Sweeper sweeper_;
  Means means_;

  // Inside the monitor.
  std::map<std::string, std::weak_ptr<Gate>> gates_;
  std::size_t gates_kept_ = 0;
  std::optional<Refusal> over_;  // why nothing can be acquired any more
  std::optional<std::promise<void>> opening_;

  const std::shared_ptr<Signal> closed_ = std::make_shared<Signal>();
  std::atomic<ConnectionState> state_ = ConnectionState::lost;
};

}  // namespace holdfast::lock
