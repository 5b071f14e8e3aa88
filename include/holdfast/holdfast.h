// holdfast.h -- everything in one include.
//
// Holdfast is a lock that holds across threads, processes and machines. A Client has a session with a storage service. Locks are made from
// it, by name. A Lease proves that one is held.
//
// Example:
//
//   auto client = holdfast::Client::connect("memory:");
//   holdfast::Mutex mutex = client.mutex("orders/123");
//   std::scoped_lock hold(mutex);
//
// The headers are the manual. A reading order:
//
//   lease.h                          the proof that a lock is held, and what happens when it is lost
//   lockable.h, mutex.h              acquire and release; who owns a mutex
//   client.h                         connect; make locks; revoke, inspect, commit
//   declared.h, lock_spec.h          one line around a function, or a block
//   lock_name.h                      names made from arguments
//   error.h, acquire_result.h        what can go wrong, and how it is said
//   shared_mutex.h, semaphore.h, multi_lock.h, shared_count.h
//   fence.h, transaction.h           how a resource refuses a holder that is late
//   lock_options.h, retry.h, tls_options.h, zookeeper_options.h, redis_options.h
//   settings.h, lock_settings.h      the same from a file, and by the names of locks
//   inspect.h, card.h                who holds and who waits
//   handler.h, handlers.h            code of yours around every acquire and release
//   lock_manager.h, lock_remote_resource.h   locks by name and value, as lock frameworks have them
//   engine.h, engine_data.h, local.h the engine, inside this process or on this machine
//   testing/faulty_service.h         for tests of your own code
//   spi/queue_backend.h              for the author of another store
#pragma once

#include "holdfast/acquire_result.h"  // IWYU pragma: export
#include "holdfast/card.h"            // IWYU pragma: export
#include "holdfast/client.h"          // IWYU pragma: export
#include "holdfast/clock.h"           // IWYU pragma: export
#include "holdfast/declared.h"        // IWYU pragma: export
#include "holdfast/engine.h"          // IWYU pragma: export
#include "holdfast/error.h"           // IWYU pragma: export
#include "holdfast/fence.h"           // IWYU pragma: export
#include "holdfast/handler.h"         // IWYU pragma: export
#include "holdfast/handlers.h"        // IWYU pragma: export
#include "holdfast/inspect.h"         // IWYU pragma: export
#include "holdfast/language.h"
#include "holdfast/lease.h"                 // IWYU pragma: export
#include "holdfast/local.h"                 // IWYU pragma: export
#include "holdfast/lock_manager.h"          // IWYU pragma: export
#include "holdfast/lock_name.h"             // IWYU pragma: export
#include "holdfast/lock_options.h"          // IWYU pragma: export
#include "holdfast/lock_remote_resource.h"  // IWYU pragma: export
#include "holdfast/lock_settings.h"         // IWYU pragma: export
#include "holdfast/lock_spec.h"             // IWYU pragma: export
#include "holdfast/multi_lock.h"            // IWYU pragma: export
#include "holdfast/mutex.h"                 // IWYU pragma: export
#include "holdfast/redis_options.h"         // IWYU pragma: export
#include "holdfast/retry.h"                 // IWYU pragma: export
#include "holdfast/semaphore.h"             // IWYU pragma: export
#include "holdfast/settings.h"              // IWYU pragma: export
#include "holdfast/shared_count.h"          // IWYU pragma: export
#include "holdfast/shared_mutex.h"          // IWYU pragma: export
#include "holdfast/tls_options.h"           // IWYU pragma: export
#include "holdfast/transaction.h"           // IWYU pragma: export
#include "holdfast/zookeeper_options.h"     // IWYU pragma: export
