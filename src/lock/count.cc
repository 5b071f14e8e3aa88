#include "lock/count.h"

#include <fmt/format.h>

#include <algorithm>
#include <stop_token>

#include "base/log.h"
#include "lock/signal.h"

namespace holdfast::lock {

std::string encode_count(std::int32_t count) {
  const auto bits = static_cast<std::uint32_t>(count);
  std::string text;
  for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(bits >> shift & 0xff);
  return text;
}

std::optional<std::int32_t> decode_count(std::string_view text) {
  if (text.size() != 4) return std::nullopt;
  std::uint32_t bits = 0;
  for (const unsigned char byte : text) bits = bits << 8 | byte;
  return static_cast<std::int32_t>(bits);
}

NodeName::NodeName(const std::string& full_name) {
  const auto slash = full_name.rfind('/');
  if (slash != std::string::npos) queue = full_name.substr(0, slash);
  ticket = full_name.substr(slash + 1);
}

struct CountWatch::State {
  std::string path;
  std::function<void(std::size_t)> changed;
  spi::QueueBackend::ListenerId listener = 0;
  // Set inside the monitor before the signal, read after it.
  std::optional<Refusal> refusal;
  Signal armed;

  void take(const spi::Reply<std::string>& reply) {
    if (!reply) {
      refusal = reply.status == spi::Status::absent
                    ? Refusal{Errc::refused, fmt::format("there is no shared count at {}", path)}
                    : refusal_of(reply);
      return;
    }
    const auto count = decode_count(reply.value);
    if (count) return changed(static_cast<std::size_t>(std::max(*count, 0)));
    const auto why = fmt::format("{} holds {} bytes; a shared count has 4", path, reply.value.size());
    if (!armed.is_set()) {
      refusal = Refusal{Errc::refused, why};
    } else {
      base::log().error("{}; the number of permits stays as it is", why);
    }
  }
};

CountWatch::CountWatch(Core& core, const std::string& full_name, std::function<void(std::size_t)> changed)
    : core_(core), state_(std::make_shared<State>()) {
  const NodeName node(full_name);
  state_->changed = std::move(changed);
  const auto over = core_.with_backend([&](spi::QueueBackend& backend) {
    state_->path = backend.path(full_name);
    state_->listener = backend.listen(
        node.queue, node.ticket,
        [state = state_](const auto& reply) {
          state->take(reply);
          state->armed.set();
        },
        [state = state_](const auto& told) {
          if (told) state->take(told);
        });
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
  const auto patience = core_.now() + core_.options().connection_timeout;
  if (!state_->armed.wait_until(call.patient() ? std::min(call.deadline, patience) : patience)) {
    return Refusal{Errc::not_connected, fmt::format("the shared count at {} could not be read in time", state_->path)};
  }
  if (call.stop.stop_requested()) return Refusal{Errc::cancelled, "the caller asked to stop"};
  return state_->refusal;
}

}  // namespace holdfast::lock
