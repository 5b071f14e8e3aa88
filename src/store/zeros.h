// zeros.h -- whether bytes are zeros, as those written ahead of the records are; there may be many.
#pragma once

#include <cstring>
#include <string_view>

namespace holdfast::store {

inline bool all_zeros(std::string_view bytes) {
  // Each byte is as the one before it, and the first is zero.
  return bytes.empty() || (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace holdfast::store
