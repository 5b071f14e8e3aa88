#include "session_client.h"

#include <algorithm>
#include <stdexcept>

namespace holdfast::testing::asking {
namespace {

constexpr std::int32_t kEventXid = -1;
constexpr std::int32_t kPingXid = -2;
// Half of what a server takes before it holds a client back, at this size of requests.
constexpr std::size_t kAtOnce = 500;

}  // namespace

SessionClient::SessionClient(std::uint16_t port, const Who& who)
    : raw_(port), timeout_(who.timeout), zxid_(who.last_zxid) {
  Handshake hello;
  hello.last_zxid = who.last_zxid;
  hello.timeout = static_cast<std::int32_t>(who.timeout.count());
  hello.session = who.session;
  hello.password = who.password;
  raw_.send_frame(hello.bytes());
  const auto received = raw_.receive();
  if (received.outcome == RawClient::Outcome::frame) greeting_ = parse_handshake_reply(received.frame);
}

Who SessionClient::who() const {
  return {session(), greeting_ ? greeting_->password.value_or("") : "", zxid_, timeout_};
}

std::int32_t SessionClient::send(const Ask& ask) {
  const std::int32_t xid = ask.op == Op::ping ? kPingXid : ++last_xid_;
  raw_.send_request(xid, static_cast<std::int32_t>(ask.op), ask.payload);
  return xid;
}

Answer SessionClient::take(RawClient::Received received) {
  if (received.outcome != RawClient::Outcome::frame) return {.outcome = received.outcome};
  JuteReader in(received.frame);
  Answer answer{.outcome = received.outcome, .xid = in.i32(), .zxid = in.i64(), .err = in.i32()};
  answer.body = std::string(in.rest());
  if (answer.xid == kEventXid) {
    Notice notice{.type = in.i32()};
    (void)in.i32();  // state
    notice.path = in.text().value_or("");
    notices_.push_back(std::move(notice));
  } else {
    zxid_ = std::max(zxid_, answer.zxid);
  }
  return answer;
}

Answer SessionClient::receive(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    auto answer = take(raw_.receive(std::max(left, std::chrono::milliseconds(0))));
    if (!answer.came() || answer.xid != kEventXid) return answer;
  }
}

Answer SessionClient::call(const Ask& ask) {
  send(ask);
  return receive();
}

std::vector<Answer> SessionClient::call_all(const std::vector<Ask>& asks) {
  std::vector<Answer> answers;
  for (std::size_t begin = 0; begin < asks.size(); begin += kAtOnce) {
    const auto end = std::min(asks.size(), begin + kAtOnce);
    for (std::size_t i = begin; i < end; ++i) send(asks[i]);
    for (std::size_t i = begin; i < end; ++i) {
      answers.push_back(receive());
      if (answers.back().came()) continue;
      answers.pop_back();
      return answers;
    }
  }
  return answers;
}

std::optional<Notice> SessionClient::wait_for_notice(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (notices_.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !take(raw_.receive(left)).came()) break;
  }
  if (notices_.empty()) return std::nullopt;
  Notice first = notices_.front();
  notices_.erase(notices_.begin());
  return first;
}

bool SessionClient::ends_within(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const auto answer = take(raw_.receive(std::max(left, std::chrono::milliseconds(0))));
    if (!answer.came()) return answer.closed();
  }
}

Directory read_directory(SessionClient& client, const std::string& path) {
  const auto listing = client.call(get_children2(path));
  if (!listing.ok()) throw std::runtime_error("cannot list " + path + ": " + std::to_string(listing.err));
  const auto children = parse_children2(listing.body);
  std::vector<Ask> asks;
  for (const auto& name : children.names) asks.push_back(get_data(path + '/' + name));
  const auto answers = client.call_all(asks);
  if (answers.size() != asks.size()) throw std::runtime_error("the connection ended while reading " + path);
  Directory directory{.self = children.parent};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto node = path + '/' + children.names[i];
    if (!answers[i].ok()) throw std::runtime_error("cannot read " + node + ": " + std::to_string(answers[i].err));
    directory.nodes.emplace(node, parse_data(answers[i].body));
  }
  return directory;
}

}  // namespace holdfast::testing::asking
