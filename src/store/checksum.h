// checksum.h -- XXH64: fast enough for every byte, and wide enough that no accident matches it.
//
// The seed ties bytes to their file and to their place in it: bytes that an older file left on a reused block, or that a disk
// wrote to the wrong place, do not match. It is not a defence against a user who can write our files.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::store {

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed);

}  // namespace holdfast::store
