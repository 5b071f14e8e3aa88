#include "zk_frame.h"

namespace holdfast::testing {
namespace {

constexpr std::size_t kLengthBytes = 4;

// Reads jute: big-endian numbers, strings behind their length. Past the end everything is zero or empty.
class JuteReader {
 public:
  explicit JuteReader(std::string_view bytes) : bytes_(bytes) {}

  std::int32_t read_int() { return static_cast<std::int32_t>(read_number(4)); }
  std::int64_t read_long() { return static_cast<std::int64_t>(read_number(8)); }
  bool read_bool() { return read_number(1) != 0; }

  std::string read_string() {
    const std::int32_t length = read_int();
    if (length <= 0 || static_cast<std::size_t>(length) > bytes_.size()) return {};
    std::string text(bytes_.substr(0, static_cast<std::size_t>(length)));
    bytes_.remove_prefix(text.size());
    return text;
  }

 private:
  std::uint64_t read_number(std::size_t size) {
    if (bytes_.size() < size) {
      bytes_ = {};
      return 0;
    }
    std::uint64_t number = 0;
    for (const char c : bytes_.substr(0, size)) number = number << 8 | static_cast<unsigned char>(c);
    bytes_.remove_prefix(size);
    return number;
  }

  std::string_view bytes_;
};

}  // namespace

Request decode_request(std::string_view frame) {
  JuteReader in(frame);
  Request request;
  request.xid = in.read_int();
  request.op = static_cast<Op>(in.read_int());
  if (names_a_path(request.op)) request.path = in.read_string();
  if (may_watch(request.op)) request.watch = in.read_bool();
  return request;
}

Request decode_connect_request(std::string_view frame) {
  JuteReader in(frame);
  Request request;
  request.xid = kConnectXid;
  request.op = Op::connect;
  (void)in.read_int();   // protocol version
  (void)in.read_long();  // last zxid seen
  request.timeout = std::chrono::milliseconds{in.read_int()};
  request.session_id = static_cast<std::uint64_t>(in.read_long());
  return request;
}

Reply decode_reply(std::string_view frame) {
  JuteReader in(frame);
  Reply reply;
  reply.xid = in.read_int();
  reply.zxid = in.read_long();
  reply.err = in.read_int();
  reply.first_string = in.read_string();
  return reply;
}

Reply decode_connect_reply(std::string_view frame) {
  JuteReader in(frame);
  Reply reply;
  reply.xid = kConnectXid;
  (void)in.read_int();  // protocol version
  reply.timeout = std::chrono::milliseconds{in.read_int()};
  reply.session_id = static_cast<std::uint64_t>(in.read_long());
  return reply;
}

std::optional<Event> decode_event(std::string_view frame) {
  JuteReader in(frame);
  if (in.read_int() != kEventXid) return std::nullopt;
  (void)in.read_long();  // zxid: always -1
  (void)in.read_int();   // err: always 0
  Event event;
  event.type = in.read_int();
  event.state = in.read_int();
  event.path = in.read_string();
  return event;
}

void FrameSplitter::add(std::string_view bytes) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_.append(bytes);
}

std::optional<std::string_view> FrameSplitter::next() {
  const std::string_view left = rest();
  if (broken_ || left.size() < kLengthBytes) return std::nullopt;
  // A negative length wraps round to something huge, which is as wrong as it should be.
  const auto length = static_cast<std::uint32_t>(JuteReader(left).read_int());
  if (length > kMaxFrame) {
    broken_ = true;
    return std::nullopt;
  }
  const std::size_t whole = kLengthBytes + length;
  if (left.size() < whole) return std::nullopt;
  begin_ += whole;
  return left.substr(0, whole);
}

std::string_view FrameSplitter::rest() const noexcept { return std::string_view(buffer_).substr(begin_); }

void FrameSplitter::clear() noexcept {
  buffer_.clear();
  begin_ = 0;
}

}  // namespace holdfast::testing
