// holdfast.h -- everything.
#pragma once

#include "holdfast/acquire_result.h"  // IWYU pragma: export
#include "holdfast/card.h"            // IWYU pragma: export
#include "holdfast/client.h"          // IWYU pragma: export
#include "holdfast/clock.h"           // IWYU pragma: export
#include "holdfast/engine.h"          // IWYU pragma: export
#include "holdfast/error.h"           // IWYU pragma: export
#include "holdfast/fence.h"           // IWYU pragma: export
#include "holdfast/inspect.h"         // IWYU pragma: export
#include "holdfast/language.h"
#include "holdfast/lease.h"              // IWYU pragma: export
#include "holdfast/local.h"              // IWYU pragma: export
#include "holdfast/lock_options.h"       // IWYU pragma: export
#include "holdfast/multi_lock.h"         // IWYU pragma: export
#include "holdfast/mutex.h"              // IWYU pragma: export
#include "holdfast/retry.h"              // IWYU pragma: export
#include "holdfast/semaphore.h"          // IWYU pragma: export
#include "holdfast/shared_count.h"       // IWYU pragma: export
#include "holdfast/shared_mutex.h"       // IWYU pragma: export
#include "holdfast/tls_options.h"        // IWYU pragma: export
#include "holdfast/transaction.h"        // IWYU pragma: export
#include "holdfast/zookeeper_options.h"  // IWYU pragma: export
