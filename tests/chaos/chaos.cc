#include "chaos.h"

#include <algorithm>
#include <thread>

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// The others must be able to make progress, or the run would only show that nothing happens.
constexpr auto kMostInTrouble = 2;
// How exactly faults keep their moments, and how soon one that could not be done is tried again.
constexpr auto kStep = 5ms;

}  // namespace

void Chaos::run_until(Clock::time_point end) {
  Fault fault = plan_.next();
  auto when = Clock::now() + fault.after;
  while (Clock::now() < end) {
    std::this_thread::sleep_for(kStep);  // the moments of the faults are the run's input
    do_what_is_due();
    if (Clock::now() < when || !strike(fault)) continue;
    fault = plan_.next();
    when = Clock::now() + fault.after;
  }
}

void Chaos::do_what_is_due() {
  while (!ends_.empty() && ends_.begin()->first <= Clock::now()) {
    const auto end = std::move(ends_.begin()->second);
    ends_.erase(ends_.begin());
    end();
  }
}

void Chaos::heal() {
  while (!ends_.empty()) {
    const auto end = std::move(ends_.begin()->second);
    ends_.erase(ends_.begin());
    end();
  }
}

Member* Chaos::choose(const Fault& fault) {
  const auto in_trouble = std::count_if(crew_.begin(), crew_.end(), [](const auto& each) { return each->troubled; });
  if (in_trouble >= kMostInTrouble) return nullptr;
  if (fault.at_holder) {
    const auto holder =
        std::find_if(crew_.begin(), crew_.end(), [](const auto& each) { return each->holding() && !each->troubled; });
    if (holder != crew_.end()) return holder->get();
    // Only stops lie in wait, for the sake of late writes. If all did, no holder would ever get to its end.
    if (fault.kind == FaultKind::stop) return nullptr;
  }
  for (std::size_t i = 0; i < crew_.size(); ++i) {
    Member& candidate = *crew_[(fault.victim + i) % crew_.size()];
    if (!candidate.troubled) return &candidate;
  }
  return nullptr;
}

bool Chaos::strike(const Fault& fault) {
  if (fault.kind == FaultKind::server_restart) {
    if (!service_.up()) return false;
    strike_server(fault);
    return true;
  }
  Member* const victim = choose(fault);
  if (victim == nullptr) return false;
  strike_member(fault, *victim);
  return true;
}

void Chaos::strike_server(const Fault& fault) {
  const std::string name(to_string(fault.kind));
  history_.add("driver", {{"what", "fault"}, {"fault", name}, {"for_ms", fault.duration.count()}});
  service_.kill();
  ends_.emplace(Clock::now() + fault.duration, [this, name] {
    service_.restart();
    history_.add("driver", {{"what", "fault_over"}, {"fault", name}});
  });
}

void Chaos::strike_member(const Fault& fault, Member& victim) {
  const std::string name(to_string(fault.kind));
  history_.add("driver", {{"what", "fault"},
                          {"fault", name},
                          {"client", victim.name()},
                          {"for_ms", fault.duration.count()},
                          {"holding", victim.holding()}});
  std::function<void()> end;
  switch (fault.kind) {
    case FaultKind::kill:
      victim.kill();
      end = [&victim] { victim.start(); };
      break;
    case FaultKind::stop:
      victim.pause();
      end = [&victim] { victim.resume(); };
      break;
    case FaultKind::black_hole:
      victim.line().swallow(fault.way);
      end = [&victim] { victim.line().heal(); };
      break;
    case FaultKind::cut: victim.line().cut_all(); return;
    case FaultKind::server_restart: return;
  }
  victim.line().clear();
  victim.troubled = true;
  ends_.emplace(Clock::now() + fault.duration, [this, name, &victim, end = std::move(end)] {
    end();
    victim.troubled = false;
    history_.add("driver", {{"what", "fault_over"}, {"fault", name}, {"client", victim.name()}});
  });
}

}  // namespace holdfast::testing
