// simulation.h -- two clients, one engine and a lossy network, for a while of virtual time, by one seed and in one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client.h"
#include "timeline.h"

namespace holdfast::simulation {

struct Settings {
  std::uint64_t seed = 1;
  Moment faults_for = std::chrono::seconds(60);  // virtual; then all is well, and all has to end
  bool faults = true;
};

struct Result {
  std::vector<std::string> objections{};  // none: all that must be true was
  std::vector<std::string> trace{};
  Counts counts{};
  std::uint64_t lives = 0;  // of clients
  std::uint64_t crashes = 0;
  std::uint64_t events = 0;
  std::uint64_t frames = 0;
  Moment time{0};  // virtual
};

Result simulate(const Settings& settings);

}  // namespace holdfast::simulation
