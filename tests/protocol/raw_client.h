// raw_client.h -- a connection to a server that speaks ZooKeeper's protocol, byte by byte.
//
// It knows frames and the handshake and nothing else: no session keeping, no pings, no order of xids. What a proper
// client never sends can be sent with it, and nothing that comes back is hidden. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jute.h"

namespace holdfast::testing {

struct Handshake {
  std::int32_t protocol = 0;
  std::int64_t last_zxid = 0;
  std::int32_t timeout = 30'000;
  std::int64_t session = 0;
  Text password = std::string(16, '\0');
  std::optional<bool> read_only = false;  // nothing: as clients before 3.4 send it

  std::string bytes() const;
};

struct HandshakeReply {
  std::int32_t protocol = 0;
  std::int32_t timeout = 0;
  std::int64_t session = 0;
  Text password{};
  std::optional<bool> read_only{};
  std::string rest{};  // what should not be there
};

// Throws std::runtime_error if the frame is too short.
HandshakeReply parse_handshake_reply(std::string_view frame);

class RawClient {
 public:
  enum class Outcome { frame, closed, silence };
  struct Received {
    Outcome outcome = Outcome::silence;
    std::string frame{};  // without its length
  };

  // Connects to 127.0.0.1. Throws std::system_error.
  explicit RawClient(std::uint16_t port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Sends as it is. A connection the server closed swallows it: receive() tells.
  void send(std::string_view bytes);
  void send_frame(std::string_view frame) { send(framed(frame)); }
  void send_request(std::int32_t xid, std::int32_t op, std::string_view payload);

  // The next frame; closed also if the connection was reset. Silence after `patience`.
  Received receive(std::chrono::milliseconds patience = kPatience);

  // Something has come from the server, or its end of the connection is closed.
  bool readable() const;

  static std::string framed(std::string_view frame);

  // Every server here answers in milliseconds; this is for a starved machine.
  static constexpr std::chrono::milliseconds kPatience{20'000};

 private:
  int socket_ = -1;
  std::string buffer_;
};

}  // namespace holdfast::testing
