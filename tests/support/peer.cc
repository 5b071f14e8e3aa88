#include "peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::testing {
namespace {

constexpr std::chrono::milliseconds kLastBreath{1'000};

// What remains of an answer behind its first word.
std::string argument_of(const std::string& reply) {
  const auto space = reply.find(' ');
  return space == std::string::npos ? std::string{} : reply.substr(space + 1);
}

}  // namespace

Peer::Peer(const ProcessOptions& options, std::string name) : name_(std::move(name)), process_(options) {
  expect("ready");
}

Peer::Peer(std::vector<std::string> argv, std::string name)
    : Peer(ProcessOptions{.argv = std::move(argv)}, std::move(name)) {}

void Peer::send(std::string_view line) {
  if (!process_.write_line(line))
    throw PeerError(fmt::format("{} no longer reads; could not send \"{}\"", name_, line));
}

void Peer::sort_in(Process::Line line) {
  if (line.text == "lost") {
    if (!lost_at_) lost_at_ = line.at;
  } else if (line.text == "revoked") {
    if (!revoked_at_) revoked_at_ = line.at;
  } else {
    replies_.push_back(std::move(line.text));
  }
}

void Peer::sort_in_what_is_there() {
  while (auto line = process_.read_timed_line(std::chrono::milliseconds{0})) sort_in(std::move(*line));
}

std::optional<std::string> Peer::reply(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (replies_.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    auto line = process_.read_timed_line(std::max(left, std::chrono::milliseconds{0}));
    if (!line) return std::nullopt;
    sort_in(std::move(*line));
  }
  std::string text = std::move(replies_.front());
  replies_.pop_front();
  return text;
}

std::string Peer::expect(std::string_view prefix, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  auto text = reply(timeout);
  if (!text) {
    // Before the deadline this means the end of stdout, which a dying process closes a moment before it ends.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const auto status = process_.wait(std::clamp(left, std::chrono::milliseconds{0}, kLastBreath));
    throw PeerError(status ? fmt::format("{} ended with status {} instead of saying \"{}\"", name_, *status, prefix)
                           : fmt::format("{} did not say \"{}\" within {} ms", name_, prefix, timeout.count()));
  }
  if (!text->starts_with(prefix)) {
    throw PeerError(fmt::format("{} said \"{}\" instead of \"{}\"", name_, *text, prefix));
  }
  return std::move(*text);
}

std::string Peer::acquire(std::chrono::milliseconds reply_timeout) {
  send("acquire");
  return argument_of(expect("acquired", reply_timeout));
}

std::optional<std::string> Peer::acquire_within(std::chrono::milliseconds lock_timeout) {
  send(fmt::format("acquire {}", lock_timeout.count()));
  const auto text = reply(lock_timeout + kReplyTimeout);
  if (text == "timeout") return std::nullopt;
  if (text && text->starts_with("acquired")) return argument_of(*text);
  throw PeerError(fmt::format("{} said \"{}\" to an acquire with a timeout", name_, text.value_or("nothing")));
}

void Peer::release() {
  send("release");
  expect("released");
}

std::string Peer::share() {
  send("share");
  return argument_of(expect("acquired"));
}

std::string Peer::downgrade() {
  send("downgrade");
  return argument_of(expect("downgraded"));
}

void Peer::revoke() {
  send("revoke");
  expect("asked");
}

void Peer::set_count(int permits) {
  send(fmt::format("count {}", permits));
  expect("counted");
}

void Peer::start_rounds(std::size_t count, const std::filesystem::path& oracle_directory, std::string_view id) {
  send(fmt::format("rounds {} {} {}", count, oracle_directory.string(), id));
}

void Peer::finish_rounds(std::chrono::milliseconds timeout) { expect("done", timeout); }

int Peer::exit(std::chrono::milliseconds timeout) {
  // A peer that is gone already is no error here: its status is what the caller wants to see.
  (void)process_.write_line("exit");
  process_.close_stdin();
  const auto status = process_.wait(timeout);
  if (!status) throw PeerError(fmt::format("{} did not exit within {} ms", name_, timeout.count()));
  return *status;
}

void Peer::kill9() {
  process_.kill9();
  if (!process_.wait(kReplyTimeout)) throw PeerError(fmt::format("{} survived SIGKILL", name_));
}

std::optional<Peer::Clock::time_point> Peer::lost_at() {
  sort_in_what_is_there();
  return lost_at_;
}

std::optional<Peer::Clock::time_point> Peer::revoked_at() {
  sort_in_what_is_there();
  return revoked_at_;
}

bool Peer::wait_lost(std::chrono::milliseconds timeout) { return wait_for(lost_at_, timeout); }
bool Peer::wait_revoked(std::chrono::milliseconds timeout) { return wait_for(revoked_at_, timeout); }

bool Peer::wait_for(const std::optional<Clock::time_point>& event, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (!event) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    auto line = process_.read_timed_line(std::max(left, std::chrono::milliseconds{0}));
    if (!line) return false;
    sort_in(std::move(*line));
  }
  return true;
}

}  // namespace holdfast::testing
