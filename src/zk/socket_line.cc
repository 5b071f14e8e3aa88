#include "zk/socket_line.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "net/stranger.h"

namespace holdfast::zk {
namespace {

// A live server closes the session within this time; a dead one is not waited for any longer.
constexpr auto kGoodbye = std::chrono::milliseconds(500);

}  // namespace

SocketLine::SocketLine(net::Reactor& reactor, const net::ServerAddress& server, Events events, net::ClientTls* tls)
    : reactor_(reactor), server_(server), events_(std::move(events)), tls_(tls != nullptr), socket_(server, tls) {}

std::shared_ptr<SocketLine> SocketLine::make(net::Reactor& reactor, const net::ServerAddress& server,
                                             Clock::duration timeout, Events events, net::ClientTls* tls) {
  std::shared_ptr<SocketLine> line(new SocketLine(reactor, server, std::move(events), tls));
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
  line->silence_timer_ = reactor.at(reactor.now() + timeout, [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->silence_timer_ = net::Reactor::kNoTimer;
    // It may have been this process that was stopped.
    self->attend();
    if (!self->heard_) self->lose("it does not answer");
  });
  return line;
}

Dial SocketLine::dial(net::Reactor& reactor, std::shared_ptr<net::ClientTls> tls) {
  return [&reactor, tls = std::move(tls)](const net::ServerAddress& server, Clock::duration timeout, Events events) {
    return make(reactor, server, timeout, std::move(events), tls.get());
  };
}

std::shared_ptr<void> SocketLine::ask_what_listens(std::function<void(const net::Stranger& stranger)> done) {
  if (server_.is_path()) return nullptr;  // a Unix socket of this user: no other kind of server listens there
  return std::make_shared<net::StrangerQuestion>(reactor_, server_, tls_, std::move(done));
}

void SocketLine::send(std::string frame) {
  socket_.send(frame);
  if (readiness_ && !held_ && socket_.wants_to_write()) readiness_->when_writable();
}

void SocketLine::hold(bool held) {
  held_ = held;
  socket_.hold(held);
  if (!held && readiness_ && socket_.wants_to_write()) readiness_->when_writable();
}

void SocketLine::attend() {
  if (over_) return;
  const auto self = shared_from_this();  // the observer may drop the last reference
  socket_.on_ready();
  while (!over_) {
    const auto frame = socket_.next_frame();
    if (!frame) break;
    if (!std::exchange(heard_, true)) reactor_.cancel(std::exchange(silence_timer_, net::Reactor::kNoTimer));
    events_.received(*frame);
  }
  if (!over_ && socket_.closed()) return lose(socket_.reason());
  if (!over_ && socket_.wants_to_write()) readiness_->when_writable();
}

void SocketLine::lose(const std::string& why) {
  if (over_) return;
  const auto self = shared_from_this();
  let_go();
  events_.lost(why);
}

void SocketLine::let_go() {
  over_ = true;
  readiness_.reset();
  reactor_.cancel(std::exchange(silence_timer_, net::Reactor::kNoTimer));
}

void SocketLine::close(std::string goodbye) {
  if (socket_.connecting()) return;
  socket_.send(goodbye);
  // A server that has never answered is not waited for.
  const auto until = std::chrono::steady_clock::now() + (heard_ ? kGoodbye : std::chrono::milliseconds(0));
  while (!socket_.closed()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return;
    const short wanted = socket_.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
    pollfd polled{socket_.fd(), wanted, 0};
    (void)::poll(&polled, 1, static_cast<int>(left));
    socket_.on_ready();
    while (socket_.next_frame()) {  // answers for which no caller waits any more
    }
  }
}

}  // namespace holdfast::zk
