#include "cli/run/waiting_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/commands/disk_room.h"
#include "cli/run/nested.h"
#include "cli/run/process_tree.h"
#include "cli/run/standard_streams.h"
#include "cli/run/waiting_sentence.h"
#include "cli/view/columns.h"
#include "cli/view/terminal.h"
#include "holdfast/error.h"

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRedrawAfter{1'000};
// A log needs no line for a wait that is soon over.
constexpr milliseconds kPlainAfter{3'000};
// Of so many names the first are looked at; a line has no room for more, and every name is two round trips a second.
constexpr std::size_t kMostNames = 8;

}  // namespace

std::vector<LockInfo> look_at(Client& client, const RunOptions& options) {
  std::vector<LockInfo> locks;
  for (const auto& name : options.names) {
    if (locks.size() == kMostNames) break;
    locks.push_back(client.inspect(name));
  }
  return locks;
}

WaitingLine::WaitingLine(const RunOptions& options, Acquisition& acquisition, const std::string& url)
    : options_(options), acquisition_(acquisition), url_(url), live_(can_redraw(STDERR_FILENO)) {
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
  const auto left = std::max(deadline - Clock::now(), Clock::duration::zero());
  const bool ended = changed_.wait_for(lock, left, [this] { return ended_; });
  if (std::exchange(drawn_, false)) write_to_stderr(kEraseLiveRow);
  return ended;
}

bool WaitingLine::pause(milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return over_; });
}

WaitingLine::Seen WaitingLine::look() {
  auto room = room_trouble(url_);
  Client* client = acquisition_.client();
  if (client == nullptr)
    return {.sentence = options_.shown_names() + ": connecting to the storage service", .room = std::move(room)};
  try {
    const auto locks = look_at(*client, options_);
    const auto us = this_process();
    return {.sentence = waiting_sentence(locks, us, std::chrono::system_clock::now()),
            .nested = nested_sentence(locks, options_, us, ancestors_of(::getpid())),
            .room = std::move(room),
            .answered = true};
  } catch (const Error&) {
    return {.sentence = options_.shown_names() + ": waiting; the storage service does not answer",
            .room = std::move(room)};
  }
}

void WaitingLine::warn(const Seen& seen) {
  const auto once = [this](const std::string& sentence, bool& said) {
    if (sentence.empty() || std::exchange(said, true)) return;
    if (std::exchange(drawn_, false)) write_to_stderr(kEraseLiveRow);
    say(sentence);
  };
  once(seen.nested, said_nested_);
  once(seen.room, said_room_);
}

void WaitingLine::draw() {
  const auto seen = look();
  const auto line = live_row(seen.sentence, terminal_width(STDERR_FILENO).value_or(80));
  const std::lock_guard lock(mutex_);
  if (over_) return;
  warn(seen);
  drawn_ = true;
  write_to_stderr(line);
}

void WaitingLine::say_once() {
  const auto due = Clock::now() + (options_.verbose ? milliseconds(0) : kPlainAfter);
  const auto until_due = [due] {
    return std::max(std::chrono::ceil<milliseconds>(due - Clock::now()), milliseconds(0));
  };
  // `run` tells it to its command. Only below another one is there something that is to be said at once.
  bool looked = std::getenv("HOLDFAST_TOKEN") == nullptr;
  if (looked && !pause(until_due())) return;
  bool said = false;
  do {
    const auto seen = look();
    const std::lock_guard lock(mutex_);
    if (over_) return;
    warn(seen);
    looked = looked || seen.answered;
    if (!said && Clock::now() >= due) {
      say("waiting for " + seen.sentence);
      said = true;
    }
  } while (!(looked && said) && pause(looked ? until_due() : kRedrawAfter));
}

void WaitingLine::work() {
  if (live_) {
    do {
      draw();
    } while (pause(kRedrawAfter));
  } else {
    say_once();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace holdfast::cli
