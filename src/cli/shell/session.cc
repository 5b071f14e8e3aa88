#include "cli/shell/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <optional>

#include "cli/shell/show.h"
#include "net/resolver.h"
#include "zk/socket_line.h"

namespace holdfast::cli::shell {
namespace {

// A server that is just restarting refuses once.
constexpr std::size_t kRefusals = 2;

// To a service that could not be located.
struct NoLine final : zk::Line {
  void send(std::string) override {}
  void let_go() override {}
  void close(std::string) override {}
};

// With the names beside their numbers; a name that cannot be looked up stays, so that the attempt to connect says why.
net::ServerAddresses looked_up(const net::ServerAddresses& servers) {
  net::ServerAddresses all;
  for (const auto& server : servers) {
    auto found = net::look_up({server}, net::Names::kept).servers;
    if (found.empty()) found.push_back(server);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace

PolledSession::PolledSession(SessionOptions options, Interruption interruption, SessionNews news)
    : options_(std::move(options)), interruption_(std::move(interruption)), news_(std::move(news)) {}

void PolledSession::move_to(net::ServerAddresses servers) {
  close();
  options_.servers = std::move(servers);
  options_.auth.clear();
  options_.sasl = {};
  options_.locate = nullptr;
}

Answer<void> PolledSession::open() {
  close();
  expired_ = false;
  start();
  auto reached = wait_until_ready();
  if (!reached) close();
  return reached;
}

void PolledSession::close() {
  phase_ = Phase::closed;
  closed_why_ = "a server; connect opens a new session";
  const auto client = std::exchange(client_, nullptr);
  if (!client) return;
  client->abandon(wire::Code::closing);
  client->close();
}

void PolledSession::start() {
  phase_ = Phase::connecting;
  session_ = 0;
  was_ready_ = false;
  client_ = std::make_shared<zk::Client>(
      reactor_,
      [this](const net::ServerAddress& server, Clock::duration timeout, zk::Line::Events events) {
        return dial(server, timeout, std::move(events));
      },
      zk::Client::Options{.session_timeout = options_.session_timeout,
                          .connection_timeout = options_.connect_timeout,
                          .auth = options_.auth,
                          .sasl = options_.sasl},
      zk::Client::Events{[this](auto state, auto session, auto timeout) { on_state(state, session, timeout); },
                         [this](auto, wire::EventType type, const std::string& path) { on_event(type, path); }});
  client_->open(looked_up(options_.servers));
}

// The session is over, and its watches with it.
void PolledSession::replace() {
  client_->abandon(wire::Code::session_expired);
  expired_ = true;
  start();
}

std::shared_ptr<zk::Line> PolledSession::dial(const net::ServerAddress& server, Clock::duration timeout,
                                              zk::Line::Events events) {
  if (!options_.locate) return zk::SocketLine::make(reactor_, server, timeout, std::move(events), options_.tls.get());
  auto found = options_.locate();
  if (found) {
    options_.servers = *std::move(found);
    return zk::SocketLine::make(reactor_, options_.servers.front(), timeout, std::move(events), options_.tls.get());
  }
  reactor_.post([events = std::move(events), why = found.error()] { events.lost(why); });
  return std::make_shared<NoLine>();
}

std::string PolledSession::lost_server() const {
  return (options_.locate ? options_.servers.front() : client_->lost_server()).text();
}

void PolledSession::on_state(zk::Client::State state, wire::SessionId session, Clock::duration timeout) {
  switch (state) {
    case zk::Client::State::connected:
      session_ = session;
      timeout_ = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
      return on_connected();
    case zk::Client::State::disconnected:
      on_disconnected(lost_server(), client_->why_lost());
      return client_->set_servers(looked_up(options_.servers));  // they may have moved
    case zk::Client::State::expired: return replace();
    case zk::Client::State::refused:
      if (phase_ == Phase::ready) {
        on_disconnected(server(), "it wants credentials");
        return replace();
      }
      phase_ = Phase::closed;
      closed_why_ = server() + ": the server refused our credentials; see --auth";
      if (const auto& why = client_->refusal(); !why.empty()) closed_why_ = server() + ": " + why;
  }
}

void PolledSession::on_connected() {
  phase_ = Phase::ready;
  if (expired_) {
    news_.connection(fmt::format(
        "The session has expired: its ephemeral nodes and watches are gone. Connected to {} in a new one, {:#x}",
        server(), static_cast<std::uint64_t>(session_)));
  } else if (was_ready_) {
    news_.connection(fmt::format("Connected again to {} in the same session", server()));
  }
  was_ready_ = true;
  expired_ = false;
}

void PolledSession::on_disconnected(const std::string& lost, const std::string& why) {
  // First: the prompt that is drawn again below it shows where we are.
  phase_ = Phase::connecting;
  news_.connection(fmt::format("Lost the connection to {}: {}; trying again", lost, why));
}

void PolledSession::on_event(wire::EventType type, std::string_view path) {
  if (path.starts_with(options_.chroot)) path.remove_prefix(options_.chroot.size());
  if (path.empty()) path = "/";
  if (news_.node) news_.node(type, std::string(path));
  news_.event(show_event(type, path));
}

// A service that is located is started by that. And in a session that goes on there is something to wait for.
bool PolledSession::every_server_refuses() const {
  return session_ == 0 && !options_.locate && client_->every_server_refuses(kRefusals);
}

std::string PolledSession::why_not_connected() const {
  if (phase_ == Phase::closed) return closed_why_;
  if (client_->no_service() || client_->waits_for_login())
    return net::to_text(options_.servers) + ": " + client_->trouble();
  if (client_->why_lost().empty()) return server() + ": it does not answer";
  return lost_server() + ": " + client_->why_lost();
}

Answer<void> PolledSession::wait_until_ready() {
  const auto until = reactor_.now() + options_.connect_timeout;
  while (phase_ != Phase::ready) {
    if (phase_ == Phase::closed || reactor_.now() >= until || every_server_refuses() || client_->no_service()) {
      const auto why = why_not_connected();
      const auto known = explanation();
      return tl::unexpected(
          Failure{.kind = Failure::Kind::not_connected, .detail = known.empty() ? why : why + "; " + known});
    }
    if (step(-1, until) == Woke::interrupted) return tl::unexpected(Failure{.kind = Failure::Kind::interrupted});
  }
  return {};
}

Answer<zk::Answer> PolledSession::ask(const Request& request) {
  if (auto there = wait_until_ready(); !there) return tl::unexpected(there.error());
  // Shared with the callback, which may come after an interruption.
  const auto answer = std::make_shared<std::optional<zk::Answer>>();
  request(*client_, [answer](zk::Answer came) { *answer = std::move(came); });
  while (!*answer) {
    if (step(-1, Clock::time_point::max()) == Woke::interrupted) {
      return tl::unexpected(Failure{.kind = Failure::Kind::interrupted});
    }
  }
  const auto code = (*answer)->code;
  if (code == wire::Code::ok) return **std::move(answer);
  if (code == wire::Code::connection_loss) return tl::unexpected(Failure{.kind = Failure::Kind::unanswered});
  return tl::unexpected(Failure{.kind = Failure::Kind::refused,
                                .code = code,
                                .detail = code == wire::Code::system_error ? explanation() : std::string()});
}

Answer<void> PolledSession::add_auth(const Auth& auth) {
  const auto answer = ask([&](zk::Client& client, auto done) { client.log_in(auth, std::move(done)); });
  if (!answer) return tl::unexpected(answer.error());
  options_.auth.push_back(auth);
  return {};
}

bool PolledSession::wait_readable(int fd) {
  for (;;) {
    const auto woke = step(fd, Clock::time_point::max());
    if (woke == Woke::input) return true;
    if (woke == Woke::interrupted) return false;
  }
}

PolledSession::Woke PolledSession::step(int fd, Clock::time_point until) {
  std::array<pollfd, 2> polled{pollfd{fd, POLLIN, 0}, pollfd{interruption_.fd, POLLIN, 0}};
  reactor_.wait(polled, until);
  if (polled[1].revents != 0 && interruption_.take()) return Woke::interrupted;
  return polled[0].revents != 0 ? Woke::input : Woke::time;
}

}  // namespace holdfast::cli::shell
