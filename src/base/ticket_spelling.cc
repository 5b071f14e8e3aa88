#include "base/ticket_spelling.h"

#include <array>
#include <charconv>

namespace holdfast::base {
namespace {

constexpr std::array kMarkers{kMutexMarker,  kWriterMarker,     kReaderMarker,
                              kPermitMarker, kKazooMutexMarker, kKazooReaderMarker};
// The server writes "%010d". A counter of more than 32 bits may need more digits.
constexpr std::size_t kLeastSequence = 10;

std::optional<std::int64_t> parse_sequence(std::string_view text) {
  if (text.size() < kLeastSequence) return std::nullopt;
  std::int64_t sequence = 0;
  const auto* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, sequence);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return sequence;
}

}  // namespace

std::optional<TicketSpelling> spelled_as_ticket(std::string_view node) {
  // The last marker counts, as in Curator: a uuid may contain anything.
  TicketSpelling spelling{.marker = kRecipeMarker, .digits = 0, .sequence = 0};
  for (const auto marker : kMarkers) {
    const auto at = node.rfind(marker);
    if (at == std::string_view::npos || at + marker.size() <= spelling.digits) continue;
    spelling.digits = at + marker.size();
    spelling.marker = marker;
  }
  if (spelling.digits == 0 && node.starts_with(kRecipeMarker)) {
    spelling.digits = node.rfind('-') + 1;
    if (node[spelling.digits - 2] == '-') --spelling.digits;  // x-<session>--2147483648
  }
  if (spelling.digits == 0) return std::nullopt;
  const auto sequence = parse_sequence(node.substr(spelling.digits));
  if (!sequence) return std::nullopt;
  spelling.sequence = *sequence;
  return spelling;
}

}  // namespace holdfast::base
