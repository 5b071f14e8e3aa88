#include "redis/line.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace holdfast::redis {
namespace {

// A live server answers within this time; no client waits longer for a dead one.
constexpr auto kGoodbye = std::chrono::milliseconds(500);
// What anything begins with that Redis says.
constexpr std::string_view kTypes = "+-:$*_#,(!=%~>|";
// What a server of TLS says to plain text.
constexpr std::string_view kTlsAlert = "\x15\x03";

}  // namespace

// A Redis at a Unix socket usually runs as another user: the permissions of the socket's file decide which clients may connect.
Line::Line(net::Reactor& reactor, const net::ServerAddress& server, Events events, net::ClientTls* tls)
    : reactor_(reactor), events_(std::move(events)), socket_(server, tls, net::StreamSocket::Owner::any_user) {}

std::shared_ptr<Line> Line::make(net::Reactor& reactor, const net::ServerAddress& server, Clock::time_point deadline,
                                 Events events, net::ClientTls* tls) {
  std::shared_ptr<Line> line(new Line(reactor, server, std::move(events), tls));
  if (line->socket_.closed()) {
    reactor.post([line] { line->attend(); });
    return line;
  }
  const auto weak = line->weak_from_this();
  line->readiness_ = reactor.watch(line->socket_.fd(), [weak] {
    if (const auto self = weak.lock()) self->attend();
  });
  if (!line->readiness_) {
    reactor.post([line] { line->lose("it cannot be watched"); });
    return line;
  }
  if (line->socket_.wants_to_write()) line->readiness_->when_writable();
  line->deadline_ = reactor.at(deadline, [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->deadline_ = net::Reactor::kNoTimer;
    self->attend();  // it may have been this process that was stopped
    if (!self->heard_) self->lose("it does not answer");
  });
  return line;
}

void Line::write(std::string_view bytes) {
  socket_.write(bytes);
  if (readiness_ && socket_.wants_to_write()) readiness_->when_writable();
}

void Line::attend() {
  if (over_) return;
  const auto self = shared_from_this();  // the event's receiver may drop the last reference
  socket_.on_ready();
  if (!heard_ && !socket_.received().empty() && kTypes.find(socket_.received()[0]) == std::string_view::npos) {
    return lose(socket_.received().starts_with(kTlsAlert)
                    ? "the server there wants TLS; write rediss:// instead of redis://"
                    : "what listens there is not a Redis");
  }
  reader_.feed(socket_.received());
  socket_.drop(socket_.received().size());
  while (!over_) {
    auto value = reader_.next();
    if (!value) break;
    if (!std::exchange(heard_, true)) reactor_.cancel(std::exchange(deadline_, net::Reactor::kNoTimer));
    events_.received(std::move(*value));
  }
  if (over_) return;
  if (!reader_.trouble().empty()) {
    return lose(heard_ ? fmt::format("what it says is not Redis' protocol: {}", reader_.trouble())
                       : "what listens there is not a Redis");
  }
  if (socket_.closed()) return lose(socket_.reason());
  if (socket_.wants_to_write()) readiness_->when_writable();
}

void Line::lose(const std::string& why) {
  if (over_) return;
  const auto self = shared_from_this();
  let_go();
  events_.lost(why);
}

void Line::let_go() {
  over_ = true;
  readiness_.reset();
  reactor_.cancel(std::exchange(deadline_, net::Reactor::kNoTimer));
}

void Line::close(std::string_view goodbye, std::size_t answers) {
  if (socket_.connecting() || !heard_) return;
  socket_.write(goodbye);
  const auto until = Clock::now() + kGoodbye;
  do {
    reader_.feed(socket_.received());
    socket_.drop(socket_.received().size());
    while (const auto value = reader_.next()) {
      if (answers_a_command(*value) && --answers == 0) return;
    }
  } while (!socket_.closed() && socket_.wait(until));
}

}  // namespace holdfast::redis
