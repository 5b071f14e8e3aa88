// fault_rule.h -- which request a fault waits for, and whether it has struck.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "zk_frame.h"

namespace holdfast::testing {

// Every condition that is set must hold. Without `op`, pings and handshakes never match.
struct RequestMatch {
  std::optional<Op> op{};
  std::string path{};                           // a part of the path
  std::function<bool(const Request&)> where{};  // runs on the proxy's thread
  int nth = 1;                                  // skip this many - 1 matching requests first
  int times = 1;                                // then strike this many in a row; kAlways for no end

  static constexpr int kAlways = std::numeric_limits<int>::max();

  bool accepts(const Request& request) const;
};

// What becomes of one request. "before": the server never sees it. "after": the server has executed it, as
// its reply proves, and the client never sees that reply.
enum class Action {
  pass,
  cut_before,
  cut_after,
  delay,
  hold_reply,
  black_hole_before,
  black_hole_after,
};

struct Verdict {
  Action action = Action::pass;
  std::chrono::milliseconds delay{0};  // for Action::delay
};

// A handle on a rule given to a FaultProxy. Copies speak of the same rule. May outlive the proxy.
// Thread safety: all members from any thread.
class Rule {
 public:
  using Clock = std::chrono::steady_clock;

  // cut_after, black_hole_after and hold_reply strike when the *reply* arrives, all others at the request.
  bool fired() const;
  int times_fired() const;
  bool wait_fired(std::chrono::milliseconds timeout) const;
  // Of the first time.
  std::optional<Clock::time_point> fired_at() const;

  // Lets go what hold_reply or delay holds back for this rule. Nothing to do: no effect.
  void release() const;
  // The rule strikes no more. What it holds back stays held.
  void cancel() const;

  struct State;
  explicit Rule(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace holdfast::testing
