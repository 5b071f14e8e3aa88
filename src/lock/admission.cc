#include "lock/admission.h"

#include <algorithm>

namespace holdfast::lock {

Admission admit(std::span<const spi::Ticket> queue, std::string_view mine, Rule rule) {
  const auto self = std::find_if(queue.begin(), queue.end(), [&](const spi::Ticket& t) { return t.id == mine; });
  if (self == queue.end()) return {};
  const auto ahead = static_cast<std::size_t>(self - queue.begin());
  const auto before = queue.first(ahead);

  if (rule.shared) {
    // Curator's readers listen to the first writer, so that all readers behind it wake together.
    const auto writer = std::find_if(before.begin(), before.end(), [](const spi::Ticket& t) { return !t.shared; });
    if (writer == before.end()) return {Admission::Answer::admitted, ahead};
    const auto is_last = std::none_of(writer + 1, before.end(), [](const spi::Ticket& t) { return !t.shared; });
    return {Admission::Answer::wait, ahead, static_cast<std::size_t>(writer - before.begin()), is_last};
  }
  if (ahead == 0) return {Admission::Answer::admitted, ahead};
  return {Admission::Answer::wait, ahead, ahead - 1, ahead == 1};
}

}  // namespace holdfast::lock
