// siphash.h -- a hash of text that clients cannot attack: SipHash-1-3 with a key that they do not know.
//
// Names come from clients. If a client can compute a table's hash, it can fill the table with names that all collide, so that each
// lookup walks over all of them. XXH3 with a secret seed would not be enough: it is not a pseudo-random function, and its authors
// promise nothing against chosen input. SipHash was made for exactly this (Aumasson and Bernstein, 2012); Rust, Python and Ruby use
// one and three rounds of it for their tables.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace holdfast::base {

// 16 random bytes for a table of clients' names; any fixed key for tests that want the same order each time.
struct HashKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// Takes text in any number of pieces. value() is the hash of all of them so far, so that one walk hashes every prefix of a path.
class SipHash {
 public:
  explicit SipHash(const HashKey& key)
      : v0_(0x736f6d6570736575U ^ key.low),
        v1_(0x646f72616e646f6dU ^ key.high),
        v2_(0x6c7967656e657261U ^ key.low),
        v3_(0x7465646279746573U ^ key.high) {}

  void add(std::string_view text) {
    std::size_t held = length_ % 8;
    length_ += text.size();
    if (held > 0) {
      for (; held < 8 && !text.empty(); ++held, text.remove_prefix(1)) hold(text.front(), held);
      if (held < 8) return;
      take(tail_);
      tail_ = 0;
    }
    for (; text.size() >= 8; text.remove_prefix(8)) take(word(text.data()));
    for (held = 0; held < text.size(); ++held) hold(text[held], held);
  }

  std::uint64_t value() const {
    SipHash end = *this;
    end.take(tail_ | static_cast<std::uint64_t>(length_) << 56);
    end.v2_ ^= 0xff;
    end.round();
    end.round();
    end.round();
    return end.v0_ ^ end.v1_ ^ end.v2_ ^ end.v3_;
  }

 private:
  static std::uint64_t word(const char* bytes) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }
  void hold(char byte, std::size_t at) {
    tail_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << (8 * at);
  }
  void take(std::uint64_t word) {
    v3_ ^= word;
    round();
    v0_ ^= word;
  }
  void round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
  std::uint64_t tail_ = 0;  // less than eight bytes that were not taken yet
  std::size_t length_ = 0;
};

inline std::uint64_t siphash(const HashKey& key, std::string_view text) {
  SipHash hash(key);
  hash.add(text);
  return hash.value();
}

}  // namespace holdfast::base
