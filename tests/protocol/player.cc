#include "player.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reply_text.h"
#include "show.h"
#include "support/zk_op.h"

namespace holdfast::testing {
namespace {

constexpr std::int32_t kEventXid = -1;
constexpr std::int32_t kPingXid = -2;
// That no script uses.
constexpr std::int32_t kNoXid = INT32_MIN + 7;
constexpr std::int32_t kBarrierXid = 0x0ba771e4;
const std::string kPlainBarrier = fmt::format("reply xid {} zxid ", kBarrierXid);
constexpr std::chrono::milliseconds kPatienceForTheEnd{2'000};
constexpr std::string_view kEventLine = "event ";
// Of a session that no server gave out.
constexpr std::int64_t kUnknownSession = 0x0123456789abcdef;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// A success of `check` is never answered by ZooKeeper; a sync right behind it shows that.
bool may_stay_unanswered(const Call& call) { return call.op == static_cast<std::int32_t>(Op::check); }

// Replies behind which the server closes the connection: pings that are sent meanwhile may be answered or not.
bool announces_the_end(Op op, std::int32_t err) {
  constexpr std::int32_t kUnimplemented = -6;
  if (op == Op::close_session) return true;
  if (op == Op::auth) return err != 0;
  return err == kUnimplemented && !creates_a_node(op);
}

}  // namespace

Player::Player(std::uint16_t port, std::size_t play) : port_(port), root_(fmt::format("b2b-{:05}", play)) {
  if (root_.size() != kRoot.size()) throw std::invalid_argument("too many plays");
}

Transcript Player::play(const std::vector<Step>& script) {
  Transcript transcript;
  const auto note = [&] {
    transcript.steps.push_back(std::move(record_));
    record_ = {};
    session_ended_ = false;
  };
  for (const Step& step : script) {
    perform(step);
    note();
  }
  for (std::size_t slot = 0; slot < kSlots; ++slot) end_session(slot);
  sort_events();
  note();
  transcript.settle();
  return transcript;
}

void Player::perform(const Step& step) {
  if (step.calls.empty()) {
    perform_handshake(step);
  } else {
    perform_calls(step);
  }
  barrier(step.slot);
}

void Player::perform_handshake(const Step& step) {
  switch (step.identity) {
    case Identity::fresh:
      end_session(step.slot);
      connect(step.slot, Identity::fresh, step.timeout, step.read_only);
      return;
    case Identity::wrong_password:
      ensure_connected(step.slot);
      knock(step.slot, Handshake{.session = slots_[step.slot].session, .password = std::string(16, 'w')}.bytes());
      [[fallthrough]];
    case Identity::own: {
      ensure_connected(step.slot);
      const std::unique_ptr<RawClient> old = std::move(slots_[step.slot].client);
      connect(step.slot, Identity::own, step.timeout, step.read_only);
      if (old->receive().outcome == RawClient::Outcome::closed) write_down(step.slot, "the old connection is closed");
      return;
    }
    case Identity::unknown: return knock(step.slot, Handshake{.session = kUnknownSession}.bytes());
    case Identity::ahead: return knock(step.slot, Handshake{.last_zxid = INT64_MAX}.bytes());
    case Identity::malformed: return knock(step.slot, step.handshake_bytes);
  }
}

void Player::knock(std::size_t slot, const std::string& frame) {
  RawClient client(port_);
  client.send_frame(frame);
  for (;;) {
    const RawClient::Received received = client.receive();
    if (received.outcome == RawClient::Outcome::silence)
      throw std::runtime_error("a bad handshake keeps its connection");
    if (received.outcome == RawClient::Outcome::closed) return write_down(slot, "refused");
    write_down(slot, "to the bad handshake: " + show(received.frame));
  }
}

void Player::connect(std::size_t slot, Identity identity, std::int32_t timeout, std::optional<bool> read_only) {
  Slot& at = slots_[slot];
  Handshake handshake{.last_zxid = newest_zxid_, .timeout = timeout, .read_only = read_only};
  if (identity == Identity::own) {
    handshake.session = at.session;
    handshake.password = at.password;
  }
  at.client = std::make_unique<RawClient>(port_);
  at.next_xid = 1;
  at.client->send_frame(handshake.bytes());
  const RawClient::Received received = at.client->receive();
  if (received.outcome != RawClient::Outcome::frame) throw std::runtime_error("no answer to a handshake");
  const HandshakeReply reply = parse_handshake_reply(received.frame);
  write_down(
      slot, fmt::format("connected {} timeout {} protocol {} password of {} bytes{}, read-only flag {}{}",
                        session_mark(reply.session), reply.timeout, reply.protocol,
                        reply.password ? reply.password->size() : 0, reply.password == at.password ? ", as before" : "",
                        reply.read_only ? (*reply.read_only ? "set" : "clear") : "missing", reply.rest));
  at.session = reply.session;
  at.password = reply.password;
  if (reply.session == 0) at.client.reset();
}

void Player::ensure_connected(std::size_t slot) {
  Slot& at = slots_[slot];
  if (at.client) return;
  const Step standard{};
  if (at.session != 0) connect(slot, Identity::own, standard.timeout, standard.read_only);
  if (at.session == 0) connect(slot, Identity::fresh, standard.timeout, standard.read_only);
}

void Player::end_session(std::size_t slot) {
  Slot& at = slots_[slot];
  if (at.session == 0) return;
  ensure_connected(slot);
  const std::int32_t xid = at.next_xid++;
  at.client->send_request(xid, static_cast<std::int32_t>(Op::close_session), {});
  (void)read_until(slot, xid, static_cast<std::int32_t>(Op::close_session));
  at.session = 0;
  session_ended_ = true;
}

void Player::perform_calls(const Step& step) {
  ensure_connected(step.slot);
  Slot& at = slots_[step.slot];
  std::string bytes;
  std::vector<std::pair<std::int32_t, std::int32_t>> expected;  // xid, op
  bool closes = false;
  for (const Call& call : step.calls) {
    const std::int32_t xid = call.xid ? *call.xid : at.next_xid++;
    std::string payload = call.payload;
    replace_all(payload, kRoot, root_);
    if (call.newest_zxid_at) payload.replace(*call.newest_zxid_at, 8, JuteWriter().i64(newest_zxid_).bytes());
    bytes += RawClient::framed(JuteWriter().i32(xid).i32(call.op).raw(payload).bytes());
    expected.emplace_back(call.op == static_cast<std::int32_t>(Op::ping) ? kPingXid : xid, call.op);
    closes = closes || call.op == static_cast<std::int32_t>(Op::close_session);
  }
  at.client->send(bytes);
  if (step.calls.size() == 1 && may_stay_unanswered(step.calls.front())) {
    send_barrier(at);
    (void)read_until(step.slot, kBarrierXid, step.calls.front().op);
    // An accepted difference: the engine answers.
    std::erase_if(record_.received[step.slot], [&](const std::string& line) {
      return line.find(fmt::format("reply xid {} ", expected.front().first)) == 0 &&
             line.find(" err 0") != std::string::npos;
    });
    return;
  }
  for (const auto& [xid, op] : expected) {
    if (!read_until(step.slot, xid, op)) break;
  }
  if (closes) {
    at.session = 0;
    session_ended_ = true;
  }
}

bool Player::read_until(std::size_t slot, std::int32_t xid, std::int32_t op) {
  Slot& at = slots_[slot];
  std::chrono::milliseconds patience = RawClient::kPatience;
  for (;;) {
    const RawClient::Received received = at.client->receive(patience);
    if (received.outcome == RawClient::Outcome::silence && xid == kNoXid) {
      write_down(slot, "should be closed, but is not");
      return true;
    }
    if (received.outcome == RawClient::Outcome::silence) {
      throw std::runtime_error(fmt::format("slot {} waits in vain for xid {} of operation {}", slot, xid, op));
    }
    if (received.outcome == RawClient::Outcome::closed) {
      write_down(slot, "closed");
      at.client.reset();
      return false;
    }
    JuteReader in(received.frame);
    const std::int32_t got = in.i32();
    if (got == kEventXid) {
      write_down(slot, event_text(received.frame));
      continue;
    }
    see_zxid(in.i64());
    write_down(slot, reply_text(got == kBarrierXid ? static_cast<std::int32_t>(Op::sync) : op, received.frame));
    if (got != kBarrierXid && announces_the_end(static_cast<Op>(op), in.i32())) {
      xid = kNoXid;
      patience = kPatienceForTheEnd;
    }
    if (got == xid) return true;
  }
}

// A sync is answered in its turn. A ping need not be.
void Player::send_barrier(Slot& slot) {
  slot.client->send_request(kBarrierXid, static_cast<std::int32_t>(Op::sync), JuteWriter().text("").bytes());
}

void Player::barrier(std::size_t acting) {
  for (Slot& slot : slots_) {
    if (slot.client) send_barrier(slot);
  }
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (!slots_[slot].client) continue;
    auto& lines = record_.received[slot];
    if (!read_until(slot, kBarrierXid, static_cast<std::int32_t>(Op::sync))) continue;
    // The answers of those that had nothing to do with the step only blur the picture.
    if (slot != acting && lines.back().find(kPlainBarrier) == 0) lines.pop_back();
  }
  if (session_ended_) sort_events();
}

void Player::write_down(std::size_t slot, std::string line) {
  record_.received[slot].push_back(renamed(std::move(line)));
}

void Player::see_zxid(std::int64_t zxid) { newest_zxid_ = std::max(newest_zxid_, zxid); }

// The ephemeral nodes of a session go in the order of a hash table.
void Player::sort_events() {
  for (auto& lines : record_.received) {
    const auto is_event = [](const std::string& line) { return line.compare(0, kEventLine.size(), kEventLine) == 0; };
    for (auto begin = lines.begin(); begin != lines.end();) {
      begin = std::find_if(begin, lines.end(), is_event);
      const auto end = std::find_if_not(begin, lines.end(), is_event);
      std::sort(begin, end);
      begin = end;
    }
  }
}

std::string Player::renamed(std::string text) const {
  replace_all(text, root_, kRoot);
  return text;
}

}  // namespace holdfast::testing
