// checksum.h -- XXH64: fast enough to be done for every byte, wide enough that chance does not forge it.
//
// The seed ties bytes to the file they were written to and the place in it: what an older file left on a reused block, or what
// a disk wrote to the wrong place, does not match. It is not a defence against a user who can write our files.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::store {

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed);

}  // namespace holdfast::store
