// jute.h -- ZooKeeper's encoding, written a second time for the tests.
//
// The server under test has its own; a test that encodes with the code under test would agree with its mistakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::testing {

// A null string or buffer is nothing.
using Text = std::optional<std::string>;

class JuteWriter {
 public:
  JuteWriter& i32(std::int32_t value) { return big_endian(static_cast<std::uint32_t>(value), 4); }
  JuteWriter& i64(std::int64_t value) { return big_endian(static_cast<std::uint64_t>(value), 8); }
  JuteWriter& boolean(bool value) { return raw(value ? std::string_view("\1", 1) : std::string_view("\0", 1)); }
  JuteWriter& text(const Text& value) {
    if (!value) return i32(-1);
    return i32(static_cast<std::int32_t>(value->size())).raw(*value);
  }
  JuteWriter& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  JuteWriter& big_endian(std::uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes_ += static_cast<char>(value >> shift & 0xff);
    return *this;
  }

  std::string bytes_;
};

// Reading past the end gives zeros and nothings, and ok() is false from then on.
class JuteReader {
 public:
  explicit JuteReader(std::string_view bytes) : rest_(bytes) {}
  explicit JuteReader(std::string&&) = delete;  // it would be gone

  std::int32_t i32() { return static_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian(4))); }
  std::int64_t i64() { return static_cast<std::int64_t>(big_endian(8)); }
  bool boolean() { return big_endian(1) != 0; }
  Text text() {
    const std::int32_t size = i32();
    if (size == -1 || !ok_) return std::nullopt;
    if (size < 0 || static_cast<std::size_t>(size) > rest_.size()) {
      ok_ = false;
      return std::nullopt;
    }
    std::string bytes(rest_.substr(0, static_cast<std::size_t>(size)));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return bytes;
  }

  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::uint64_t big_endian(std::size_t size) {
    if (rest_.size() < size) {
      ok_ = false;
      rest_ = {};
      return 0;
    }
    std::uint64_t value = 0;
    for (const char byte : rest_.substr(0, size)) value = value << 8 | static_cast<unsigned char>(byte);
    rest_.remove_prefix(size);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace holdfast::testing
