#include "lock/retry_loop.h"

#include <fmt/format.h>

#include <utility>

namespace holdfast::lock {

using spi::Status;

RetryLoop::RetryLoop(Context& context, GiveUp give_up) : context_(context), give_up_(std::move(give_up)) {}

void RetryLoop::when_connected(Step step) {
  if (context_.session.connected()) return step();
  hold(std::move(step), "no connection to " + context_.backend.where());
}

void RetryLoop::after(Status status, const std::string& why, Step step) {
  switch (status) {
    case Status::denied: return give_up_({Errc::refused, why});
    case Status::unsupported: return give_up_({Errc::unsupported, why});
    case Status::closed: return give_up_({Errc::cancelled, "the client was closed"});
    default: return again(std::move(step), why);
  }
}

void RetryLoop::again(Step step, const std::string& why) {
  const auto now = context_.executor.now();
  const auto pause = attempts_.fail(context_.retry, now);
  if (!pause) {
    return give_up_({Errc::not_connected,
                     fmt::format("the service could not be reached, {} attempt{} in {} ms: {}", attempts_.count(),
                                 attempts_.count() == 1 ? "" : "s", attempts_.elapsed(now).count(), why)});
  }
  wait(step, later(now, detail::saturated(*pause)), [this, step] { when_connected(step); });
}

void RetryLoop::hold(Step step, const std::string& why) {
  const auto end = attempts_.end_of_next(context_.retry, context_.connection_timeout, context_.executor.now());
  wait(step, end, [this, step, why] {
    const auto trouble = context_.backend.trouble();
    again(step, trouble.empty() ? why : why + ": " + trouble);
  });
}

void RetryLoop::wait(Step step, Clock::time_point until, Step then) {
  cancel();
  step_ = std::move(step);
  timer_ = context_.executor.at(until, [this, then = std::move(then)] {
    cancel();
    then();
  });
}

void RetryLoop::session_is_good() {
  if (!waits() || !context_.session.connected()) return;
  const auto step = std::move(step_);
  cancel();
  step();
}

void RetryLoop::cancel() {
  context_.executor.cancel(std::exchange(timer_, spi::Executor::kNoTimer));
  step_ = nullptr;
}

}  // namespace holdfast::lock
