// lock_options.h -- how long holds of one lock object last. All are off by default.
#pragma once

#include <chrono>

#include "holdfast/language.h"

namespace holdfast {

struct LockOptions {
  // Others do not get the name sooner than this after we did, however soon we release: so that a job that is started by many
  // machines at once and takes a moment is run by one of them. (ShedLock's lockAtLeastFor.) The service keeps it for as long
  // as our client is alive and open.
  std::chrono::milliseconds min_hold{0};
  // The hold ends by itself after this long: lost() fires, and the name goes to the next. Counted from the first entry.
  std::chrono::milliseconds max_hold{0};
  // When a holder that asked for this ended without releasing (killed, cut off, paused too long), the next one that asks for it
  // is kept waiting so much longer, from when its turn came: time for what the dead holder sent to arrive. Costs two round
  // trips per acquire. Works among clients that ask for it, not with others' locks.
  std::chrono::milliseconds lock_delay{0};
};

}  // namespace holdfast
