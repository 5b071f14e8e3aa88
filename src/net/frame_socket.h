// frame_socket.h -- frames over TCP, with TLS or without, or over a Unix socket, for a caller that knows when the socket is ready.
//
//                on_ready()                     send()          next_frame()
//   connecting   -> open, or closed             kept for later  nothing
//   handshake    -> open, or closed (TLS only)  kept for later  nothing
//   open         reads and writes, or -> closed kept for later  the frames that are complete
//   closed       nothing                        nothing         those that came before
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/clock.h"
#include "net/client_tls.h"
#include "net/server_address.h"

namespace holdfast::net {

class FrameSocket {
 public:
  // Begins to connect; a host that is a name is looked up before it returns. If even that fails it is closed. With a `tls`, which is only
  // used here, the server must be the one that its name says.
  // A server of another user at a Unix socket is never told anything: it is closed then. It has no TLS.
  explicit FrameSocket(const ServerAddress& server, ClientTls* tls = nullptr);
  ~FrameSocket();
  FrameSocket(const FrameSocket&) = delete;
  FrameSocket& operator=(const FrameSocket&) = delete;

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
  // The length is put before it.
  void send(std::string_view frame);
  // While true, what is sent stays here; then it leaves in one piece.
  void hold(bool held);
  std::optional<std::string> next_frame();
  // Blocks. Nothing: it is closed, or no frame was complete by then.
  std::optional<std::string> wait_for_frame(Clock::time_point deadline);
  // Blocks until something happens: bytes have come or gone, or it is closed. False: the deadline came first.
  bool wait(Clock::time_point deadline);

  // Without frames, for the words that ZooKeeper's servers answer instead of a session: sends these bytes, and gives all that has come.
  void send_word(std::string_view word);
  std::string take_bytes();

  // The reason if what came is not a frame.
  static constexpr auto kGibberish = "what came is not ZooKeeper's protocol";
  // Lists of children can be long, but past this it is no ZooKeeper that talks.
  static constexpr std::uint32_t kMostFrame = 64u << 20;
  // The reasons of a server that hangs up, and that hangs up before TLS is set up.
  static constexpr std::string_view kHungUp = "closed by the server";
  static constexpr std::string_view kHungUpInHandshake = "closed by the server before TLS was set up";

 private:
  void connect_to(const std::string& path);
  void close(std::string reason);
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
  bool broken_ = false;                // a frame has left in part, and the rest of it cannot
  std::unique_ptr<TlsStream> stream_;  // none: plain text
  std::string plain_;                  // for the stream, once it is open
  std::string to_send_;
  std::string received_;
  std::size_t taken_ = 0;  // of it
};

}  // namespace holdfast::net
