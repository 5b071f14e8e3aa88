#include "lock/core.h"

#include <fmt/format.h>

#include <vector>

#include "base/log.h"
#include "base/uuid.h"
#include "lock/answered_once.h"
#include "lock/attempts.h"
#include "lock/circle.h"
#include "lock/deadlock.h"
#include "lock/inspector.h"
#include "lock/self.h"

namespace holdfast::lock {

Core::Core(const MakeBackend& make, ClientOptions options)
    : options_(std::move(options)),
      chain_(options_.handlers.empty() ? nullptr : std::make_shared<const Chain>(options_.handlers)),
      backend_(std::make_unique<AnsweredOnce>(make(loop_))),
      session_(loop_, *this),
      sweeper_(loop_, *backend_, session_),
      context_{loop_, *backend_, session_, sweeper_, options_.retry, options_.connection_timeout},
      cohorts_{context_, [this](std::function<void()> f) { losses_.deliver(std::move(f)); }, options_.hand_over,
               [this](const Waiter& waiter, const std::string& queue) { return would_deadlock(waiter, queue); }} {}

Core::~Core() { close(); }

void Core::open(Clock::time_point deadline) {
  loop_.enter([&] { backend_->open(session_); });
  // The backend goes on trying on its own. An attempt is a time in which it did not succeed; it ends early when the backend knows that it cannot.
  deadline = std::max(deadline, now());
  const bool one_attempt = deadline <= began_ + options_.connection_timeout;
  bool no_service = false;
  const auto is_open_by = [&](Clock::time_point when) {
    const auto state = opening_.wait_until(std::min(when, deadline));
    no_service = state == Opening::State::no_service;
    return state == Opening::State::open;
  };
  for (Attempts attempts; !is_open_by(attempts.end_of_next(options_.retry, options_.connection_timeout, now()));) {
    const bool last = now() >= deadline || (no_service && one_attempt);
    const auto pause = last ? std::nullopt : attempts.fail(options_.retry, now());
    if (!pause) throw Error(Errc::not_connected, why_not_open(no_service ? std::nullopt : std::optional(deadline)));
    // What ends an attempt early does not end a pause early.
    const auto next = std::min(now() + *pause, deadline);
    do {
      if (opening_.wait_until(next) == Opening::State::open) return;
    } while (now() < next);
  }
}

// `deadline`: until when it was waited, if it was.
std::string Core::why_not_open(std::optional<Clock::time_point> deadline) {
  const auto trouble = loop_.enter([&] { return backend_->trouble(); });
  if (!deadline) return fmt::format("no session with {}: {}", backend_->where(), trouble);
  auto waited = std::chrono::ceil<std::chrono::milliseconds>(std::min(now(), *deadline) - began_);
  // Says the time that was asked for, if that is what was waited: a little of it had passed before the wait began.
  const auto asked = options_.connection_timeout;
  if (waited < asked && asked - waited < asked / 10) waited = asked;
  return fmt::format("no session with {} within {} ms{}{}", backend_->where(), waited.count(),
                     trouble.empty() ? "" : ": ", trouble);
}

void Core::close() noexcept {
  if (!is_of_this_process()) return;
  std::function<void()> outside;
  const bool first = loop_.enter([&] {
    if (over_ && over_->code == Errc::cancelled) return false;
    over_ = Refusal{Errc::cancelled, "the client was closed"};
    // First, so that nothing is cleaned up on a service that is about to forget all of it.
    outside = backend_->close();
    session_.close();
    for_each_cohort([&](Cohort& cohort) { cohort.close(*over_); });
    sweeper_.close();
    return true;
  });
  closing_.request_stop();
  const auto closed = closed_;  // this object may be destroyed as soon as the other threads know
  if (!first) {
    // A callback must not wait for the thread that waits for the callback.
    if (!losses_.is_this_thread() && !notices_.is_this_thread()) closed->wait();
    return;
  }
  if (outside) outside();
  loop_.stop();
  losses_.stop();
  notices_.stop();
  companions_.reset();
  companion_.reset();
  closed->set();
}

void Core::take_along(std::shared_ptr<Companion> companion) {
  const bool watched = loop_.enter([&] {
    if (over_) return true;
    companions_ = loop_.watch(companion->descriptor(), [this] {
      if (companion_->drain()) notices_.deliver([companion = companion_] { companion->work(); });
    });
    if (companions_) companion_ = std::move(companion);
    return companions_ != nullptr;
  });
  if (!watched) throw Error(Errc::refused, "the system has no room to watch another descriptor");
}

std::shared_ptr<LocalQueue> Core::local_queue(const std::string& full_name, bool may_keep) {
  return loop_.enter([&] {
    auto& slot = local_queues_[full_name];
    auto queue = slot.lock();
    if (!queue) {
      queue = std::make_shared<LocalQueue>(
          loop_,
          LocalQueue::Options{.queue = full_name,
                              .alone = options_.deadlocks == DeadlockDetection::all_clients,
                              .may_keep = may_keep && backend_->shows_waiters(),
                              .hand_over = options_.hand_over},
          [this](QueueRequest request, std::shared_ptr<KeepPolicy> keeping) {
            return make_cohort({std::move(request)}, std::move(keeping));
          });
      slot = queue;
      // Names come and go. Queues to which no lock object refers any more are forgotten whenever the map has doubled.
      if (local_queues_.size() > 2 * local_queues_kept_ + 64) {
        std::erase_if(local_queues_, [](const auto& entry) { return entry.second.expired(); });
        local_queues_kept_ = local_queues_.size();
      }
    }
    return queue;
  });
}

std::shared_ptr<Cohort> Core::make_cohort(std::vector<QueueRequest> wanted, std::shared_ptr<KeepPolicy> keeping) {
  auto cohort = std::make_shared<Cohort>(cohorts_, std::move(wanted), std::move(keeping));
  all_cohorts_.push_back(cohort);
  if (all_cohorts_.size() > 2 * cohorts_kept_ + 64) {
    std::erase_if(all_cohorts_, [](const auto& each) { return each.expired(); });
    cohorts_kept_ = all_cohorts_.size();
  }
  return cohort;
}

Outcome Core::acquire(Entrance& entrance, Call call) {
  call.card = make_card(call);
  const auto deadline = call.patient() ? call.deadline : loop_.now() + options_.connection_timeout;
  const auto stop = call.stop;
  const auto waiter = std::make_shared<Waiter>(std::move(call));
  loop_.enter([&] {
    if (over_) {
      waiter->fail(*over_);
    } else {
      entrance.enter(waiter);
    }
  });
  if (options_.deadlocks == DeadlockDetection::all_clients && waiter->call().holds_others && waiter->call().endless()) {
    watch_for_circles(*waiter);
  }
  Outcome outcome = waiter->wait(deadline, stop);
  if (!outcome) loop_.enter([&] { entrance.leave(waiter, outcome.error()); });
  return outcome;
}

Outcome Core::acquire_beside(const Hold& write, Call call) {
  const auto cohort = loop_.enter([&]() -> std::shared_ptr<Cohort> {
    if (!write.cohort().pin(write)) return nullptr;
    const auto& ticket = write.grant().tickets.front();
    return make_cohort({{.queue = ticket.queue, .mode = call.mode, .in_place_of = ticket.ticket}});
  });
  if (!cohort) {
    return tl::unexpected(Refusal{Errc::session_lost, "this thread's write hold was lost; release it first"});
  }
  if (!call.patient()) call.deadline = now() + options_.connection_timeout;  // no rival can be in the way
  return acquire(*cohort, std::move(call));
}

std::error_code Core::release(const std::shared_ptr<Hold>& hold, Sweeper::Done done) {
  return loop_.enter([&] { return hold->cohort().release(hold, std::move(done)); });
}

std::map<std::string, std::size_t> Core::entries_by_ticket() {
  std::map<std::string, std::size_t> entries;
  loop_.enter([&] {
    for_each_cohort([&](const Cohort& cohort) {
      for (const auto& hold : cohort.holds()) {
        for (const auto& place : cohort.places()) entries[place.ticket.id] += hold->entries();
      }
    });
  });
  return entries;
}

void Core::listen_for_revocation(const Hold& hold) {
  loop_.enter([&] { hold.cohort().listen_for_revocation(hold); });
}

void Core::state_changed(ConnectionState state) {
  state_.store(state);
  if (options_.listener) {
    // A copy: the listener may destroy the client, and this object with it.
    notices_.deliver([listener = options_.listener, state] { listener(state); });
  }
  if (state == ConnectionState::connected) opening_.succeed();
  if (state == ConnectionState::reconnected) for_each_cohort([](Cohort& cohort) { cohort.session_is_good(); });
}

void Core::session_connected(bool) {
  sweeper_.session_connected();
  for_each_cohort([](Cohort& cohort) { cohort.session_is_good(); });
}

void Core::session_disconnected() {
  for_each_cohort([](Cohort& cohort) { cohort.session_disconnected(); });
}

void Core::validity_ended() {
  for_each_cohort([](Cohort& cohort) { cohort.validity_ended(); });
}

void Core::beat() {
  backend_->beat([](const auto&) {});
  for_each_cohort([](Cohort& cohort) { cohort.beat(); });
}

void Core::session_refused(const std::string& why) {
  if (over_) return;
  over_ = Refusal{Errc::refused, why};
  losses_.deliver([closing = closing_]() mutable { closing.request_stop(); });
  for_each_cohort([&](Cohort& cohort) { cohort.close(*over_); });
  opening_.fail(std::make_exception_ptr(Error(Errc::refused, why)));
}

template <class F>
void Core::for_each_cohort(F&& f) {
  // A copy: cohorts may come and go in the calls below.
  std::vector<std::shared_ptr<Cohort>> cohorts;
  for (const auto& weak : all_cohorts_) {
    if (auto cohort = weak.lock()) cohorts.push_back(std::move(cohort));
  }
  for (const auto& cohort : cohorts) f(*cohort);
}

// Among the threads of this client, and only for holds that no other thread can give back.
std::optional<Refusal> Core::would_deadlock(const Waiter& waiter, const std::string& queue) {
  if (options_.deadlocks == DeadlockDetection::off) return std::nullopt;
  std::vector<WaitsFor<ThreadId>> waiting{{waiter.call().thread, queue}};
  std::vector<Holds<ThreadId>> holding;
  for_each_cohort([&](const Cohort& cohort) {
    for (const auto& each : cohort.line()) {
      if (!each->call().endless()) continue;
      if (each.get() != &waiter) waiting.push_back({each->call().thread, cohort.queue()});
      // Where a claim for several names has been admitted, it stays in the way while it waits for the others.
      for (std::size_t i = 0; i < cohort.admitted_queues(); ++i) {
        holding.push_back({each->call().thread, cohort.wanted()[i].queue});
      }
    }
    for (const auto& hold : cohort.holds()) {
      if (!hold->bound() || hold->grant().until != Clock::time_point::max()) continue;  // it will end
      for (const auto& request : cohort.wanted()) holding.push_back({hold->thread(), request.queue});
    }
  });
  const auto circle = find_circle(waiter.call().thread, waiting, holding);
  if (circle.empty()) return std::nullopt;
  std::string text;
  for (const auto& each : circle) text += fmt::format("{}{}", text.empty() ? "" : ", ", backend_->path(each.queue));
  return Refusal{
      Errc::deadlock,
      circle.size() == 1
          ? fmt::format("waiting for {} would never end: this thread holds it ({})", backend_->path(queue), text)
          : fmt::format("waiting for {} would never end: {} threads of this client wait for one another ({})",
                        backend_->path(queue), circle.size(), text)};
}

// Until the waiter has its outcome. Cards say which process and thread each ticket belongs to.
void Core::watch_for_circles(Waiter& waiter) {
  const auto& mine = waiter.call().card;
  do {
    std::optional<Refusal> refusal;
    try {
      refusal = find_circle_of(mine, inspect_below(*this, options_.name_space));
    } catch (const Error& error) {
      // A wait does not fail because one look failed; the next beat looks again.
      base::log().debug("no look for deadlocks: {}", error.what());
    }
    if (refusal) waiter.fail(std::move(*refusal));
  } while (!waiter.settled_by(now() + loop_.enter([&] { return session_.terms().beat; })));
}

std::string Core::full_name(const std::string& name) const {
  return options_.name_space.empty() ? name : options_.name_space + "/" + name;
}

Card Core::make_card(const Call& call) const {
  Card card = this_process();
  if (options_.deadlocks == DeadlockDetection::all_clients) {
    card.bound = call.bound && call.options.max_hold.count() == 0;
    card.endless = call.endless();
    static const std::string instance = base::random_uuid();
    card.instance = instance;
  }
  if (!options_.program.empty()) card.program = options_.program;
  card.purpose = call.card_text ? call.card_text->purpose : purpose_of(call);
  if (call.card_text) card.trace = call.card_text->trace;
  card.since = std::chrono::system_clock::now();
  return card;
}

}  // namespace holdfast::lock
