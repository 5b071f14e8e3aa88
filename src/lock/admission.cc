#include "lock/admission.h"

#include <algorithm>

namespace holdfast::lock {

using spi::Mode;

Admission admit(std::span<const spi::Ticket> queue, std::string_view mine, Rule rule) {
  const auto self = std::find_if(queue.begin(), queue.end(), [&](const spi::Ticket& t) { return t.id == mine; });
  if (self == queue.end()) return {};

  if (rule.mode == Mode::permit) {
    // Holders leave in any order, so places mean nothing here, and whatever lies in the queue counts, as in Curator.
    if (queue.size() <= rule.permits) return {Admission::Answer::admitted};
    return {Admission::Answer::wait, queue.size() - rule.permits};
  }

  const auto ahead = static_cast<std::size_t>(self - queue.begin());
  const auto before = queue.first(ahead);
  if (rule.mode == Mode::shared) {
    // Curator's readers listen to the first writer, so that all readers behind it wake together.
    const auto is_alone = [](const spi::Ticket& t) { return t.mode != Mode::shared; };
    const auto writer = std::find_if(before.begin(), before.end(), is_alone);
    if (writer == before.end()) return {Admission::Answer::admitted, ahead};
    const auto is_last = std::none_of(writer + 1, before.end(), is_alone);
    return {Admission::Answer::wait, ahead, static_cast<std::size_t>(writer - before.begin()), is_last};
  }
  if (ahead == 0) return {Admission::Answer::admitted, ahead};
  // A writer may have become a reader in its own place since (downgrade).
  return {Admission::Answer::wait, ahead, ahead - 1, ahead == 1 && before.front().mode != Mode::write};
}

}  // namespace holdfast::lock
