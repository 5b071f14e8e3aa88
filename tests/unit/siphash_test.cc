#include "base/siphash.h"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

namespace holdfast::base {
namespace {

// What OpenSSL says it is.
std::uint64_t reference(const HashKey& key, const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  std::memcpy(bytes.data(), &key.low, 8);
  std::memcpy(bytes.data() + 8, &key.high, 8);
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
  EVP_MAC_CTX* context = EVP_MAC_CTX_new(mac);
  std::size_t size = 8;
  unsigned int mixing = 1;
  unsigned int finishing = 3;
  const std::array<OSSL_PARAM, 4> parameters{OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                             OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &mixing),
                                             OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &finishing),
                                             OSSL_PARAM_construct_end()};
  std::uint64_t value = 0;
  std::size_t written = 0;
  const bool done = EVP_MAC_init(context, bytes.data(), bytes.size(), parameters.data()) == 1 &&
                    EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1 &&
                    EVP_MAC_final(context, reinterpret_cast<unsigned char*>(&value), &written, sizeof value) == 1;
  EVP_MAC_CTX_free(context);
  EVP_MAC_free(mac);
  if (!done || written != sizeof value) throw std::runtime_error("OpenSSL has no SipHash");
  return value;
}

TEST(SipHash, is_that_of_openssl_for_every_length_and_key) {
  std::mt19937_64 random(1);
  std::string text;
  for (int length = 0; length < 200; ++length) {
    const HashKey key{random(), random()};
    EXPECT_EQ(siphash(key, text), reference(key, text)) << length;
    text.push_back(static_cast<char>(random()));
  }
}

TEST(SipHash, in_pieces_is_that_of_the_whole_and_of_every_prefix) {
  std::mt19937_64 random(2);
  const HashKey key{random(), random()};
  const std::string text = "/a/bcd/a-name-of-more-than-eight-bytes//x/and-another-one/y";
  for (std::size_t piece = 1; piece < 20; ++piece) {
    SipHash hash(key);
    for (std::size_t at = 0; at < text.size(); at += piece) {
      hash.add(std::string_view(text).substr(at, piece));
      EXPECT_EQ(hash.value(), siphash(key, text.substr(0, at + piece))) << piece << ' ' << at;
    }
  }
}

TEST(SipHash, of_another_key_is_another) { EXPECT_NE(siphash({1, 2}, "/a"), siphash({1, 3}, "/a")); }

}  // namespace
}  // namespace holdfast::base
