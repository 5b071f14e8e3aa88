#include "server/refusals.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"

namespace holdfast::server {

std::string_view name_of(Refusal why) {
  switch (why) {
    case Refusal::connections: return "connections";
    case Refusal::descriptors: return "descriptors";
    case Refusal::silence: return "silence";
    case Refusal::tls: return "tls";
    case Refusal::frame: return "frame";
    case Refusal::unread: return "unread";
    case Refusal::memory: return "memory";
    case Refusal::session: return "session";
    case Refusal::login: return "login";
    case Refusal::history: return "history";
  }
  return "unknown";
}

Refusals::Refusals()
    : Refusals([](const std::string& line) { base::log().warn("{}", line); }, [] { return Clock::now(); }) {}

Refusals::Refusals(std::function<void(const std::string&)> write, std::function<Clock::time_point()> now)
    : write_(std::move(write)), now_(std::move(now)) {}

void Refusals::note(Refusal why, const std::string& text) {
  auto& kind = of(why);
  ++kind.count;
  const auto now = now_();
  if (now >= kind.window_ends) begin_window(kind, now);
  if (kind.said < kLines) {
    ++kind.said;
    write_(text);
  } else {
    ++kind.more;
    kind.last = text;
  }
}

void Refusals::catch_up() {
  const auto now = now_();
  for (auto& kind : kinds_) {
    if (kind.more > 0 && now >= kind.window_ends) begin_window(kind, now);
  }
}

void Refusals::begin_window(Kind& kind, Clock::time_point now) {
  if (kind.more > 0) {
    write_(fmt::format("and {} more within {} s, the last: {}", kind.more, kWindow.count(), kind.last));
  }
  kind = {.count = kind.count, .window_ends = now + kWindow};
}

}  // namespace holdfast::server
