// frame_socket.h -- a StreamSocket that carries frames, each behind its length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/clock.h"
#include "net/stream_socket.h"

namespace holdfast::net {

class FrameSocket : public StreamSocket {
 public:
  // A server of another user at a Unix socket is never told anything: it is closed then.
  explicit FrameSocket(const ServerAddress& server, ClientTls* tls = nullptr) : StreamSocket(server, tls) {}

  // The length is put before it.
  void send(std::string_view frame);
  // Those that are complete, in order.
  std::optional<std::string> next_frame();
  // Blocks. Nothing: it is closed, or no frame was complete by then.
  std::optional<std::string> wait_for_frame(Clock::time_point deadline);

  // Without frames, for the words that ZooKeeper's servers answer instead of a session: sends these bytes, and gives all that has come.
  void send_word(std::string_view word) { write(word); }
  std::string take_bytes();

  // The reason if what came is not a frame.
  static constexpr auto kGibberish = "what came is not ZooKeeper's protocol";
  // Lists of children can be long, but past this it is no ZooKeeper that talks.
  static constexpr std::uint32_t kMostFrame = 64u << 20;
};

}  // namespace holdfast::net
