// logins.cc -- how a client proves its identities on every line, before any other request: by SASL, then those of `auth`.
#include <algorithm>
#include <utility>

#include "zk/client.h"

namespace holdfast::zk {

void Client::log_in_by_sasl() {
  login_xid_ = 0;
  trouble_.failed(server(), std::string(kNoLogin));
  // It is gone with the line, and tells nothing then.
  login_ = std::make_unique<SaslLogin>(
      executor_, options_.sasl, server().name_or_host(),
      SaslLogin::Events{[this](const std::string& token) {
                          wire::Writer body;
                          body.text(token);
                          login_xid_ = next_xid();
                          send(login_xid_, wire::Op::sasl, body.bytes());
                        },
                        [this] {
                          login_.reset();
                          prove_identities();
                        },
                        [this](const std::string& why, bool for_good) { login_failed(why, for_good); }});
}

// A failure that may be temporary (a KDC that is down, a file that is being replaced) is tried again on the next line, if there was a login before.
// Any other may be that one server's: it is final once every server has failed, or one of them twice, because all others were tried in between.
void Client::login_failed(const std::string& why, bool for_good) {
  if (!for_good && begun_before_) return lost(why);
  const bool again = !login_failed_at_.insert(server()).second;
  const bool at_all = std::all_of(servers_.begin(), servers_.end(),
                                  [this](const auto& each) { return login_failed_at_.contains(each); });
  if (again || at_all) {
    refusal_ = why;
    return refuse();
  }
  if (!begun_before_) forget_session();
  lost(why);
}

// It was never used, and the next server may be none of the same ensemble.
void Client::forget_session() {
  session_ = 0;
  password_.clear();
  timeout_ = options_.session_timeout;
  last_zxid_ = 0;
}

void Client::prove_identities() {
  for (const auto& each : identities_) send_login(each, {});
  if (logins_.empty()) logged_in();
}

void Client::send_login(const Auth& auth, Done done) {
  wire::Writer body;
  encode(body, wire::AuthRequest{auth.scheme, auth.credentials});
  send(wire::kAuthXid, wire::Op::auth, body.bytes());
  logins_.push_back(std::move(done));
  if (!ready_) trouble_.failed(server(), std::string(kNoLogin));
  if (logins_.size() > 1) return;
  logins_since_ = executor_.now();
  keep_alive();
}

// When to give up a server that has not answered the logins, although it answers pings. After the same time as a silent one; but if there was no
// session yet, and there are other servers, after the time for a handshake, so that the others are tried in time.
//
// A server that delays a login on purpose, as the engine does while clients guess passwords, does not answer pings meanwhile either, so it would be
// given up then anyway; and the engine does not delay a session that is resumed.
Clock::time_point Client::logins_due() const {
  if (logins_.empty() || !line_->may_fall_silent()) return Clock::time_point::max();
  const bool others_first = !begun_before_ && servers_.size() > 1;
  return logins_since_ + (others_first ? first_timeout() : 2 * third());
}

void Client::log_in(const Auth& auth, Done done) {
  if (!ready_) return executor_.post([done = std::move(done)] { done({.code = Code::connection_loss}); });
  send_login(auth, [this, auth, done = std::move(done)](Answer answer) {
    if (answer.code == Code::ok) identities_.push_back(auth);
    done(std::move(answer));
  });
}

void Client::login_answered(Code code) {
  if (logins_.empty()) return lost(kNotAsked);
  const Done done = std::move(logins_.front());
  logins_.pop_front();
  logins_since_ = executor_.now();
  if (!done && code != Code::ok) return refuse();
  if (done) done({.code = code});
  if (abandoned_ || !line_) return;
  // The server ends the connection after this; requests that are sent meanwhile are lost.
  if (code != Code::ok) return lost("it refused an identity");
  if (!ready_ && logins_.empty()) logged_in();
}

void Client::logged_in() {
  ready_ = begun_before_ = true;
  login_failed_at_.clear();
  trouble_.clear();
  questions_.clear();
  watch_again();
  events_.session(State::connected, session_, timeout_);
}

}  // namespace holdfast::zk
