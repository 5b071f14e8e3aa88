// fault_plan.h -- which fault comes when. A pure function of the seed; what a fault hits also depends on the run.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace holdfast::testing {

enum class FaultKind {
  kill,            // kill -9, and later a new process of that client
  stop,            // SIGSTOP for longer than the session, then SIGCONT
  cut,             // its connections end
  black_hole,      // nothing arrives for longer than the session, in one or both directions
  server_restart,  // kill -9 of the server, then a start on the same data and port
};
inline constexpr std::array kFaultKinds{FaultKind::kill, FaultKind::stop, FaultKind::cut, FaultKind::black_hole,
                                        FaultKind::server_restart};

std::string_view to_string(FaultKind kind) noexcept;

// Which way a black hole swallows.
enum class Way { both, to_server, to_client };

struct Fault {
  FaultKind kind = FaultKind::cut;
  std::chrono::milliseconds after{};     // the fault before
  std::chrono::milliseconds duration{};  // until it is over
  bool at_holder = false;                // whoever holds then, otherwise `victim`
  std::size_t victim = 0;                // or the next client that has no trouble yet
  Way way = Way::both;                   // black_hole only
};

class FaultPlan {
 public:
  FaultPlan(std::uint64_t seed, std::size_t clients, std::chrono::milliseconds session);

  // Every kind comes in each kHand faults, so that a short run has all of them.
  Fault next();
  static constexpr std::size_t kHand = 8;

 private:
  std::int64_t draw(std::int64_t from, std::int64_t to);

  std::mt19937_64 random_;
  std::size_t clients_;
  std::chrono::milliseconds session_;
  std::vector<FaultKind> deck_;
};

}  // namespace holdfast::testing
