// logins.cc -- which client has to wait for its turn: to try a password, to open a session; how many sessions an address may open.
#include <fmt/format.h>

#include <asio/steady_timer.hpp>
#include <utility>

#include "base/text.h"
#include "server/service.h"
#include "server/service_work.h"

namespace holdfast::server {
namespace {

// Passwords of one address that are being looked at: more than these wait a moment, so that it is known whether they were wrong before
// the next ones are tried.
constexpr std::size_t kLoginsAtOnce = 64;
constexpr std::chrono::milliseconds kLookAgain{5};

}  // namespace

void Service::pause(const ConnectionPtr& connection, std::chrono::steady_clock::time_point until,
                    std::function<void()> next) {
  set_paused(*connection, true);
  auto timer = std::make_shared<asio::steady_timer>(loop_.context(), until);
  timer->async_wait([this, alive = alive_, timer, connection, next = std::move(next)](const std::error_code& error) {
    if (error || !*alive || connection->leaving) return;
    next();
    set_paused(*connection, false);
  });
}

void Service::set_paused(ClientConnection& connection, bool paused) {
  connection.paused = paused;
  if (connection.peer) connection.peer->look_for_the_end(paused);
  hold_or_go_on(connection);
}

// Guessing must be slow, whatever the number of connections it comes by, and honest clients of the same address must not suffer for
// it. So only wrong passwords count, only attempts wait, and none of a client that knows its session's password. A client that goes
// leaves the line, so that only those that are there wait for each other.
void Service::log_in(const ConnectionPtr& connection, std::unique_ptr<Authentication> attempt) {
  const auto& source = connection->origin.source;
  if (!source || connection->resumed) return try_login(connection, std::move(attempt));
  const bool waits = !source->waiting_logins.empty() || source->logins_under_way >= kLoginsAtOnce ||
                     !source->failed_logins.ready(Pace::Clock::now());
  if (!waits) return try_login(connection, std::move(attempt));
  connection->waiting_login = std::move(attempt);
  source->waiting_logins.push_back(connection);
  set_paused(*connection, true);
  look_at_logins(source);
}

void Service::try_login(const ConnectionPtr& connection, std::unique_ptr<Work> attempt) {
  static_cast<Authentication&>(*attempt).begin();
  pipeline_.push(line_of(*connection), std::move(attempt));
}

void Service::look_at_logins(const std::shared_ptr<Address>& source) {
  auto& line = source->waiting_logins;
  for (; !line.empty(); line.pop_front()) {
    const auto connection = line.front().lock();
    if (!connection || !connection->waiting_login) continue;
    const auto now = Pace::Clock::now();
    if (source->logins_under_way >= kLoginsAtOnce) return look_at_logins_later(source, now + kLookAgain);
    if (!source->failed_logins.ready(now)) return look_at_logins_later(source, source->failed_logins.next(now));
    source->failed_logins.take(now);
    connection->login_is_taken = true;
    try_login(connection, std::move(connection->waiting_login));
    set_paused(*connection, false);
  }
}

void Service::look_at_logins_later(const std::shared_ptr<Address>& source, Pace::Clock::time_point when) {
  if (std::exchange(source->looks_at_logins, true)) return;
  auto timer = std::make_shared<asio::steady_timer>(loop_.context(), when);
  timer->async_wait([this, alive = alive_, timer, source](const std::error_code&) {
    source->looks_at_logins = false;
    if (*alive) look_at_logins(source);
  });
}

void Service::login_failed(ClientConnection& connection, std::string_view user_and_password) {
  const auto user = user_and_password.substr(0, user_and_password.find(':'));
  quotas_->refusals.note(
      Refusal::login, fmt::format("{} failed to log in as \"{}\"", connection.origin.address, base::printable(user)));
  const bool taken = std::exchange(connection.login_is_taken, false);
  if (connection.origin.source && !taken) connection.origin.source->failed_logins.take(Pace::Clock::now());
}

void Service::login_succeeded(ClientConnection& connection) {
  if (!std::exchange(connection.login_is_taken, false)) return;
  connection.origin.source->failed_logins.give_back();
  look_at_logins(connection.origin.source);
}

bool Service::may_open_session(const ClientConnection& connection) const {
  const auto there = engine_.sessions().size();
  if (there >= options_.limits.sessions) return false;
  const auto& source = connection.origin.source;
  return !source || Addresses::may_have_more(source->sessions, options_.limits.sessions - there);
}

void Service::session_opened(const ClientConnection& connection, wire::SessionId session) {
  if (!connection.origin.source) return;
  ++connection.origin.source->sessions;
  opened_from_[session] = connection.origin.source;
}

void Service::session_ended(wire::SessionId session) {
  const auto found = opened_from_.find(session);
  if (found == opened_from_.end()) return;
  --found->second->sessions;
  opened_from_.erase(found);
}

}  // namespace holdfast::server
