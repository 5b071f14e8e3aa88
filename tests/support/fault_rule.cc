#include "fault_rule.h"

#include "fault_rule_state.h"

namespace holdfast::testing {

bool RequestMatch::accepts(const Request& request) const {
  if (op ? request.op != *op : request.op == Op::ping || request.op == Op::connect) return false;
  if (!path.empty() && request.path.find(path) == std::string::npos) return false;
  return !where || where(request);
}

bool Rule::State::strikes(const Request& request) {
  {
    const std::lock_guard lock(mutex);
    if (cancelled) return false;
  }
  if (!match.accepts(request)) return false;
  ++matched;
  return matched >= match.nth && matched - match.nth < match.times;
}

void Rule::State::fire() {
  const std::lock_guard lock(mutex);
  ++times_fired;
  if (!fired_at) fired_at = Clock::now();
  changed.notify_all();
}

bool Rule::fired() const { return times_fired() > 0; }

int Rule::times_fired() const {
  const std::lock_guard lock(state_->mutex);
  return state_->times_fired;
}

bool Rule::wait_fired(std::chrono::milliseconds timeout) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_until(lock, Clock::now() + timeout, [this] { return state_->times_fired > 0; });
}

std::optional<Rule::Clock::time_point> Rule::fired_at() const {
  const std::lock_guard lock(state_->mutex);
  return state_->fired_at;
}

void Rule::release() const {
  std::function<void()> release;
  {
    const std::lock_guard lock(state_->mutex);
    release = state_->release;
  }
  if (release) release();
}

void Rule::cancel() const {
  const std::lock_guard lock(state_->mutex);
  state_->cancelled = true;
}

}  // namespace holdfast::testing
