#include "lock/count.h"

#include <fmt/format.h>

#include <algorithm>
#include <stop_token>

#include "base/signal.h"

namespace holdfast::lock {

struct CountWatch::State {
  std::string path;
  std::function<void(std::size_t)> changed;
  spi::QueueBackend::ListenerId listener = 0;
  // Set inside the monitor before the signal, read after it.
  std::optional<Refusal> refusal;
  base::Signal armed;

  void take(std::int32_t count) { changed(static_cast<std::size_t>(std::max(count, 0))); }

  void arm(const spi::Reply<std::int32_t>& reply) {
    if (reply) {
      take(reply.value);
    } else if (reply.status == spi::Status::absent) {
      refusal = Refusal{Errc::refused, fmt::format("there is no shared count at {}", path)};
    } else {
      refusal = refusal_of(reply);
    }
    armed.set();
  }
};

CountWatch::CountWatch(Core& core, const std::string& full_name, std::function<void(std::size_t)> changed)
    : core_(core), state_(std::make_shared<State>()) {
  state_->changed = std::move(changed);
  const auto over = core_.with_backend([&](spi::QueueBackend& backend) {
    state_->path = backend.path(full_name);
    state_->listener = backend.listen_to_count(
        full_name, [state = state_](const auto& reply) { state->arm(reply); },
        [state = state_](std::int32_t count) { state->take(count); });
  });
  if (over) {
    state_->refusal = over;
    state_->armed.set();
  }
}

CountWatch::~CountWatch() {
  core_.with_backend([&](spi::QueueBackend& backend) { backend.ignore(state_->listener); });
}

std::optional<Refusal> CountWatch::ready(const Call& call) const {
  const std::stop_callback wake(call.stop, [state = state_] { state->armed.set(); });
  const auto timeout = core_.now() + core_.options().connection_timeout;
  if (!state_->armed.wait_until(call.patient() ? std::min(call.deadline, timeout) : timeout)) {
    return Refusal{Errc::not_connected, fmt::format("the shared count at {} could not be read in time", state_->path)};
  }
  if (call.stop.stop_requested()) return Refusal{Errc::cancelled, "the caller asked to stop"};
  return state_->refusal;
}

}  // namespace holdfast::lock
