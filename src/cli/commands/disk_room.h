// disk_room.h -- how much room there is where the engine of local: writes. Without any it refuses every change, the beginning of a
// session included, which looks like an engine that does not answer.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace holdfast::cli {

inline constexpr std::uint64_t kMebibyte = 1 << 20;
// A segment of the log is preallocated, and a snapshot is written beside the last one.
inline constexpr std::uint64_t kTooLittleRoom = 16 * kMebibyte;

// In bytes, for a process that is not root's; or why that is not known.
tl::expected<std::uint64_t, std::string> free_room(const std::string& directory);

// "only 0 MiB are free in ...", for a command that gets nowhere at the service of this URL. Empty if that is not local:, or has enough.
std::string room_trouble(const std::string& url);

}  // namespace holdfast::cli
