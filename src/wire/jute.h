// jute.h -- ZooKeeper's encoding: big-endian numbers; bytes and lists with their length first (-1: null).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::wire {

using Buffer = std::optional<std::string>;  // null and empty differ

// Reads bytes from the network, so it trusts none of them. The first mistake makes it fail for good; everything read after that is
// zero or empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  std::size_t left() const { return rest_.size(); }

  std::int32_t i32() { return static_cast<std::int32_t>(number<std::uint32_t>()); }
  std::int64_t i64() { return static_cast<std::int64_t>(number<std::uint64_t>()); }
  bool boolean() {
    const auto bytes = take(1);
    return !bytes.empty() && bytes[0] != 0;
  }

  // Null is nothing, and not a mistake.
  std::optional<std::string_view> nullable() {
    const auto length = i32();
    if (!ok_ || length == -1) return std::nullopt;
    if (length < 0) {
      fail();
      return std::nullopt;
    }
    return take(static_cast<std::size_t>(length));
  }
  Buffer buffer() {
    const auto bytes = nullable();
    return bytes ? Buffer(std::string(*bytes)) : std::nullopt;
  }
  // Null is a mistake.
  std::string text() {
    const auto bytes = nullable();
    if (!bytes) fail();
    return std::string(bytes.value_or(""));
  }
  // How many elements follow, each of at least `least` bytes. As in ZooKeeper, a negative number means none.
  std::size_t count(std::size_t least) {
    const auto length = i32();
    if (length <= 0) return 0;
    if (static_cast<std::size_t>(length) > rest_.size() / least) {
      fail();
      return 0;
    }
    return static_cast<std::size_t>(length);
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all(count(4));
    for (auto& each : all) each = text();
    return all;
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) fail();
    const auto taken = rest_.substr(0, ok_ ? size : 0);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  template <class T>
  T number() {
    const auto bytes = take(sizeof(T));
    T value = 0;
    for (const char byte : bytes) value = static_cast<T>(value << 8) | static_cast<unsigned char>(byte);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

class Writer {
 public:
  void i32(std::int32_t value) { number(static_cast<std::uint32_t>(value)); }
  void i64(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void boolean(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
  void text(std::string_view value) {
    i32(static_cast<std::int32_t>(value.size()));
    bytes_.append(value);
  }
  void null() { i32(-1); }
  void buffer(const Buffer& value) { value ? text(*value) : null(); }
  void texts(const std::vector<std::string>& values) {
    i32(static_cast<std::int32_t>(values.size()));
    for (const auto& each : values) text(each);
  }
  void raw(std::string_view value) { bytes_.append(value); }

  std::size_t size() const { return bytes_.size(); }
  // Makes room for that many more bytes.
  void expect(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  // Drops what was written after it had that size.
  void shrink(std::size_t size) { bytes_.resize(size); }
  // For a length that is known only after everything is written.
  void put_i32(std::size_t at, std::int32_t value) {
    const auto encoded = big_endian(static_cast<std::uint32_t>(value));
    std::memcpy(bytes_.data() + at, &encoded, sizeof encoded);
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  static T big_endian(T value) {
    static_assert(std::endian::native == std::endian::little, "only little-endian machines are supported");
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  }
  template <class T>
  void number(T value) {
    const auto encoded = big_endian(value);
    bytes_.append(reinterpret_cast<const char*>(&encoded), sizeof encoded);
  }

  std::string bytes_;
};

}  // namespace holdfast::wire
