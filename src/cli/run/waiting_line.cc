#include "cli/run/waiting_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/columns.h"
#include "cli/describe.h"
#include "cli/run/standard_streams.h"
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
std::size_t usable_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1U : 79U;
}

std::string ordinal(std::size_t place) {
  if (place == 1) return "next in line";
  constexpr std::array kEndings{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"};
  const bool teen = place % 100 >= 11 && place % 100 <= 13;
  return fmt::format("{}{} in line", place, teen ? "th" : kEndings[place % 10]);
}

bool is_ours(const TicketInfo& ticket, const Waiter& us) {
  return ticket.card.pid == us.pid && ticket.card.host == us.host;
}

std::vector<TicketInfo> others(std::vector<TicketInfo> tickets, const Waiter& us) {
  tickets.erase(
      std::remove_if(tickets.begin(), tickets.end(), [&](const TicketInfo& ticket) { return is_ours(ticket, us); }),
      tickets.end());
  return tickets;
}

std::optional<std::size_t> place_of(const LockInfo& lock, const Waiter& us) {
  const auto waiting = waiting_of(lock);
  const auto ours =
      std::find_if(waiting.begin(), waiting.end(), [&](const TicketInfo& ticket) { return is_ours(ticket, us); });
  if (ours == waiting.end()) return std::nullopt;
  return static_cast<std::size_t>(ours - waiting.begin()) + 1;
}

// The one we wait for: of several names, the first that somebody else holds.
const LockInfo* blocking(const std::vector<LockInfo>& locks, const Waiter& us) {
  const auto held = [&](const LockInfo& lock) { return !others(holders_of(lock), us).empty(); };
  const auto waited_for = [&](const LockInfo& lock) { return held(lock) && place_of(lock, us); };
  auto found = std::find_if(locks.begin(), locks.end(), waited_for);
  if (found == locks.end()) found = std::find_if(locks.begin(), locks.end(), held);
  return found == locks.end() ? nullptr : &*found;
}

std::string held_by(const LockInfo& lock, const Waiter& us, std::chrono::system_clock::time_point now) {
  const auto holders = others(holders_of(lock), us);
  return fmt::format("held for {} by {}", shown_age(age_of(holders.front(), now)), who(holders));
}

}  // namespace

std::string waiting_sentence(const std::vector<LockInfo>& locks, const Waiter& us,
                             std::chrono::system_clock::time_point now) {
  const LockInfo* lock = blocking(locks, us);
  if (lock == nullptr) return locks.empty() ? "" : fmt::format("{}: waiting", shown(locks.front().name));
  const auto place = place_of(*lock, us);
  return fmt::format("{}: {}{}", shown(lock->name), place ? ordinal(*place) + "; " : "", held_by(*lock, us, now));
}

std::string held_sentence(const std::vector<LockInfo>& locks, const Waiter& us,
                          std::chrono::system_clock::time_point now) {
  const LockInfo* lock = blocking(locks, us);
  return lock == nullptr ? "" : fmt::format("{} is {}", shown(lock->name), held_by(*lock, us, now));
}

std::vector<LockInfo> look_at(Client& client, const RunOptions& options) {
  std::vector<LockInfo> locks;
  for (const auto& name : options.names) {
    if (locks.size() == kMostNames) break;
    locks.push_back(client.inspect(name));
  }
  return locks;
}

Waiter this_waiter() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return {host.data(), ::getpid()};
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
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kErase.data(), kErase.size());
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
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
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
