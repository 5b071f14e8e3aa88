#include "run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"

namespace holdfast::simulation {

Total run_seeds(std::uint64_t seed, std::uint64_t seeds, std::chrono::nanoseconds time) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  Total total;
  while (total.seeds < seeds && Clock::now() - began < time && !total.failed) {
    auto result = simulate({.seed = seed + total.seeds});
    ++total.seeds;
    total.lives += result.lives;
    total.counts.sessions += result.counts.sessions;
    total.counts.acquires += result.counts.acquires;
    total.counts.grants += result.counts.grants;
    total.counts.timeouts += result.counts.timeouts;
    total.counts.refusals += result.counts.refusals;
    total.counts.losses += result.counts.losses;
    total.crashes += result.crashes;
    total.events += result.events;
    total.frames += result.frames;
    total.time += result.time;
    if (!result.objections.empty()) {
      total.failed = seed + total.seeds - 1;
      total.failure = std::move(result);
    }
  }
  total.took = Clock::now() - began;
  return total;
}

std::string summary(const Total& total) {
  const auto seconds = std::max(1e-9, std::chrono::duration<double>(total.took).count());
  const auto& counts = total.counts;
  return fmt::format(
      "{} seeds in {:.1f} s: {:.0f} s of virtual time ({:.0f} times as fast), {} events, {} frames\n"
      "{} sessions ({:.0f} a second) of {} clients, {} crashes of the engine\n"
      "{} acquires: {} granted, {} not in time, {} refused; {} holds lost\n",
      total.seeds, seconds, std::chrono::duration<double>(total.time).count(),
      std::chrono::duration<double>(total.time).count() / seconds, total.events, total.frames, counts.sessions,
      static_cast<double>(counts.sessions) / seconds, total.lives, total.crashes, counts.acquires, counts.grants,
      counts.timeouts, counts.refusals, counts.losses);
}

std::string story(const Total& total, std::size_t lines) {
  if (!total.failed) return {};
  const auto& trace = total.failure.trace;
  std::string text =
      fmt::format("seed {} (script/simulation --seed {} runs it again):\n", *total.failed, *total.failed);
  for (auto i = trace.size() - std::min(trace.size(), lines); i < trace.size(); ++i) text += trace[i] + "\n";
  return text;
}

void be_quiet() { base::log().set_level(spdlog::level::off); }

}  // namespace holdfast::simulation
