#include "server/logins.h"

#include <fmt/format.h>

#include <new>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::server {
namespace {

// Passwords of one address that are being looked at: more than these wait a moment, so that it is known whether they were wrong before
// the next ones are tried.
constexpr std::size_t kLoginsAtOnce = 64;
constexpr std::chrono::milliseconds kLookAgain{5};

}  // namespace

Logins::Logins(Loop& loop, engine::Engine& engine, Pipeline& pipeline, FlowControl& flow, ConnectionTable& connections,
               SessionRegistry& sessions, Refusals& refusals, const EngineOptions& options)
    : loop_(loop),
      engine_(engine),
      pipeline_(pipeline),
      flow_(flow),
      connections_(connections),
      sessions_(sessions),
      refusals_(refusals),
      credentials_(options.require_auth, options.super_digest) {}

void Logins::enter(const std::shared_ptr<ClientConnection>& connection, std::unique_ptr<Authentication> attempt) {
  const auto& source = connection->origin.source;
  if (!source || connection->trusted) return this->attempt(connection, std::move(attempt));
  const bool waits = !source->waiting_logins.empty() || source->logins_under_way >= kLoginsAtOnce ||
                     !source->failed_logins.ready(loop_.now());
  if (!waits) return this->attempt(connection, std::move(attempt));
  // It is paused while one waits, so there is no second.
  HOLDFAST_ASSERT(connection->waiting_login == nullptr, connection->id);
  connection->place_in_login_line = source->waiting_logins.insert(source->waiting_logins.end(), connection);
  connection->waiting_login = std::move(attempt);
  flow_.set_paused(*connection, true);
  look(source);
}

void Logins::attempt(const std::shared_ptr<ClientConnection>& connection, std::unique_ptr<Work> attempt) {
  static_cast<Authentication&>(*attempt).begin();
  pipeline_.push(line_of(*connection), std::move(attempt));
}

void Logins::look(const std::shared_ptr<Address>& source) {
  while (!source->waiting_logins.empty()) {
    const auto first = source->waiting_logins.front();
    try {
      if (!try_first(source)) return;
    } catch (const std::bad_alloc&) {
      connections_.drop(*first);
    }
  }
}

bool Logins::try_first(const std::shared_ptr<Address>& source) {
  const auto now = loop_.now();
  if (source->logins_under_way >= kLoginsAtOnce) {
    look_later(source, now + kLookAgain);
    return false;
  }
  if (!source->failed_logins.ready(now)) {
    look_later(source, source->failed_logins.next(now));
    return false;
  }
  source->failed_logins.take(now);
  const auto connection = std::move(source->waiting_logins.front());
  source->waiting_logins.pop_front();
  HOLDFAST_ASSERT(connection != nullptr && connection->waiting_login != nullptr && connection->peer != nullptr);
  connection->login_is_taken = true;
  attempt(connection, std::move(connection->waiting_login));
  flow_.set_paused(*connection, false);
  return true;
}

void Logins::look_later(const std::shared_ptr<Address>& source, engine::Moment when) {
  if (source->looks_at_logins) return;
  loop_.at(when, alive_.guard([this, source] {
    source->looks_at_logins = false;
    look(source);
  }));
  source->looks_at_logins = true;
}

bool Logins::authenticate(ClientConnection& connection, const std::string& scheme, const wire::Buffer& credentials) {
  std::vector<wire::Id> ids;
  if (scheme == "digest" && credentials) ids = credentials_.identify(*credentials);
  if (scheme == "ip") ids.push_back({"ip", connection.origin.ip});
  const bool right = scheme == "digest" ? credentials && credentials_.accepts(*credentials, ids) : !ids.empty();
  if (right) {
    succeeded(connection);
  } else {
    ++statistics_.failed;
    failed(connection, scheme == "digest" ? credentials.value_or("") : scheme + ":");
  }
  for (auto& id : ids) {
    if (credentials_.is_enough(id)) {
      connection.authorized = true;
      sessions_.logged_in(connection.session);
    }
    if (connection.peer && !engine_.add_identity(connection.id, std::move(id))) return false;
  }
  return !ids.empty();
}

void Logins::failed(ClientConnection& connection, std::string_view user_and_password) {
  const auto user = user_and_password.substr(0, user_and_password.find(':'));
  refusals_.note(Refusal::login,
                 fmt::format("{} failed to log in as \"{}\"", connection.origin.address, base::printable(user)));
  sessions_.failed_to_log_in(connection.session);
  const bool taken = std::exchange(connection.login_is_taken, false);
  if (connection.origin.source && !taken) connection.origin.source->failed_logins.take(loop_.now());
}

void Logins::succeeded(ClientConnection& connection) {
  if (!std::exchange(connection.login_is_taken, false)) return;
  connection.origin.source->failed_logins.give_back();
  look(connection.origin.source);
}

void Logins::left(ClientConnection& connection) {
  if (std::exchange(connection.login_is_taken, false)) connection.origin.source->failed_logins.give_back();
  if (const auto attempt = std::exchange(connection.waiting_login, nullptr)) {
    HOLDFAST_ASSERT(connection.origin.source != nullptr && !connection.origin.source->waiting_logins.empty(),
                    connection.id);
    HOLDFAST_ASSERT(connection.place_in_login_line->get() == &connection, connection.id);
    connection.origin.source->waiting_logins.erase(connection.place_in_login_line);
  }
}

}  // namespace holdfast::server
