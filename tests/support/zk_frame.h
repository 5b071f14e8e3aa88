// zk_frame.h -- what flies between a ZooKeeper client and its server, taken apart.
//
// Every message is a frame: a 4-byte big-endian length and that many bytes. The first frame of a connection
// is the handshake, in both directions, and has no header; all others begin with
//
//   request   xid:int  op:int   body            ping -2, auth -4, setWatches -8, user requests count from 1
//   reply     xid:int  zxid:long  err:int  body
//   event     as a reply with xid -1; body: type:int  state:int  path:string
//
// A decoder for tests: a body that is too short leaves the fields it did not reach empty.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "zk_op.h"

namespace holdfast::testing {

inline constexpr std::int32_t kEventXid = -1;
inline constexpr std::int32_t kPingXid = -2;
inline constexpr std::int32_t kAuthXid = -4;
inline constexpr std::int32_t kSetWatchesXid = -8;
// Ours, where the handshake needs one. No client counts that far down.
inline constexpr std::int32_t kConnectXid = INT32_MIN;

struct Request {
  std::size_t connection = 0;  // filled in by the proxy: numbered from 1 in order of acceptance
  std::int32_t xid = 0;
  Op op = Op::error;
  std::string path{};  // empty for operations without one; for multi too
  bool watch = false;  // asks for a watch
  // Handshake only.
  std::uint64_t session_id = 0;  // 0: a new session
  std::chrono::milliseconds timeout{0};
};

struct Reply {
  std::int32_t xid = 0;
  std::int64_t zxid = 0;
  std::int32_t err = 0;
  std::string first_string{};  // of the body; the created path in a reply to a create
  // Handshake only: session 0 means that the session is gone.
  std::uint64_t session_id = 0;
  std::chrono::milliseconds timeout{0};
};

struct Event {
  std::int32_t type = 0;   // 1 created, 2 deleted, 3 changed, 4 child, -1 none (a state change)
  std::int32_t state = 0;  // 3 connected
  std::string path{};
};

// All take the frame without its length.
Request decode_request(std::string_view frame);
Request decode_connect_request(std::string_view frame);
Reply decode_reply(std::string_view frame);
Reply decode_connect_reply(std::string_view frame);
// Nothing unless the frame is an event.
std::optional<Event> decode_event(std::string_view frame);

// Cuts a stream of bytes, in whatever pieces it comes, into frames.
class FrameSplitter {
 public:
  // ZooKeeper's jute.maxbuffer is 1 MiB; anything far above is no frame at all.
  static constexpr std::size_t kMaxFrame = std::size_t{16} * 1024 * 1024;

  void add(std::string_view bytes);
  // The next whole frame *with* its length, ready to be sent on; valid until the next call.
  std::optional<std::string_view> next();
  // The stream is not made of frames (four-letter words, for one). next() gives nothing from then on.
  bool broken() const noexcept { return broken_; }
  // Bytes not given out by next() yet.
  std::string_view rest() const noexcept;
  void clear() noexcept;

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  // of what was not given out; the buffer is moved down only in add()
  bool broken_ = false;
};

}  // namespace holdfast::testing
