#include "server/frame_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/four_letter_words.h"

namespace holdfast::server {
namespace {

std::uint32_t big_endian(const std::array<char, 4>& bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace

FrameReader::Found FrameReader::take(std::string_view& bytes) {
  if (header_size_ < header_.size()) {
    while (header_size_ < header_.size() && !bytes.empty()) {
      header_[header_size_++] = bytes.front();
      bytes.remove_prefix(1);
    }
    if (header_size_ < header_.size()) return Found::nothing;
    if (first_ && is_word(word())) return Found::word;
    length_ = big_endian(header_);  // one that is negative is longer than any
  }
  if (length_ > longest_) return Found::broken;
  const std::string_view part = bytes.substr(0, length_ - body_.size());
  body_.append(part);
  bytes.remove_prefix(part.size());
  if (body_.size() < length_) return Found::nothing;
  first_ = false;
  header_size_ = 0;
  return Found::frame;
}

std::string FrameReader::trouble() const {
  // A record of a TLS handshake begins with these two.
  if (first_ && header_[0] == 0x16 && header_[1] == 0x03) return "speaks TLS on a port without it";
  const std::string_view four = word();
  const bool text = std::all_of(four.begin(), four.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
  if (first_ && text) return fmt::format("began with \"{}\", which is neither a request nor a four-letter word", four);
  return fmt::format("began a request of {} bytes; the longest is {} (limits.frame)", length_, longest_);
}

std::string FrameReader::frame() { return std::exchange(body_, {}); }

}  // namespace holdfast::server
