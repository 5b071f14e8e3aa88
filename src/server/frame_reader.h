// frame_reader.h -- cuts a stream of bytes into frames: four bytes of length, then the body.
//
// The very first four bytes may be a four-letter word instead.
//
//   header   fewer than four bytes of a length or word are here
//   body     the length is known, the body is not complete
//   broken   the other side does not speak this protocol; nothing more is taken
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::server {

class FrameReader {
 public:
  enum class Found { nothing, frame, word, broken };

  explicit FrameReader(std::size_t longest) : longest_(longest) {}

  // Takes bytes away from the front, up to the end of one frame or of all there are. Memory grows with the bytes that came,
  // not with the length that was announced.
  Found take(std::string_view& bytes);

  // The body of the frame that take() found, once.
  std::string frame();
  // The word that take() found.
  std::string_view word() const { return {header_.data(), header_.size()}; }

  // Why it was broken: "said it would send 4711 bytes in one request, ...".
  std::string trouble() const;

  // How much of a frame is here that is not complete.
  std::size_t held() const { return body_.capacity(); }

  // Something is due: the first frame of all, or the rest of one that has begun.
  bool waiting() const { return first_ || header_size_ > 0; }

 private:
  std::size_t longest_;
  std::size_t length_ = 0;
  std::array<char, 4> header_{};
  std::uint8_t header_size_ = 0;
  bool first_ = true;
  std::string body_;
};

}  // namespace holdfast::server
