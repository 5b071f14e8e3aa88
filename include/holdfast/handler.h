// handler.h -- code of yours around every acquire and every release of a client: logs, counts, rules, gates.
//
// Example:
//
//   struct Watcher : holdfast::LockHandler {
//     holdfast::AcquireOutcome acquire(const holdfast::AcquireRequest& ask, const holdfast::AcquireNext& next) override {
//       if (ask.name() == "the/moon") return {holdfast::Errc::refused, "the moon is not ours"};
//       return next(ask);
//     }
//   };
//   auto client = holdfast::Client::connect("memory:", {.handlers = {std::make_shared<Watcher>()}});
//
// Handlers that come with the library are in handlers.h. A client has its handlers from ClientOptions::handlers, and keeps them as they are
// and in that order. The first is the outermost: what it does before next() comes first, and what it does after next() comes last. Every
// way to a lock of that client goes through them: Mutex, NonReentrantMutex, SharedMutex, Semaphore, MultiLock, locks that are declared, and
// LockManager; lock(), acquire() and all that try.
//
// What a handler is told of is a hold, not an entry into it:
//
//   what happens                                                           acquire   on_lost   release
//   lock(), acquire(), try_...: by a thread that does not hold it          told      -         -
//   the same by the thread that holds it (re-entry), or lost it            -         -         -
//   release(), unlock(), ~Lease(): an entry, and not the last              -         -         -
//   the same: the last entry                                               -         -         told
//   the hold is lost: session, ticket removed, max_hold, Client::close()   -         told      -
//   the last entry into a lost hold is left                                -         -         told; next() says session_lost
//   a lock object is destroyed while it is locked                          -         -         told
//   anything in a child of fork()                                          -         -         -
//
// So counts of acquires and releases agree, and a re-entry, which no other client can notice, costs what it costs without handlers.
//
// Who is reached. acquire: the first handler, and each that the one before it lets in by next(). A handler that was not reached is told
// nothing of that acquire, and neither is one that was reached and did not return the hold: it failed, or threw. release and on_lost: those
// handlers whose acquire() returned the hold; none of them can be skipped. There is no cursor: the same handlers serve all threads at the
// same time, and may take locks of the same client themselves (which go through them again, to a depth of kMostNested).
//
// What is thrown:
//
//   by                        what becomes of the lock               what the caller gets
//   acquire(), before next()  it is not asked for                    the exception; an Error as what it says: timed_out is "false" or
//                                                                    an AcquireResult, and so on
//   acquire(), after next()   it is given back, and the handlers     the same
//                             after this one are told by release()
//   release(), anywhere       it is released all the same, the rest  nothing: the library's log has it
//                             of the handlers are told
//   on_lost(), on_error()     -                                      nothing: the library's log has it
//
// Threads: acquire() and release() run in the thread of the caller, outside of every lock of the library; release() of a Lease in whichever
// thread releases it. on_lost() runs on the client's thread for callbacks of Lease::lost(), after them; or in the caller's, if the hold was
// lost before acquire() came back to it. It may run at the same time as release() of the same hold, or after it.
//
// Deadlines: time that handlers take counts. A call whose deadline passes before the lock was asked for is timed_out; what a handler does
// after next() makes the call late, and the library cannot stop it. A handler that waits must end at request.deadline(), and when stop() or
// closed() is requested. release() should not wait: unlock() and ~Lease() wait for it.
//
// Cost: nothing without handlers. With some, one allocation per acquire, and what they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

#include "holdfast/card.h"
#include "holdfast/clock.h"
#include "holdfast/error.h"
#include "holdfast/fence.h"
#include "holdfast/inspect.h"
#include "holdfast/language.h"

namespace holdfast {

namespace lock {
class AcquireWalk;
class Passage;
class ReleaseWalk;
struct Subject;
}  // namespace lock

// Which lock it is. A value: may be kept after the call.
class LockRequest {
 public:
  // As given to Client::mutex() and its like, without a leading slash. Of a MultiLock: the first of its names.
  const std::string& name() const noexcept;
  // One, or all of a MultiLock.
  const std::vector<std::string>& names() const noexcept;
  // Where the queue is on the service.
  const std::string& path() const noexcept;
  // Of a MultiLock: of its first name.
  LockMode mode() const noexcept;
  // How many of a Semaphore; otherwise 1.
  std::size_t permits() const noexcept { return permits_; }
  // What the ticket's card says (card.h).
  const std::string& purpose() const noexcept { return purpose_; }
  const std::string& trace() const noexcept { return trace_; }

 protected:
  friend class lock::AcquireWalk;
  LockRequest(std::shared_ptr<const lock::Subject> subject, std::size_t permits, std::string purpose)
      : subject_(std::move(subject)), permits_(permits), purpose_(std::move(purpose)) {}

  std::shared_ptr<const lock::Subject> subject_;
  std::size_t permits_ = 1;
  std::string purpose_;
  std::string trace_;
};

// One acquire, as it is asked for.
class AcquireRequest : public LockRequest {
 public:
  // The longest purpose and trace, in bytes. More is cut off.
  static constexpr std::size_t kMostText = 256;

  // Clock::time_point(): does not wait for rivals. Clock::time_point::max(): waits as long as it takes.
  Clock::time_point deadline() const noexcept { return deadline_; }
  bool waits() const noexcept { return deadline_ > Clock::time_point(); }
  // The caller gives up; the client is closed.
  const std::stop_token& stop() const noexcept { return stop_; }
  const std::stop_token& closed() const noexcept { return closed_; }
  // Asked for by lock() of a lock that belongs to a thread: only this thread can give it back.
  bool bound_to_thread() const noexcept { return bound_; }

  // The same with something else, for next(). A deadline can only come sooner.
  AcquireRequest with_deadline(Clock::time_point deadline) const;
  AcquireRequest with_purpose(std::string purpose) const;
  AcquireRequest with_trace(std::string trace) const;

 private:
  friend class lock::AcquireWalk;
  using LockRequest::LockRequest;

  Clock::time_point deadline_;
  std::stop_token stop_;
  std::stop_token closed_;
  bool bound_ = false;
};

// A lock that is held, or was a moment ago.
class HeldLock : public LockRequest {
 public:
  Token token() const noexcept { return token_; }
  // When it was granted.
  Clock::time_point since() const noexcept { return since_; }
  // The thread that acquired it, as in its card.
  std::int64_t thread() const noexcept { return thread_; }

 private:
  friend class lock::AcquireWalk;
  HeldLock(const LockRequest& request, Token token, Clock::time_point since, std::int64_t thread)
      : LockRequest(request), token_(token), since_(since), thread_(thread) {}

  Token token_;
  Clock::time_point since_;
  std::int64_t thread_;
};

// What came of an acquire: the hold, or why there is none. It owns the hold: one that is destroyed instead of returned gives the lock back.
class [[nodiscard]] AcquireOutcome {
 public:
  // A failure, with a code of error.h or of your own. Throws Error(invalid_argument) if `error` is none.
  AcquireOutcome(std::error_code error, std::string message, std::optional<Card> holder = std::nullopt,
                 std::optional<std::size_t> ahead = std::nullopt);
  AcquireOutcome(Errc error, std::string message) : AcquireOutcome(make_error_code(error), std::move(message)) {}
  AcquireOutcome(AcquireOutcome&&) noexcept;
  AcquireOutcome& operator=(AcquireOutcome&&) noexcept;  // gives back what it had
  ~AcquireOutcome();

  explicit operator bool() const noexcept { return passage_ != nullptr; }

  // As of AcquireResult; of a success these are empty.
  std::error_code error() const noexcept { return error_; }
  const std::string& message() const noexcept { return message_; }
  const std::optional<Card>& holder() const noexcept { return holder_; }
  std::optional<std::size_t> ahead() const noexcept { return ahead_; }

  // Of a success only.
  const HeldLock& held() const;
  std::stop_token lost() const;

  // Keeps `object` until release() of this handler has returned, and destroys it then. After a failure: destroys it now. What an acquire has
  // taken, and the release has to give back, belongs here: no table has to be looked up.
  void keep(std::shared_ptr<void> object);

 private:
  friend class lock::AcquireWalk;
  explicit AcquireOutcome(std::unique_ptr<lock::Passage> passage) noexcept;

  std::unique_ptr<lock::Passage> passage_;  // none after a failure
  std::error_code error_;
  std::string message_;
  std::optional<Card> holder_;
  std::optional<std::size_t> ahead_;
};

// The handlers after this one, and then the lock. Of use only while acquire() runs, in its thread. May be called again after a failure.
class AcquireNext {
 public:
  AcquireOutcome operator()(const AcquireRequest& request) const;

 private:
  friend class lock::AcquireWalk;
  AcquireNext(lock::AcquireWalk& walk, std::size_t level) : walk_(walk), level_(level) {}

  lock::AcquireWalk& walk_;
  const std::size_t level_;
};

// The same of a release. A handler that does not call it only chooses when: then the rest happens after it. A second call does nothing.
class ReleaseNext {
 public:
  // What release() of the lock says: session_lost if the hold was lost before.
  std::error_code operator()() const noexcept;

 private:
  friend class lock::ReleaseWalk;
  ReleaseNext(lock::ReleaseWalk& walk, std::size_t level) : walk_(walk), level_(level) {}

  lock::ReleaseWalk& walk_;
  const std::size_t level_;
};

// Base class of handlers. Those that are not overridden pass everything on.
//
// Ownership: by std::shared_ptr, of the program and as many clients as it likes; a client keeps it as long as it or one of its holds exists.
//
// Thread safety: all members are called from any thread, several at the same time.
class LockHandler {
 public:
  // How many handlers one client may have.
  static constexpr std::size_t kMost = 64;
  // How deep handlers may ask for locks that go through handlers: an endless recursion is refused here.
  static constexpr unsigned kMostNested = 16;

  LockHandler() = default;
  LockHandler(const LockHandler&) = delete;
  LockHandler& operator=(const LockHandler&) = delete;
  virtual ~LockHandler();

  virtual AcquireOutcome acquire(const AcquireRequest& request, const AcquireNext& next);
  virtual void release(const HeldLock& held, const ReleaseNext& next);
  // The hold was lost. Once for each, and only if the acquire had come back to its caller.
  virtual void on_lost(const HeldLock& held);
  // An exception left acquire() of this handler, its own or that of a handler after it; or release() of this handler, or of one after it,
  // threw.
  virtual void on_error(const LockRequest& request, std::exception_ptr error);
};

}  // namespace holdfast
