// frame_socket.h -- a StreamSocket that carries frames, each with its length first.
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
  // Nothing is ever sent to a server of another user at a Unix socket: the socket is closed then.
  explicit FrameSocket(const ServerAddress& server, ClientTls* tls = nullptr) : StreamSocket(server, tls) {}

  // Adds the length.
  void send(std::string_view frame);
  // The next frame that is complete.
  std::optional<std::string> next_frame();
  // Blocks. Nothing: the socket is closed, or no frame was complete by then.
  std::optional<std::string> wait_for_frame(Clock::time_point deadline);

  // Without frames, for four-letter words: sends these bytes, and returns everything that has come.
  void send_word(std::string_view word) { write(word); }
  std::string take_bytes();

  // The reason if the bytes are not a frame.
  static constexpr auto kGibberish = "what came is not ZooKeeper's protocol";
  // Lists of children can be long, but no ZooKeeper sends more than this.
  static constexpr std::uint32_t kMostFrame = 64u << 20;
};

}  // namespace holdfast::net
