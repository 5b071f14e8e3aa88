#include "backend/zookeeper/connection.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"

namespace holdfast::zookeeper {
namespace {

// When the host names cannot be resolved at the moment.
constexpr auto kReopenPause = std::chrono::seconds(1);
// Between two look-ups of the servers' names while there is no connection.
constexpr auto kLookUpPause = std::chrono::seconds(5);
constexpr auto kConfigNode = "/zookeeper/config";

}  // namespace

Connection::Connection(spi::Executor& executor, Address address, const ClientOptions& options, zk::Dial dial,
                       Watcher& watcher)
    : executor_(executor),
      address_(std::move(address)),
      tick_time_(options.zookeeper.ensemble_tick_time),
      client_options_{.session_timeout = options.session_timeout,
                      .connection_timeout = options.connection_timeout,
                      .auth = options.zookeeper.auth,
                      .sasl = options.zookeeper.sasl,
                      .acl = options.zookeeper.acl},
      dial_(std::move(dial)),
      watcher_(watcher),
      resolver_(executor, address_.tls || options.zookeeper.sasl.mechanism == "GSSAPI" ? net::Names::kept
                                                                                       : net::Names::dropped) {}

void Connection::start_session() {
  announced_ = false;
  if (address_.servers.empty()) return start_session_with({}, {});  // the client knows where
  resolver_.resolve(address_.servers, [this](const net::ServerAddresses& servers, const std::string& trouble) {
    start_session_with(servers, trouble);
  });
}

void Connection::start_session_with(const net::ServerAddresses& servers, const std::string& trouble) {
  if (closed_) return;
  const bool is_news = std::exchange(unresolved_, trouble) != trouble;
  session_.asked = executor_.now();
  if (!servers.empty() || address_.servers.empty()) {
    client_ = std::make_shared<zk::Client>(
        executor_, dial_, client_options_,
        zk::Client::Events{
            [this](zk::Client::State state, auto id, auto timeout) { on_state(state, id, timeout); },
            [this](auto watch, wire::EventType type, const std::string&) { watcher_.watch_fired(watch, type); },
            [this] {
              // A name that is not known yet may be that of a ZooKeeper.
              if (unresolved_.empty()) watcher_.no_service();
            }});
    return client_->open(servers);
  }
  if (is_news) base::log().warn("cannot connect to {}: {}", where(), trouble);
  executor_.at(executor_.now() + kReopenPause, [this] {
    if (!closed_) start_session();
  });
}

void Connection::on_state(zk::Client::State state, spi::SessionId id, Clock::duration timeout) {
  if (state == zk::Client::State::connected) return on_connected(id, timeout);
  if (state == zk::Client::State::expired) return replace_session();
  if (state == zk::Client::State::refused) {
    connected_ = false;
    const auto why = client_ ? client_->refusal() : "";
    return watcher_.session_refused(why.empty() ? where() + " has refused the credentials, or wants some"
                                                : fmt::format("no login at {}: {}", where(), why));
  }
  if (std::exchange(connected_, false)) {
    watcher_.session_disconnected();
    look_up_servers_again();
  }
}

std::string Connection::trouble() const {
  if (connected_) return {};
  const auto unanswered = client_ ? client_->trouble() : "";
  if (!unresolved_.empty()) return unanswered.empty() ? unresolved_ : unresolved_ + "; " + unanswered;
  return client_ || address_.servers.empty() ? unanswered : "names are still being looked up";
}

// The servers may have moved to other addresses.
void Connection::look_up_servers_again() {
  if (address_.servers.empty()) return;
  resolver_.resolve(address_.servers,
                    [this, client = client_](const net::ServerAddresses& servers, const std::string&) {
                      if (client != client_ || connected_) return;
                      if (!servers.empty()) client_->set_servers(servers);
                      executor_.at(executor_.now() + kLookUpPause, [this, client] {
                        if (client == client_ && !connected_ && !closed_) look_up_servers_again();
                      });
                    });
}

void Connection::on_connected(spi::SessionId id, Clock::duration timeout) {
  session_.id = id;
  session_.password = client_->password();
  session_.timeout = timeout;
  client_options_.logged_in_before = true;
  if (announced_) return announce();
  if (const auto asked = client_options_.session_timeout; timeout != asked) {
    base::log().info("{} has granted a session timeout of {} ms instead of {} ms", where(),
                     std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count(), asked.count());
  }
  // A leader pings its followers every half tick; as much again for one that is late.
  session_.report_lag = tick_time_;
  if (address_.servers.size() > 1) return announce();
  // One address may still be one member, or the front, of an ensemble; the servers know. What cannot be read, or is not
  // empty, is taken for one: the price is a shorter lease, the other way round it would be a broken promise.
  client_->get(kConfigNode, [this](const zk::Answer& answer) {
    const bool gone = answer.code == Code::connection_loss || answer.code == Code::session_expired ||
                      answer.code == Code::closing || answer.code == Code::session_closed_require_auth;
    if (gone) return;  // on_connected() comes again, or never
    if (answer.code == Code::ok && answer.text.find("server.") == std::string::npos) session_.report_lag = {};
    announce();
  });
}

void Connection::announce() {
  announced_ = true;
  connected_ = true;
  watcher_.session_connected(session_);
}

// The service has given our session up. Everything of it is gone: tickets, watches, requests under way.
void Connection::replace_session() {
  connected_ = false;
  const auto old = std::exchange(client_, nullptr);
  old->abandon(Code::session_expired);
  watcher_.session_expired(session_.id);
  old->close();  // the server is not reachable: returns immediately
  start_session();
}

std::function<void()> Connection::close() {
  closed_ = true;
  connected_ = false;
  resolver_.cancel();
  if (!client_) return {};
  client_->abandon(Code::closing);
  return [client = std::exchange(client_, nullptr)] { client->close(); };
}

}  // namespace holdfast::zookeeper
