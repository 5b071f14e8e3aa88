#include "cli/run/waiting_line.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/columns.h"
#include "cli/run/standard_streams.h"
#include "cli/run/waiting_sentence.h"
#include "cli/terminal.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRedrawAfter{1'000};
// A log needs no line for a wait that is soon over.
constexpr milliseconds kPlainAfter{3'000};
// Of so many names the first are looked at; a line has no room for more, and every name is two round trips a second.
constexpr std::size_t kMostNames = 8;

// One column stays free: a full row makes some terminals wrap.
std::size_t usable_width() { return std::max<std::size_t>(terminal_width(STDERR_FILENO).value_or(80), 2) - 1; }

}  // namespace

std::vector<LockInfo> look_at(Client& client, const RunOptions& options) {
  std::vector<LockInfo> locks;
  for (const auto& name : options.names) {
    if (locks.size() == kMostNames) break;
    locks.push_back(client.inspect(name));
  }
  return locks;
}

WaitingLine::WaitingLine(const RunOptions& options, Acquisition& acquisition)
    : options_(options), acquisition_(acquisition), live_(::isatty(STDERR_FILENO) == 1) {
  thread_ = std::thread([this] { work(); });
}

WaitingLine::~WaitingLine() {
  finish(Clock::time_point{});
  thread_.join();
  finish(Clock::time_point{});
}

bool WaitingLine::finish(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  over_ = true;
  changed_.notify_all();
  const auto patience = std::max(deadline - Clock::now(), Clock::duration::zero());
  const bool ended = changed_.wait_for(lock, patience, [this] { return ended_; });
  constexpr std::string_view kErase = "\r\x1b[K";
  if (std::exchange(drawn_, false)) {
    write_to_stderr(kErase);
  }
  return ended;
}

bool WaitingLine::pause(milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return over_; });
}

std::string WaitingLine::sentence() {
  Client* client = acquisition_.client();
  if (client == nullptr) return options_.shown_names() + ": connecting to the storage service";
  try {
    return waiting_sentence(look_at(*client, options_), this_waiter(), std::chrono::system_clock::now());
  } catch (const Error&) {
    return options_.shown_names() + ": waiting; the storage service does not answer";
  }
}

void WaitingLine::draw() {
  const auto line = "\r" + fit(sentence(), usable_width()) + "\x1b[K";
  const std::lock_guard lock(mutex_);
  if (over_) return;
  drawn_ = true;
  write_to_stderr(line);
}

void WaitingLine::work() {
  if (live_) {
    do {
      draw();
    } while (pause(kRedrawAfter));
  } else if (options_.verbose || pause(kPlainAfter)) {
    say("waiting for " + sentence());
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace holdfast::cli
