// stream_socket.h -- bytes over TCP, with TLS or without, or over a Unix socket, for a caller that knows when the socket is ready.
//
//                on_ready()                     write()         received()
//   connecting   -> open, or closed             kept for later  nothing
//   handshake    -> open, or closed (TLS only)  kept for later  nothing
//   open         reads and writes, or -> closed kept for later  what has come
//   closed       no effect                      no effect       what came before
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
  // The user of the process that listens on a Unix socket.
  enum class Owner { this_user, any_user };

  // Begins to connect; looks up a host name before it returns. If that fails, the socket is closed. With a `tls`, which is only used here, the
  // server's certificate must fit its name. A server at a Unix socket has no TLS; if it belongs to another user than `owner` allows, nothing is
  // sent to it, and the socket is closed.
  explicit StreamSocket(const ServerAddress& server, ClientTls* tls = nullptr, Owner owner = Owner::this_user);
  ~StreamSocket();
  StreamSocket(const StreamSocket&) = delete;
  StreamSocket& operator=(const StreamSocket&) = delete;

  // -1 once closed. The descriptor itself is freed with this object, so that no other file gets it while a reactor still watches it.
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
  // As long as it is true, written bytes stay here; then they leave in one piece.
  void hold(bool held);
  // The bytes that have come and were not dropped.
  std::string_view received() const { return std::string_view(received_).substr(dropped_); }
  void drop(std::size_t bytes) { dropped_ += bytes; }
  void close(std::string reason);
  // Blocks until something happens: bytes have come or gone, or it is closed. False: the deadline came first.
  bool wait(Clock::time_point deadline);

  // The reasons if a server hangs up, and if it hangs up before TLS is set up.
  static constexpr std::string_view kHungUp = "closed by the server";
  static constexpr std::string_view kHungUpInHandshake = "closed by the server before TLS was set up";

 private:
  void connect_to(const std::string& path, Owner owner);
  void finish_connecting();
  void flush();
  void receive();
  // Takes bytes that have arrived; false if nothing more will come.
  bool take(std::string_view bytes);
  void hung_up(std::string reason);

  int fd_ = -1;
  bool closed_ = true;
  bool connecting_ = false;
  bool held_ = false;
  std::string reason_;
  bool broken_ = false;                // something was sent in part, and the rest of it cannot be
  std::unique_ptr<TlsStream> stream_;  // none: plain text
  std::string plain_;                  // for the stream, once it is open
  std::string to_send_;
  std::string received_;
  std::size_t dropped_ = 0;  // bytes at its front
};

}  // namespace holdfast::net
