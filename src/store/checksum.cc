#include "store/checksum.h"

// Only the header is needed, also by programs that link the library.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace holdfast::store {

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) { return XXH64(bytes.data(), bytes.size(), seed); }

}  // namespace holdfast::store
