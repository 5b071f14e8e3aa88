#include "lock/passage.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/log.h"
#include "lock/self.h"
#include "lock/unusable.h"

namespace holdfast::lock {
namespace {

// How many acquires and releases of this thread are among handlers.
thread_local unsigned nested = 0;

class Nesting {
 public:
  Nesting() { ++nested; }
  ~Nesting() { --nested; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
};

AcquireOutcome failure(Refusal refusal) {
  return {refusal.code, std::move(refusal.message), std::move(refusal.holder), refusal.ahead};
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------- acquire

Passage::~Passage() {
  if (!hold_) return;
  ReleaseWalk(*core_, hold_, {}).run(level_);
  // Of the handler that had it in its hands, and did not return it.
  if (level_ > 0) handled().drop_kept(level_ - 1);
}

AcquireRequest AcquireWalk::first_request() const {
  AcquireRequest request(subject_, call_.permits, core_->purpose_of(call_));
  request.deadline_ = call_.deadline;
  request.stop_ = call_.stop;
  request.closed_ = core_->closed();
  request.bound_ = call_.bound;
  return request;
}

Outcome AcquireWalk::run() {
  if (nested >= LockHandler::kMostNested) {
    return tl::unexpected(Refusal{
        Errc::refused, fmt::format("{}: the handlers of this client ask for locks that go through handlers, {} deep; "
                                   "leave out the names that they ask for themselves",
                                   subject_->path, nested)});
  }
  const Nesting nesting;
  try {
    auto outcome = enter(0, first_request());
    if (!outcome) {
      return tl::unexpected(
          Refusal{outcome.error_, std::move(outcome.message_), std::move(outcome.holder_), outcome.ahead_});
    }
    auto hold = outcome.passage_->arrive();
    hold->handled()->complete();
    return hold;
  } catch (const Error& error) {
    return tl::unexpected(Refusal{error.code() ? error.code() : Errc::refused, error.what()});
  }
}

AcquireOutcome AcquireWalk::enter(std::size_t level, const AcquireRequest& request) {
  if (request.subject_ != subject_) {
    throw Error(Errc::invalid_argument,
                "a handler gave the request of another acquire to next(); give the one it was given");
  }
  if (level == chain_.size()) return take(request);
  auto& handler = *chain_[level];
  try {
    auto outcome = handler.acquire(request, AcquireNext(*this, level + 1));
    if (!outcome && !outcome.error_) {
      throw Error(Errc::invalid_argument,
                  "a handler returned an outcome that it has moved away; return that of next()");
    }
    if (!outcome) return outcome;
    auto& passage = *outcome.passage_;
    if (&passage.handled().chain() != &chain_ || passage.level() != level + 1 ||
        passage.handled().held().subject_ != subject_) {
      throw Error(Errc::invalid_argument, "a handler returned the outcome of another acquire; return that of next()");
    }
    passage.reached(level);
    return outcome;
  } catch (...) {
    tell_error(handler, request, std::current_exception());
    throw;
  }
}

// The end of the chain: the lock itself.
AcquireOutcome AcquireWalk::take(const AcquireRequest& request) {
  if (!core_->is_of_this_process()) return failure(forked());  // a handler called fork(), and this is the child
  Call call = call_;
  call.deadline = std::min(call.deadline, request.deadline());
  if (call.patient() && call.deadline <= core_->now()) {
    return {Errc::timed_out,
            fmt::format("timed out before {} was asked for: the handlers of this client took all the time",
                        subject_->path)};
  }
  if (!request.trace().empty() || request.purpose() != core_->purpose_of(call)) {
    call.card_text = std::make_shared<const CardText>(CardText{request.purpose(), request.trace()});
  }
  auto outcome = acquire_(std::move(call));
  if (!outcome) return failure(std::move(outcome.error()));
  auto hold = std::move(*outcome);
  try {
    hold->attach(
        std::make_shared<Handled>(core_->chain(), HeldLock(request, hold->token(), core_->now(), this_thread_id())));
    return AcquireOutcome(std::make_unique<Passage>(core_, hold));
  } catch (...) {
    core_->release(hold);
    throw;
  }
}

// ------------------------------------------------------------------------------------------------------------- release

std::error_code ReleaseWalk::run(std::size_t level) noexcept {
  const Nesting nesting;  // a release cannot be refused; an acquire in it can
  first_ = next_ = level;
  return enter(level);
}

std::error_code ReleaseWalk::enter(std::size_t level) noexcept {
  HOLDFAST_ASSERT(level >= first_ && level <= handled_.chain().size(), level, first_);
  if (level < next_) return result_;  // told already
  next_ = level + 1;
  if (level == handled_.chain().size()) {
    if (core_.is_of_this_process()) {
      result_ = core_.release(hold_, std::move(done_));
    } else {
      result_ = Errc::forked;  // a handler called fork(), and this is the child
      if (done_) done_();
    }
    return result_;
  }
  tell(level);
  enter(level + 1);  // unless the handler has
  handled_.drop_kept(level);
  return result_;
}

void ReleaseWalk::tell(std::size_t level) noexcept {
  try {
    handled_.chain()[level]->release(handled_.held(), ReleaseNext(*this, level + 1));
  } catch (...) {
    const auto error = std::current_exception();
    base::log().error("a handler threw in release() of {}, which is released all the same: {}", handled_.held().path(),
                      text_of(error));
    for (auto i = level + 1; i-- > first_;) tell_error(*handled_.chain()[i], handled_.held(), error);
  }
}

}  // namespace holdfast::lock

// ------------------------------------------------------------------------------------------------------ holdfast/handler.h

namespace holdfast {
namespace {

// At most as many bytes as a card takes, and never half a character.
std::string cut(std::string text) {
  if (text.size() <= AcquireRequest::kMostText) return text;
  auto end = AcquireRequest::kMostText;
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U; };
  while (end > 0 && continues(end)) --end;
  text.resize(end);
  return text;
}

}  // namespace

const std::string& LockRequest::name() const noexcept { return subject_->names.front(); }
const std::vector<std::string>& LockRequest::names() const noexcept { return subject_->names; }
const std::string& LockRequest::path() const noexcept { return subject_->path; }
LockMode LockRequest::mode() const noexcept { return subject_->mode; }

AcquireRequest AcquireRequest::with_deadline(Clock::time_point deadline) const {
  auto changed = *this;
  changed.deadline_ = std::min(deadline_, deadline);
  return changed;
}

AcquireRequest AcquireRequest::with_purpose(std::string purpose) const {
  auto changed = *this;
  changed.purpose_ = cut(std::move(purpose));
  return changed;
}

AcquireRequest AcquireRequest::with_trace(std::string trace) const {
  auto changed = *this;
  changed.trace_ = cut(std::move(trace));
  return changed;
}

AcquireOutcome::AcquireOutcome(std::error_code error, std::string message, std::optional<Card> holder,
                               std::optional<std::size_t> ahead)
    : error_(error), message_(std::move(message)), holder_(std::move(holder)), ahead_(ahead) {
  if (!error_) throw Error(Errc::invalid_argument, "an AcquireOutcome without an error; only next() can acquire");
}

AcquireOutcome::AcquireOutcome(std::unique_ptr<lock::Passage> passage) noexcept : passage_(std::move(passage)) {}
AcquireOutcome::AcquireOutcome(AcquireOutcome&&) noexcept = default;
AcquireOutcome& AcquireOutcome::operator=(AcquireOutcome&&) noexcept = default;
AcquireOutcome::~AcquireOutcome() = default;

const HeldLock& AcquireOutcome::held() const {
  if (!passage_) throw Error(Errc::invalid_argument, "held() of an acquire that has failed: " + message_);
  return passage_->handled().held();
}

std::stop_token AcquireOutcome::lost() const { return passage_ ? passage_->hold()->lost() : std::stop_token(); }

void AcquireOutcome::keep(std::shared_ptr<void> object) {
  // The handler that has the outcome in its hands is the one before those that have returned it.
  if (passage_ && passage_->level() > 0) passage_->handled().keep(passage_->level() - 1, std::move(object));
}

AcquireOutcome AcquireNext::operator()(const AcquireRequest& request) const { return walk_.enter(level_, request); }
std::error_code ReleaseNext::operator()() const noexcept { return walk_.enter(level_); }

LockHandler::~LockHandler() = default;
AcquireOutcome LockHandler::acquire(const AcquireRequest& request, const AcquireNext& next) { return next(request); }
void LockHandler::release(const HeldLock&, const ReleaseNext& next) { next(); }
void LockHandler::on_lost(const HeldLock&) {}
void LockHandler::on_error(const LockRequest&, std::exception_ptr) {}

}  // namespace holdfast
