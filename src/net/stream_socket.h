// stream_socket.h -- bytes over TCP, with TLS or without, or over a Unix socket, for a caller that knows when the socket is ready.
//
//                on_ready()                     write()         received()
//   connecting   -> open, or closed             kept for later  nothing
//   handshake    -> open, or closed (TLS only)  kept for later  nothing
//   open         reads and writes, or -> closed kept for later  what has come
//   closed       nothing                        nothing         what came before
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/clock.h"
#include "net/client_tls.h"
#include "net/server_address.h"

namespace holdfast::net {

class StreamSocket {
 public:
  // Of the process that listens on a Unix socket.
  enum class Owner { this_user, any_user };

  // Begins to connect; a host that is a name is looked up before it returns. If even that fails it is closed. With a `tls`, which is only
  // used here, the server must be the one that its name says. A server at a Unix socket has no TLS; one of a user that is not wanted is never
  // told anything: it is closed then.
  explicit StreamSocket(const ServerAddress& server, ClientTls* tls = nullptr, Owner owner = Owner::this_user);
  ~StreamSocket();
  StreamSocket(const StreamSocket&) = delete;
  StreamSocket& operator=(const StreamSocket&) = delete;

  // -1 once closed; the number itself is given back with this object, so that no other file has it while a reactor still watches it.
  int fd() const { return closed_ ? -1 : fd_; }
  bool wants_to_write() const {
    return connecting_ || !to_send_.empty() ||
           (stream_ && (stream_->has_wire() || (stream_->open() && !plain_.empty())));
  }
  bool connecting() const { return connecting_; }
  bool closed() const { return closed_; }
  // Why it is closed.
  const std::string& reason() const { return reason_; }

  void on_ready();
  void write(std::string_view bytes);
  // While true, what is written stays here; then it leaves in one piece.
  void hold(bool held);
  // What has come and was not dropped.
  std::string_view received() const { return std::string_view(received_).substr(dropped_); }
  void drop(std::size_t bytes) { dropped_ += bytes; }
  void close(std::string reason);
  // Blocks until something happens: bytes have come or gone, or it is closed. False: the deadline came first.
  bool wait(Clock::time_point deadline);

  // The reasons of a server that hangs up, and that hangs up before TLS is set up.
  static constexpr std::string_view kHungUp = "closed by the server";
  static constexpr std::string_view kHungUpInHandshake = "closed by the server before TLS was set up";

 private:
  void connect_to(const std::string& path, Owner owner);
  void finish_connecting();
  void flush();
  void receive();
  // What has arrived; false if nothing more will come.
  bool take(std::string_view bytes);
  void hung_up(std::string reason);

  int fd_ = -1;
  bool closed_ = true;
  bool connecting_ = false;
  bool held_ = false;
  std::string reason_;
  bool broken_ = false;                // something has left in part, and the rest of it cannot
  std::unique_ptr<TlsStream> stream_;  // none: plain text
  std::string plain_;                  // for the stream, once it is open
  std::string to_send_;
  std::string received_;
  std::size_t dropped_ = 0;  // of it
};

}  // namespace holdfast::net
