// socket_line.h -- a line over TCP or a Unix socket, in the client's own loop.
//
// The thread that is inside writes to the socket itself, and the loop reads where the answers are handled: no thread is woken for a request, and
// one for an answer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/frame_socket.h"
#include "net/reactor.h"
#include "zk/line.h"

namespace holdfast::zk {

class SocketLine final : public Line, public std::enable_shared_from_this<SocketLine> {
 public:
  // The host must be a number: looking up a name would block. `tls`: none for plain text.
  static std::shared_ptr<SocketLine> make(net::Reactor& reactor, const net::ServerAddress& server,
                                          Clock::duration timeout, Events events, net::ClientTls* tls = nullptr);

  // A function that dials such lines.
  static Dial dial(net::Reactor& reactor, std::shared_ptr<net::ClientTls> tls = nullptr);

  void send(std::string frame) override;
  void hold(bool held) override;
  void attend() override;
  std::shared_ptr<void> ask_what_listens(std::function<void(const net::Stranger& stranger)> done) override;
  void let_go() override;
  void close(std::string goodbye) override;

 private:
  SocketLine(net::Reactor& reactor, const net::ServerAddress& server, Events events, net::ClientTls* tls);

  void lose(const std::string& why);

  net::Reactor& reactor_;
  const net::ServerAddress server_;
  const Events events_;
  const bool tls_;
  net::FrameSocket socket_;
  std::unique_ptr<net::Reactor::Readiness> readiness_;  // goes before the socket
  net::Reactor::TimerId silence_timer_ = net::Reactor::kNoTimer;
  bool heard_ = false;
  bool held_ = false;
  bool over_ = false;  // lost, or let_go() was called
};

}  // namespace holdfast::zk
