// lock_bench.h -- a client as far as its claims can tell: a session over a line that breaks at chosen requests, and a clock that stands
// still until the test moves it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lock/claim.h"
#include "lock/cohort.h"
#include "lock/session.h"
#include "lock/sweeper.h"
#include "support/breaking_line.h"
#include "support/manual_executor.h"

namespace holdfast::testing {

// A session of another client.
inline constexpr spi::SessionId kRival = 1'000;

class LockBench : public lock::Session::Watcher {
 public:
  explicit LockBench(RetryPolicy retry = RetryPolicy::forever(std::chrono::milliseconds(1)))
      : context{executor, line, session, sweeper, std::move(retry), std::chrono::seconds(1)} {}

  // What a client does in any case; a bench with more in it passes these on.
  void state_changed(ConnectionState) override {}
  void session_connected(bool) override { sweeper.session_connected(); }
  void session_disconnected() override {}
  void validity_ended() override {}
  void beat() override {
    line.beat([](const auto&) {});
  }
  void session_refused(const std::string&) override {}

  void run(Clock::duration time = {}) { executor.run_for(time); }

  ManualExecutor executor;
  BreakingLine line{executor};
  lock::Session session{executor, *this};
  lock::Sweeper sweeper{executor, line, session};
  lock::Context context;

 protected:
  // Not in the constructor: the session tells its watcher.
  void connect() {
    line.open(session);
    run();
    line.requests = 0;
  }
  // The context of cohorts, whose threads never wait for each other in a circle.
  lock::CohortContext cohort_context(HandOver hand_over) {
    return {context, [](const std::function<void()>& tell) { tell(); }, hand_over,
            [](const lock::Waiter&, const std::string&) { return std::nullopt; }};
  }
};

// With one claim.
class ClaimBench : public LockBench, public lock::Claim::Claimant {
 public:
  explicit ClaimBench(RetryPolicy retry = RetryPolicy::forever(std::chrono::milliseconds(1)),
                      std::vector<lock::QueueRequest> wanted = {{.queue = "q"}})
      : LockBench(std::move(retry)),
        claim(std::make_shared<lock::Claim>(context,
                                            std::shared_ptr<lock::Claim::Claimant>(std::shared_ptr<void>(), this),
                                            std::move(wanted), Card{})) {
    connect();
  }
  // A claim keeps itself until it has ended.
  ~ClaimBench() override { claim->give_up(); }

  void state_changed(ConnectionState state) override {
    if (state == ConnectionState::reconnected) claim->session_is_good();
  }
  void session_connected(bool replaced) override {
    LockBench::session_connected(replaced);
    claim->session_is_good();
  }
  void session_disconnected() override { claim->session_disconnected(); }
  void beat() override {
    LockBench::beat();
    claim->beat();
  }

  void admitted(lock::Claim& admitted) override {
    ++admissions;
    for (const auto& place : admitted.places()) {
      EXPECT_EQ(place.session, line.session()) << "admitted on a ticket of another session";
    }
    EXPECT_TRUE(session.valid());
  }
  void must_wait(lock::Claim&) override { ++waits; }
  void failed(lock::Claim&, lock::Refusal refusal) override { failure = std::move(refusal); }
  void broken(lock::Claim&) override { ++breaks; }
  void revoked(lock::Claim&) override {}

  std::shared_ptr<lock::Claim> claim;
  int admissions = 0;
  int waits = 0;
  int breaks = 0;
  std::optional<lock::Refusal> failure;
};

}  // namespace holdfast::testing
