#include "net/frame_socket.h"

#include "wire/jute.h"
#include "wire/records.h"

namespace holdfast::net {
namespace {

constexpr std::size_t kLength = 4;  // of a frame's length

}  // namespace

void FrameSocket::send(std::string_view frame) { write(wire::frame(frame)); }

std::optional<std::string> FrameSocket::next_frame() {
  const auto rest = received();
  const auto size = rest.size() < kLength ? 0 : static_cast<std::uint32_t>(wire::Reader(rest).i32());
  if (size > kMostFrame) {
    drop(rest.size());
    close(kGibberish);
    return std::nullopt;
  }
  if (rest.size() < kLength + size) return std::nullopt;
  std::string frame(rest.substr(kLength, size));
  drop(kLength + size);
  return frame;
}

std::optional<std::string> FrameSocket::wait_for_frame(Clock::time_point deadline) {
  for (;;) {
    if (auto frame = next_frame()) return frame;
    if (closed() || !wait(deadline)) return std::nullopt;
  }
}

std::string FrameSocket::take_bytes() {
  std::string bytes(received());
  drop(bytes.size());
  return bytes;
}

}  // namespace holdfast::net
