#include "lock/admission.h"

#include <algorithm>

namespace holdfast::lock {

using spi::Mode;

Admission admit(std::span<const spi::Ticket> queue, std::string_view mine, Rule rule) {
  const auto self = std::find_if(queue.begin(), queue.end(), [&](const spi::Ticket& t) { return t.id == mine; });
  if (self == queue.end()) return {};

  if (rule.mode == Mode::permit) {
    // Holders leave in any order, so positions mean nothing here, and everything in the queue counts, as in Curator.
    if (queue.size() <= rule.permits) return {Admission::Answer::admitted};
    return {Admission::Answer::wait, queue.size() - rule.permits};
  }

  const auto ahead = static_cast<std::size_t>(self - queue.begin());
  const auto before = queue.first(ahead);
  if (rule.mode == Mode::shared) {
    // Curator's readers listen to the first writer, so that all readers after it wake together.
    const auto keeps_me_out = [](const spi::Ticket& t) { return keeps_out(t.mode, Mode::shared); };
    const auto writer = std::find_if(before.begin(), before.end(), keeps_me_out);
    if (writer == before.end()) return {Admission::Answer::admitted, ahead};
    const auto is_last = std::none_of(writer + 1, before.end(), keeps_me_out);
    return {Admission::Answer::wait, ahead, static_cast<std::size_t>(writer - before.begin()), is_last};
  }
  if (ahead == 0) return {Admission::Answer::admitted, ahead};
  // The writer may have become a reader in its own place meanwhile (downgrade).
  return {Admission::Answer::wait, ahead, ahead - 1, ahead == 1 && before.front().mode != Mode::write};
}

bool would_admit(std::span<const spi::Ticket> queue, Rule rule, std::size_t tickets) {
  if (rule.mode == Mode::permit) return queue.size() + tickets <= rule.permits;
  return std::none_of(queue.begin(), queue.end(), [&](const spi::Ticket& t) { return keeps_out(t.mode, rule.mode); });
}

std::vector<bool> holders(std::span<const spi::Ticket> queue) {
  std::vector<bool> holds;
  bool alone = false;  // one of the tickets before wants to be
  for (const auto& ticket : queue) {
    // A reader that took the place of its own writer has the writer's number, and holds together with it.
    const bool with_the_first = ticket.sequence == queue.front().sequence;
    const bool with_readers = ticket.mode == Mode::shared && !alone;
    holds.push_back(ticket.mode == Mode::permit || (ticket.mode != Mode::none && (with_the_first || with_readers)));
    alone = alone || keeps_out(ticket.mode, Mode::shared);
  }
  return holds;
}

}  // namespace holdfast::lock
