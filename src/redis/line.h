// line.h -- one connection to one Redis: sends commands and receives values, in the client's own loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "net/client_tls.h"
#include "net/reactor.h"
#include "net/stream_socket.h"
#include "resp/reader.h"

namespace holdfast::redis {

// SUBSCRIBE and UNSUBSCRIBE are answered by a push, too.
inline bool answers_a_command(const resp::Value& value) {
  return value.type != resp::Value::Type::push ||
         (value.items.size() == 3 && (value.items[0].text == "subscribe" || value.items[0].text == "unsubscribe"));
}

class Line final : public std::enable_shared_from_this<Line> {
 public:
  // Called inside the Executor, never while the line is being made or written to.
  struct Events {
    std::function<void(resp::Value value)> received;
    std::function<void(const std::string& why)> lost;  // once, and nothing after it
  };

  // `server` by its number: looking up a name would block. Lost if nothing comes from there by `deadline`. `tls`: none for plain text.
  static std::shared_ptr<Line> make(net::Reactor& reactor, const net::ServerAddress& server, Clock::time_point deadline,
                                    Events events, net::ClientTls* tls = nullptr);

  // Keeps the bytes until there is a connection.
  void write(std::string_view bytes);
  // Delivers now what has arrived: for a caller that is about to take silence for an answer.
  void attend();

  // Calls no event any more. Inside the Executor.
  void let_go();
  // Sends the last commands, and waits a moment until that many answers have come. Outside the Executor, after let_go().
  void close(std::string_view goodbye, std::size_t answers);

 private:
  Line(net::Reactor& reactor, const net::ServerAddress& server, Events events, net::ClientTls* tls);

  void lose(const std::string& why);

  net::Reactor& reactor_;
  const Events events_;
  net::StreamSocket socket_;
  resp::Reader reader_;
  std::unique_ptr<net::Reactor::Readiness> readiness_;  // goes before the socket
  net::Reactor::TimerId deadline_ = net::Reactor::kNoTimer;
  bool heard_ = false;
  bool over_ = false;  // lost, or let_go() was called
};

}  // namespace holdfast::redis
