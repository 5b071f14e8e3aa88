#include "asker.h"

#include <stdexcept>

#include "request_parts.h"

namespace holdfast::testing {

Asker::Asker(std::uint16_t port, const Handshake& handshake) : client_(port) {
  client_.send_frame(handshake.bytes());
  const RawClient::Received received = client_.receive();
  if (received.outcome != RawClient::Outcome::frame) throw std::runtime_error("no answer to the handshake");
  reply_ = parse_handshake_reply(received.frame);
}

Asker::Answer Asker::ask(Op op, const JuteWriter& payload) {
  const std::int32_t xid = ++xid_;
  client_.send_request(xid, static_cast<std::int32_t>(op), payload.bytes());
  for (;;) {
    const RawClient::Received received = client_.receive();
    if (received.outcome != RawClient::Outcome::frame) return {};
    JuteReader in(received.frame);
    if (in.i32() != xid) continue;
    Answer answer;
    answer.zxid = in.i64();
    answer.err = in.i32();
    answer.body = std::string(in.rest());
    return answer;
  }
}

bool Asker::is_closed(std::chrono::milliseconds patience) {
  for (;;) {
    const RawClient::Outcome outcome = client_.receive(patience).outcome;
    if (outcome != RawClient::Outcome::frame) return outcome == RawClient::Outcome::closed;
  }
}

JuteWriter path_payload(const Text& path) { return JuteWriter().text(path); }

JuteWriter create_payload(const Text& path, const Text& data, std::int32_t flags) {
  JuteWriter out;
  out.text(path).text(data);
  write_acl(out, open_acl());
  return out.i32(flags);
}

}  // namespace holdfast::testing
