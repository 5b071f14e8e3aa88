// ticket_spelling.h -- which nodes of ZooKeeper are tickets of a lock, by their names alone.
//
// A recipe creates its node with a name that ends with its marker, and the server appends a number: ten characters, of which
// the first may be a minus. A name with fewer digits was chosen by a user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::base {

inline constexpr std::string_view kMutexMarker = "lock-";
inline constexpr std::string_view kWriterMarker = "__WRIT__";
inline constexpr std::string_view kReaderMarker = "__READ__";
inline constexpr std::string_view kPermitMarker = "lease-";
inline constexpr std::string_view kKazooMutexMarker = "__lock__";
inline constexpr std::string_view kKazooReaderMarker = "__rlock__";
inline constexpr std::string_view kRecipeMarker = "x-";  // at the beginning: x-<session>-<number>

struct TicketSpelling {
  std::string_view marker;  // one of those above
  std::size_t digits;       // where the number begins, minus included
  std::int64_t sequence;
};

// Nothing if it is not a ticket of a known recipe.
std::optional<TicketSpelling> spelled_as_ticket(std::string_view node);

}  // namespace holdfast::base
