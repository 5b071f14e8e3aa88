// file_names.h -- the names of the files. A name ends with a number in sixteen hexadecimal digits, so that `ls` sorts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store {

inline constexpr std::string_view kLockFile = "lock";
inline constexpr std::string_view kEpochFile = "epoch";
inline constexpr std::string_view kReachedFile = "reached";
inline constexpr std::string_view kSegmentPrefix = "log.";        // and its number in the row of segments, from 1 on
inline constexpr std::string_view kSnapshotPrefix = "snapshot.";  // and the index at which it begins
inline constexpr std::string_view kDamagedSuffix = ".damaged";    // set aside; never read again
inline constexpr std::string_view kTemporarySuffix = ".tmp";      // not complete yet; removed at the next start

std::string join(std::string_view directory, std::string_view name);
std::string numbered(std::string_view prefix, std::uint64_t number);

// The number of a name with that prefix; nothing if it is another file.
std::optional<std::uint64_t> number_of(std::string_view name, std::string_view prefix);
// The numbers of all names with that prefix, in order.
std::vector<std::uint64_t> numbers_of(const std::vector<std::string>& names, std::string_view prefix);

// A file of the store that was never finished.
bool is_temporary(std::string_view name);

}  // namespace holdfast::store
