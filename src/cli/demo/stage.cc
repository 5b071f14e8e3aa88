#include "cli/demo/stage.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/descriptor.h"
#include "cli/config/setting_value.h"
#include "cli/exit_code.h"

namespace holdfast::cli::demo {
namespace {

// Which grants are struck, and after how many no worker asks again. Every worker has had a turn before each fault.
constexpr std::size_t kKillAt = 6;
constexpr std::size_t kPauseAt = 11;
constexpr std::size_t kLastGrants = 15;
// A holder is struck in the middle of its business.
constexpr int kStrikeAfterReports = 2;
constexpr long kRedrawNanoseconds = 100'000'000;

double seconds_of(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

base::Descriptor made(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return base::Descriptor(descriptor);
}

// What can happen, besides signals. Events carry a number: workers from 0 on.
class Happenings {
 public:
  static constexpr std::uint64_t kWatcher = 1'000;
  static constexpr std::uint64_t kTick = 1'001;

  Happenings() {
    const itimerspec interval{{0, kRedrawNanoseconds}, {0, kRedrawNanoseconds}};
    if (::timerfd_settime(timer_.get(), 0, &interval, nullptr) != 0) {
      throw std::system_error(errno, std::generic_category(), "timerfd_settime");
    }
    add(timer_.get(), kTick);
  }

  void add(int descriptor, std::uint64_t number) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = number;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
      throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
  }

  int descriptor() const noexcept { return epoll_.get(); }

  // Without waiting.
  std::vector<std::uint64_t> take() {
    std::array<epoll_event, 16> events{};
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
    std::vector<std::uint64_t> numbers;
    for (int i = 0; i < count; ++i) {
      numbers.push_back(events[static_cast<std::size_t>(i)].data.u64);
      if (numbers.back() != kTick) continue;
      std::uint64_t ticks = 0;
      [[maybe_unused]] const auto size = ::read(timer_.get(), &ticks, sizeof ticks);
    }
    return numbers;
  }

 private:
  base::Descriptor epoll_ = made(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
  base::Descriptor timer_ = made(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
};

}  // namespace

Stage::Stage(WorkerProcesses& processes, QueueWatcher& watcher, Screen& screen, std::string lock, std::string service)
    : processes_(processes), watcher_(watcher), screen_(screen), actors_(processes.size()) {
  scene_.lock = std::move(lock);
  scene_.service = std::move(service);
  for (std::size_t i = 0; i < processes.size(); ++i) actors_[i].pid = processes.pid(i);
}

double Stage::seconds() const { return seconds_of(Clock::now() - start_); }

std::optional<int> Stage::play(StopSignals& signals, std::chrono::milliseconds limit) {
  Happenings happenings;
  happenings.add(watcher_.descriptor(), Happenings::kWatcher);
  for (std::size_t i = 0; i < processes_.size(); ++i) happenings.add(processes_.descriptor(i), i);

  while (processes_.running() > 0 && failures_.empty()) {
    if (const auto signal = signals.wait_for(happenings.descriptor())) return signal;
    for (const auto number : happenings.take()) {
      if (number == Happenings::kTick) {
        draw();
      } else if (number == Happenings::kWatcher) {
        for (const auto& queue : watcher_.take()) seen(queue);
      } else {
        const auto exit_code = processes_.listen(number, [&](std::string_view text) {
          if (const auto line = parse_worker_line(text)) {
            heard(number, *line);
          } else {
            failures_.push_back(fmt::format("{} said {}", processes_.name(number), in_quotes(text)));
          }
        });
        if (exit_code) ended(number, *exit_code);
      }
    }
    if (Clock::now() - start_ > limit) {
      failures_.push_back(fmt::format("not at its end after {:.0f} s", seconds()));
    }
  }
  for (const auto& queue : watcher_.take()) seen(queue);
  draw();
  return std::nullopt;
}

void Stage::heard(std::size_t worker, const WorkerLine& line) {
  auto& actor = actors_[worker];
  switch (line.says) {
    case Says::ready:
      actor.state = State::idle;
      actor.token = 0;
      processes_.tell(worker, grants_ >= kLastGrants && resumed_ ? kStop : kGo);
      break;
    case Says::granted: granted(worker, line); break;
    case Says::holding: holding(worker, line); break;
    case Says::write: wrote(worker, line); break;
    case Says::lost: lost(worker, line); break;
    case Says::released:
      record(Deed::released, worker, line);
      log(worker, fmt::format("wrote, and gave it back after {:.2f} s", seconds_of(line.at - actor.granted_at)),
          Tone::faint);
      actor.state = State::idle;
      break;
    case Says::failed:
      failures_.push_back(fmt::format("{} failed: {}", processes_.name(worker), in_quotes(line.reason)));
      break;
  }
}

void Stage::granted(std::size_t worker, const WorkerLine& line) {
  ++grants_;
  record(Deed::granted, worker, line);
  auto& actor = actors_[worker];
  actor = {actor.pid, State::holding, line.token, line.at, line.valid_until};
  log(worker, fmt::format("granted, token {}", line.token), Tone::good);
  processes_.tell(worker, kGo);
}

void Stage::holding(std::size_t worker, const WorkerLine& line) {
  record(Deed::holding, worker, line);
  auto& actor = actors_[worker];
  actor.valid_until = line.valid_until;
  // Until it is answered, it can neither write nor release: it certainly holds when it is struck.
  if (++actor.reports == kStrikeAfterReports) {
    if (grants_ >= kKillAt && !killed_) return kill(worker);
    if (grants_ >= kPauseAt && !paused_) return pause(worker);
  }
  processes_.tell(worker, kGo);
}

void Stage::wrote(std::size_t worker, const WorkerLine& line) {
  const auto seen = fence_.seen();
  const bool admitted = fence_.admit(line.token);
  record(admitted ? Deed::wrote : Deed::refused, worker, line);
  if (admitted) {
    ++scene_.writes;
    scene_.last_writer = processes_.name(worker);
    scene_.last_token = line.token;
  } else {
    ++scene_.refused;
    log(worker, fmt::format("WRITE REFUSED: token {} after {}", line.token, seen), Tone::bad);
  }
  processes_.tell(worker, admitted ? kGo : kRefused);
  if (paused_ && !resumed_ && line.token > actors_[*paused_].token) resume(*paused_);
}

void Stage::lost(std::size_t worker, const WorkerLine& line) {
  record(Deed::lost, worker, line);
  log(worker, fmt::format("is told that its lock is lost, since {:.2f} s", seconds_of(line.valid_until - start_)),
      Tone::bad);
}

void Stage::ended(std::size_t worker, int exit_code) {
  auto& actor = actors_[worker];
  if (actor.state == State::killed) return;
  actor.state = State::ended;
  if (exit_code != 0 && failures_.empty()) {
    failures_.push_back(
        fmt::format("{} (pid {}) ended by itself, with exit status {}", processes_.name(worker), actor.pid, exit_code));
  }
}

void Stage::kill(std::size_t worker) {
  killed_ = true;
  processes_.kill(worker);
  record_now(Deed::killed, worker);
  actors_[worker].state = State::killed;
  log(worker, "KILLED (-9) while it holds; its session has to end first", Tone::bad);
}

void Stage::pause(std::size_t worker) {
  paused_ = worker;
  processes_.pause(worker);
  paused_at_ = Clock::now();
  record_now(Deed::paused, worker);
  actors_[worker].state = State::paused;
  log(worker, "PAUSED (SIGSTOP) while it holds, just before it writes", Tone::bad);
}

void Stage::resume(std::size_t worker) {
  resumed_ = true;
  processes_.resume(worker);
  record_now(Deed::resumed, worker);
  actors_[worker].state = State::idle;
  log(worker,
      fmt::format("goes on after {:.2f} s, knows nothing of it, and writes", seconds_of(Clock::now() - paused_at_)),
      Tone::bad);
  processes_.tell(worker, kGo);
}

void Stage::seen(const QueueWatcher::Queue& queue) {
  std::vector<Token> tokens;
  for (std::size_t place = 0; place < queue.size(); ++place) {
    tokens.push_back(queue[place].token);
    const auto actor =
        std::find_if(actors_.begin(), actors_.end(), [&](const Actor& each) { return each.pid == queue[place].pid; });
    // A look at the queue may be older than what the worker has said since.
    if (actor == actors_.end() || queue[place].token <= fence_.seen()) continue;
    if (actor->state != State::idle && actor->state != State::waiting) continue;
    actor->state = State::waiting;
    actor->token = queue[place].token;
    actor->ahead = place;
  }
  history_.sightings.push_back(std::move(tokens));
}

void Stage::record(Deed deed, std::size_t worker, const WorkerLine& line) {
  history_.events.push_back({deed, processes_.name(worker), line.token, line.at, line.valid_until});
}

void Stage::record_now(Deed deed, std::size_t worker) {
  history_.events.push_back({deed, processes_.name(worker), actors_[worker].token, Clock::now()});
}

void Stage::log(std::size_t worker, const std::string& text, Tone tone) {
  scene_.log.push_back({seconds(), fmt::format("{}  {}", processes_.name(worker), text), tone});
  if (!screen_.live()) screen_.print(log_row(scene_.log.back()));
}

void Stage::draw() {
  if (!screen_.live()) return;
  const auto now = Clock::now();
  scene_.seconds = seconds();
  scene_.workers.clear();
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    const auto& actor = actors_[i];
    scene_.workers.push_back({processes_.name(i), actor.pid, actor.state, actor.token, actor.ahead,
                              seconds_of(now - actor.granted_at), seconds_of(actor.valid_until - now)});
  }
  screen_.draw(rows_of(scene_));
}

}  // namespace holdfast::cli::demo
