#include "lock/permits.h"

#include <fmt/format.h>

#include <algorithm>
#include <stop_token>

#include "lock/count.h"

namespace holdfast::lock {

// What acquiring needs. Shared by the calls, which come from any thread.
struct Permits::Place {
  Place(Core& kept, const spi::SemaphoreQueues& queues, std::variant<std::size_t, std::string> permits)
      : core(kept),
        leases(queues.permits),
        turns(kept.local_queue(queues.turns, /*may_keep=*/false)),
        count(std::move(permits)) {}

  Core& core;  // the Owner keeps it
  const std::string leases;
  const std::shared_ptr<LocalQueue> turns;
  const std::variant<std::size_t, std::string> count;

  Outcome acquire(Call call) const;

 private:
  std::optional<Refusal> peek(const Call& call) const;
  Outcome take_turn(Call call) const;
  Outcome acquire_in_turn(Call call, bool& unreachable) const;
};

Permits::Permits(std::shared_ptr<Core> core, const std::string& name, std::variant<std::size_t, std::string> count,
                 LockOptions options)
    : most_(std::holds_alternative<std::size_t>(count)
                ? std::min(Semaphore::kMaxPermits, static_cast<std::int64_t>(std::get<std::size_t>(count)))
                : Semaphore::kMaxPermits),
      owner_(base::make_shared_here<Owner>(
          core, Subject{{name}, core->path(name), LockMode::permit}, /*reentrant=*/false, options,
          [place = std::make_shared<Place>(*core, core->semaphore(core->full_name(name)), std::move(count))](
              Call call) { return place->acquire(std::move(call)); },
          /*may_delay=*/false)) {}

// Once, unless the connection breaks or the session is lost meanwhile: then it starts again, as every waiter does. Only taking the
// turn waits for a connection, as long as the retry policy and the deadline allow.
Outcome Permits::Place::acquire(Call call) const {
  for (;;) {
    if (auto refusal = peek(call)) return tl::unexpected(std::move(*refusal));
    auto turn = take_turn(call);
    if (!turn) return turn;
    std::stop_source stop;
    const auto request_stop = [&stop] { stop.request_stop(); };
    const std::stop_callback when_cancelled(call.stop, request_stop);
    const std::stop_callback when_lost((*turn)->lost(), request_stop);
    Call with_turn = call;
    with_turn.stop = stop.get_token();
    bool unreachable = false;
    auto outcome = acquire_in_turn(std::move(with_turn), unreachable);
    const bool lost = core.release(*turn) == Errc::session_lost;
    if (outcome || call.stop.stop_requested()) return outcome;
    if (!unreachable && !(lost && outcome.error().code == Errc::cancelled)) return outcome;
    if (!call.patient()) return tl::unexpected(Refusal{Errc::not_connected, "the session was lost meanwhile"});
  }
}

// For a caller that does not wait: one read shows whether enough permits are free.
std::optional<Refusal> Permits::Place::peek(const Call& call) const {
  const auto* fixed = std::get_if<std::size_t>(&count);
  if (call.patient() || fixed == nullptr) return std::nullopt;
  const auto listed =
      core.ask<spi::Listing>([&](spi::QueueBackend& backend, auto done) { backend.list(leases, std::move(done)); });
  if (!listed) return refusal_of(listed);
  if (would_admit(listed.value, {spi::Mode::permit, *fixed}, call.permits)) return std::nullopt;
  return Refusal{Errc::timed_out,
                 fmt::format("{} of {} permits of {} are taken, and {} were asked for", listed.value.size(), *fixed,
                             leases, call.permits),
                 std::nullopt, listed.value.size()};
}

Outcome Permits::Place::take_turn(Call call) const {
  call.options = {.purpose = std::move(call.options.purpose)};
  auto turn = core.acquire(*turns, std::move(call));
  if (!turn && turn.error().code == Errc::timed_out && turn.error().holder) {
    turn.error().message = fmt::format("timed out: {} waits for permits of {} before us, {} ahead in all",
                                       turn.error().holder->to_string(), leases, turn.error().ahead.value_or(0));
  }
  return turn;
}

// `unreachable`: there was no connection to read the count; a new turn waits until there is.
Outcome Permits::Place::acquire_in_turn(Call call, bool& unreachable) const {
  call.mode = spi::Mode::permit;
  const auto limit = std::make_shared<Limit>(0);
  const auto cohort = core.cohort({{leases, spi::Mode::permit, call.permits, limit}});
  if (const auto* fixed = std::get_if<std::size_t>(&count)) {
    limit->store(*fixed);
    return core.acquire(*cohort, std::move(call));
  }
  const CountWatch watch(core, std::get<std::string>(count), [limit, cohort](std::size_t permits) {
    limit->store(permits);
    cohort->look_again();
  });
  if (auto refusal = watch.ready(call)) {
    unreachable = refusal->code == Errc::not_connected;
    return tl::unexpected(std::move(*refusal));
  }
  return core.acquire(*cohort, std::move(call));
}

}  // namespace holdfast::lock
