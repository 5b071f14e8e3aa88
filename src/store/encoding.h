// encoding.h -- fixed-width numbers in files, little endian on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::store {

template <class T>
void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

// `bytes` must have sizeof(T) bytes from `at` on.
template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | (static_cast<T>(static_cast<unsigned char>(bytes[at + i])) << (8 * i)));
  }
  return value;
}

}  // namespace holdfast::store
