// asker.h -- one request, one reply: a raw client for tests that know what they want to hear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "raw_client.h"
#include "support/zk_op.h"

namespace holdfast::testing {

class Asker {
 public:
  struct Answer {
    // Nothing: closed before an answer came, or none came in time.
    std::optional<std::int32_t> err{};
    std::int64_t zxid = 0;
    std::string body{};
  };

  // A new session. Throws std::runtime_error if there is none.
  explicit Asker(std::uint16_t port, const Handshake& handshake = {});

  std::int64_t session() const { return reply_.session; }
  const Text& password() const { return reply_.password; }

  // Events on the way are passed over.
  Answer ask(Op op, const JuteWriter& payload);
  std::optional<std::int32_t> err(Op op, const JuteWriter& payload) { return ask(op, payload).err; }
  // The server closes the connection; what it sends before is passed over.
  bool is_closed(std::chrono::milliseconds patience = RawClient::kPatience);

  RawClient& raw() { return client_; }

 private:
  RawClient client_;
  HandshakeReply reply_{};
  std::int32_t xid_ = 0;
};

// Payloads.
JuteWriter path_payload(const Text& path);
JuteWriter create_payload(const Text& path, const Text& data = "", std::int32_t flags = 0);

}  // namespace holdfast::testing
