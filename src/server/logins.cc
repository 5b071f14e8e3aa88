// logins.cc -- which client may try a password, and when; how many sessions an address may open.
#include <fmt/format.h>

#include <optional>
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

// Guessing must be slow, whatever the number of connections it comes by, and honest clients of the same address must not suffer for
// it. So only wrong passwords count, only attempts wait, and none of a client that knows its session's password.
void Service::log_in(const ConnectionPtr& connection, std::unique_ptr<Authentication> attempt) {
  const auto& source = connection->origin.source;
  const auto now = Pace::Clock::now();
  std::optional<Pace::Clock::time_point> turn;
  if (source && !connection->resumed) {
    if (!source->failed_logins.ready(now)) {
      connection->login_is_taken = true;
      turn = source->failed_logins.take(now);
    } else if (source->logins_under_way >= kLoginsAtOnce) {
      turn = now + kLookAgain;
    }
  }
  if (!turn) {
    attempt->begin();
    return pipeline_.push(line_of(*connection), std::move(attempt));
  }
  // Shared, as a function must be one that can be copied.
  pause(connection, *turn,
        [this, connection, kept = std::make_shared<std::unique_ptr<Authentication>>(std::move(attempt))] {
          if (!connection->login_is_taken) return log_in(connection, std::move(*kept));
          (*kept)->begin();
          pipeline_.push(line_of(*connection), std::move(*kept));
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
  if (std::exchange(connection.login_is_taken, false)) connection.origin.source->failed_logins.give_back();
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
