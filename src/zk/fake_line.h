// fake_line.h -- a line for tests: a test reads what the client sends, and makes the answers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/jute.h"
#include "wire/records.h"
#include "zk/line.h"

namespace holdfast::zk {

inline constexpr wire::SessionId kSession = 0x1234;
inline constexpr std::size_t kLength = 4;  // of a frame's length

// What the client has done with a line, in words.
struct Said {
  std::int32_t xid = 0;
  wire::Op op = wire::Op::error;
  std::string body{};
};

struct FakeLine final : Line {
  FakeLine(std::string to, Events its) : host(std::move(to)), events(std::move(its)) {}

  void send(std::string frame) override {
    wire::Reader reader(frame);
    if (!hello) {
      wire::ConnectRequest first;
      if (decode(reader, first)) hello = std::move(first);
      return;
    }
    const auto xid = reader.i32();
    const auto op = static_cast<wire::Op>(reader.i32());
    said.push_back({xid, op, frame.substr(frame.size() - reader.left())});
  }
  void attend() override {
    if (on_attend) std::exchange(on_attend, {})();
  }
  std::shared_ptr<void> ask_what_listens(std::function<void(const net::Stranger&)> done) override {
    tell_what_listens = std::move(done);
    return std::make_shared<int>();
  }
  void let_go() override { gone = true; }
  void close(std::string goodbye) override { last_words = std::move(goodbye); }

  void welcome(std::chrono::milliseconds timeout = std::chrono::seconds(9), wire::SessionId session = kSession) {
    wire::Writer writer;
    encode(writer, wire::ConnectResponse{.timeout = static_cast<std::int32_t>(timeout.count()), .session = session});
    events.received(writer.bytes());
  }
  void reply(std::int32_t xid, wire::Code code, std::string_view body = {}, wire::Zxid zxid = 7) {
    events.received(std::string_view(wire::reply_frame(xid, zxid, code, body)).substr(kLength));
  }
  void tell(wire::EventType type, const std::string& path) {
    events.received(std::string_view(wire::event_frame({type, path})).substr(kLength));
  }
  std::size_t count(wire::Op op) const {
    return static_cast<std::size_t>(
        std::count_if(said.begin(), said.end(), [&](const Said& each) { return each.op == op; }));
  }

  const std::string host;
  const Events events;
  std::optional<wire::ConnectRequest> hello;
  std::vector<Said> said;
  bool gone = false;
  std::string last_words;
  std::function<void()> on_attend;
  std::function<void(const net::Stranger&)> tell_what_listens;  // none: the client has not asked
};

}  // namespace holdfast::zk
