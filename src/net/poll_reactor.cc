#include "net/poll_reactor.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

namespace holdfast::net {

class PollReactor::Watch final : public Readiness {
 public:
  Watch(PollReactor& reactor, std::shared_ptr<Watched> watched) : reactor_(reactor), watched_(std::move(watched)) {}
  ~Watch() override {
    watched_->fd = -1;  // it may be among those that are ready now
    reactor_.watched_.remove(watched_);
  }
  void when_writable() override { watched_->wants_room = true; }

 private:
  PollReactor& reactor_;
  const std::shared_ptr<Watched> watched_;
};

void PollReactor::post(Function f) {
  const std::lock_guard lock(posting_);
  posted_.push_back(std::move(f));
  wake_.set();
}

PollReactor::TimerId PollReactor::at(Clock::time_point when, Function f) {
  timers_.emplace(std::pair(when, ++last_timer_), std::move(f));
  return last_timer_;
}

void PollReactor::cancel(TimerId timer) {
  std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; });
}

std::unique_ptr<PollReactor::Readiness> PollReactor::watch(int fd, Function ready) {
  if (fd < 0) return nullptr;
  watched_.push_back(std::make_shared<Watched>(Watched{.fd = fd, .ready = std::move(ready)}));
  return std::make_unique<Watch>(*this, watched_.back());
}

bool PollReactor::run_due() {
  std::vector<Function> posted;
  {
    const std::lock_guard lock(posting_);
    posted.swap(posted_);
    wake_.clear();
  }
  for (const auto& f : posted) f();
  bool ran = !posted.empty();
  for (const auto time = now(); !timers_.empty() && timers_.begin()->first.first <= time; ran = true) {
    const auto due = timers_.extract(timers_.begin());
    due.mapped()();
  }
  return ran;
}

void PollReactor::wait(std::span<pollfd> also, Clock::time_point until) {
  if (run_due()) until = now();
  if (!timers_.empty()) until = std::min(until, timers_.begin()->first.first);
  const std::vector watched(watched_.begin(), watched_.end());
  std::vector<pollfd> polled(also.begin(), also.end());
  polled.push_back({wake_.fd(), POLLIN, 0});
  for (const auto& each : watched) {
    polled.push_back({each->fd, static_cast<short>(each->wants_room ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now()).count();
  const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX)));
  for (auto& each : polled) {
    if (ready <= 0) each.revents = 0;
  }
  std::copy_n(polled.begin(), also.size(), also.begin());
  // First the network: after a pause of this process, answers decide whether a session is alive.
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const auto revents = polled[also.size() + 1 + i].revents;
    if (revents == 0 || watched[i]->fd < 0) continue;
    if ((revents & POLLOUT) != 0) watched[i]->wants_room = false;
    watched[i]->ready();
  }
  run_due();
}

}  // namespace holdfast::net
