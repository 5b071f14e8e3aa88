// unusable.h -- why an object cannot be used: it was moved from, or came into this process by fork().
//
// Checked before anything else: in a child every mutex may be locked for ever.
#pragma once

#include <memory>
#include <optional>

#include "lock/core.h"
#include "lock/refusal.h"

namespace holdfast::lock {

inline Refusal moved_from() {
  return {Errc::invalid_argument, "this object was moved from; use the one that it was moved to"};
}

inline Refusal forked() {
  return {Errc::forked, "this object belongs to the process that called fork(); connect a new client in the child"};
}

// `core`: that of the object; none if it was moved from.
inline std::optional<Refusal> unusable(const Core* core) {
  if (core == nullptr) return moved_from();
  if (!core->is_of_this_process()) return forked();
  return std::nullopt;
}

inline void check_usable(const Core* core) {
  if (const auto refusal = unusable(core)) throw Error(refusal->code, refusal->message);
}

}  // namespace holdfast::lock
