// first_zxid.h -- where the zxids of one life of a server begin: above all that any client was ever told.
//
// Tokens and session ids are zxids, so the same holds for them.
#pragma once

#include <chrono>

#include "store/store.h"
#include "wire/records.h"

namespace holdfast::server {

// How many zxids an in-memory server has for each microsecond of its life: more than its one thread can execute.
inline constexpr std::int64_t kZxidsPerMicrosecond = 8;

// With a store: epoch and counter, which grow for ever, whatever happened to the log.
//
// Without one nothing is left of the life before but its clients. So it is `wall_clock` (since 1970) that grows: a life that begins
// at a later time begins above every zxid of an earlier one. That fails only if the wall clock of the machine was set back between
// the two, by more than the earlier life has lasted.
wire::Zxid first_zxid(const store::Store* store, std::chrono::microseconds wall_clock);

}  // namespace holdfast::server
