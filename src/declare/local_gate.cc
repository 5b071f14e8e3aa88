#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <optional>
#include <thread>

#include "base/name_pattern.h"
#include "base/text.h"
#include "base/timed_wait.h"
#include "declare/patterns.h"
#include "holdfast/handlers.h"

namespace holdfast {

// A gate for each name that is wanted right now; the others do not exist. Shared with the passes of holds that outlive the handler.
struct LocalGate::Gates {
  Gates(base::NamePattern pattern, std::size_t most) : names(std::move(pattern)), width(most) {}

  struct Waiter {
    std::condition_variable changed;
    bool let_in = false;
    bool given_up = false;
  };
  struct Inside {
    std::thread::id thread;
    bool bound = false;  // only that thread can leave
  };
  struct Gate {
    std::deque<Waiter*> line;
    std::deque<Inside> inside;
    std::size_t promised = 0;  // let in, and not there yet
  };

  const base::NamePattern names;
  const std::size_t width;
  mutable std::mutex mutex;
  std::map<std::string, Gate, std::less<>> gates;  // guarded by mutex

  // Why not, if not.
  std::optional<AcquireOutcome> enter(const std::string& name, const AcquireRequest& request);
  void leave(const std::string& name, Inside who);

 private:
  // All of these with the mutex.
  void let_in(Gate& gate);
  void tidy(const std::string& name);
};

namespace {

bool endless(const AcquireRequest& request) {
  return request.deadline() == Clock::time_point::max() && !request.stop().stop_possible();
}

}  // namespace

std::optional<AcquireOutcome> LocalGate::Gates::enter(const std::string& name, const AcquireRequest& request) {
  const Inside me{std::this_thread::get_id(), request.bound_to_thread()};
  Waiter waiter;
  auto give_up = [&] {
    const std::lock_guard lock(mutex);
    waiter.given_up = true;
    waiter.changed.notify_one();
  };
  // Destroyed after the lock below is given back: a callback that runs needs it.
  std::optional<std::stop_callback<decltype(give_up)>> when_stopped;
  std::optional<std::stop_callback<decltype(give_up)>> when_closed;
  std::unique_lock lock(mutex);
  auto& gate = gates[name];
  if (gate.line.empty() && gate.inside.size() + gate.promised < width) {
    gate.inside.push_back(me);
    return std::nullopt;
  }
  const auto ahead = gate.inside.size() + gate.promised + gate.line.size();
  const auto busy = [&](std::string_view why) {
    return fmt::format("{}: {} of this program's threads are before us at the gate of {}", why, ahead,
                       base::printable(name));
  };
  if (!request.waits()) return AcquireOutcome(make_error_code(Errc::timed_out), busy("timed out"), std::nullopt, ahead);
  const auto is_me = [&](const Inside& each) { return each.bound && each.thread == me.thread; };
  if (width == 1 && endless(request) && std::any_of(gate.inside.begin(), gate.inside.end(), is_me)) {
    return AcquireOutcome(Errc::deadlock, fmt::format("waiting for {} would never end: this thread holds it", name));
  }
  gate.line.push_back(&waiter);
  lock.unlock();  // if a stop is requested already, the callback runs here
  when_stopped.emplace(request.stop(), give_up);
  when_closed.emplace(request.closed(), give_up);
  lock.lock();
  base::wait_until(waiter.changed, lock, request.deadline(), [&] { return waiter.let_in || waiter.given_up; });
  if (waiter.let_in) {
    --gate.promised;
    gate.inside.push_back(me);
    lock.unlock();
    return std::nullopt;
  }
  std::erase(gate.line, &waiter);
  tidy(name);
  lock.unlock();
  if (!waiter.given_up) return AcquireOutcome(make_error_code(Errc::timed_out), busy("timed out"), std::nullopt, ahead);
  return AcquireOutcome(Errc::cancelled,
                        request.closed().stop_requested() ? "the client was closed" : "the caller asked to stop");
}

void LocalGate::Gates::leave(const std::string& name, Inside who) {
  const std::lock_guard lock(mutex);
  auto& gate = gates.at(name);
  const auto same = [&](const Inside& each) { return each.thread == who.thread && each.bound == who.bound; };
  gate.inside.erase(std::find_if(gate.inside.begin(), gate.inside.end(), same));
  let_in(gate);
  tidy(name);
}

void LocalGate::Gates::let_in(Gate& gate) {
  while (!gate.line.empty() && gate.inside.size() + gate.promised < width) {
    auto* next = gate.line.front();
    gate.line.pop_front();
    ++gate.promised;
    next->let_in = true;
    next->changed.notify_one();
  }
}

void LocalGate::Gates::tidy(const std::string& name) {
  const auto gate = gates.find(name);
  if (gate->second.line.empty() && gate->second.inside.empty() && gate->second.promised == 0) gates.erase(gate);
}

LocalGate::LocalGate(std::string_view pattern, std::size_t width)
    : gates_(std::make_shared<Gates>(declare::parse_pattern(pattern), width)) {
  if (width == 0) throw Error(Errc::invalid_argument, "a gate with a width of 0 lets no thread in; give 1 or more");
}
LocalGate::~LocalGate() = default;

std::size_t LocalGate::waiting() const {
  const std::lock_guard lock(gates_->mutex);
  std::size_t waiting = 0;
  for (const auto& [name, gate] : gates_->gates) waiting += gate.line.size();
  return waiting;
}

AcquireOutcome LocalGate::acquire(const AcquireRequest& request, const AcquireNext& next) {
  if (request.mode() == LockMode::read || request.mode() == LockMode::permit) return next(request);
  // What this acquire has entered, left in any thread.
  struct Pass {
    Pass(std::shared_ptr<Gates> of, Gates::Inside me) : gates(std::move(of)), who(me) {}
    ~Pass() {
      for (const auto& name : names) gates->leave(name, who);
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    const std::shared_ptr<Gates> gates;
    const Gates::Inside who;
    std::vector<std::string> names;
  };
  // In one order, so that no two threads with several names wait for each other.
  auto names = request.names();
  std::erase_if(names, [&](const std::string& name) { return !gates_->names.matches(name); });
  if (names.empty()) return next(request);
  std::sort(names.begin(), names.end());
  const auto pass =
      std::make_shared<Pass>(gates_, Gates::Inside{std::this_thread::get_id(), request.bound_to_thread()});
  pass->names.reserve(names.size());
  for (auto& name : names) {
    if (auto refusal = gates_->enter(name, request)) return std::move(*refusal);
    pass->names.push_back(std::move(name));
  }
  auto outcome = next(request);
  outcome.keep(pass);
  return outcome;
}

}  // namespace holdfast
