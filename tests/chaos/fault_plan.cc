#include "fault_plan.h"

#include <utility>

namespace holdfast::testing {
namespace {

using std::chrono::milliseconds;

// Faults overlap: most last longer than the time to the next one.
constexpr milliseconds kSoonest{500};
constexpr milliseconds kLatest{2'000};

// A stop of the holder is what fences are for. A restart of the server gives every session its full time again, also
// those of the dead, and little happens for a while.
constexpr std::array<FaultKind, FaultPlan::kHand> kDeck{
    FaultKind::kill, FaultKind::kill,       FaultKind::stop,       FaultKind::stop,
    FaultKind::cut,  FaultKind::black_hole, FaultKind::black_hole, FaultKind::server_restart};

}  // namespace

std::string_view to_string(FaultKind kind) noexcept {
  switch (kind) {
    case FaultKind::kill: return "kill";
    case FaultKind::stop: return "stop";
    case FaultKind::cut: return "cut";
    case FaultKind::black_hole: return "black_hole";
    case FaultKind::server_restart: return "server_restart";
  }
  return "unknown";
}

FaultPlan::FaultPlan(std::uint64_t seed, std::size_t clients, milliseconds session)
    : random_(seed), clients_(clients), session_(session) {}

// Not std::uniform_int_distribution and std::shuffle, which every library does in its own way: a seed means the same
// everywhere. The bias of the remainder is of no interest here.
std::int64_t FaultPlan::draw(std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(to - from + 1));
}

Fault FaultPlan::next() {
  if (deck_.empty()) {
    deck_.assign(kDeck.begin(), kDeck.end());
    for (std::size_t i = deck_.size() - 1; i > 0; --i) {
      std::swap(deck_[i], deck_[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(i)))]);
    }
  }
  Fault fault;
  fault.kind = deck_.back();
  deck_.pop_back();
  fault.after = milliseconds(draw(kSoonest.count(), kLatest.count()));
  fault.at_holder = draw(0, 3) > (fault.kind == FaultKind::stop ? 0 : 1);
  fault.victim = static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(clients_) - 1));
  fault.way = static_cast<Way>(draw(0, 2));
  // In tenths of the session. The server expires one up to a tick late, and a tick is a tenth of it.
  const auto tenths = draw(13, 20);
  switch (fault.kind) {
    case FaultKind::stop:
    case FaultKind::black_hole: fault.duration = session_ * tenths / 10; break;
    case FaultKind::kill:
    case FaultKind::server_restart: fault.duration = milliseconds(draw(100, 1'000)); break;
    case FaultKind::cut: break;
  }
  return fault;
}

}  // namespace holdfast::testing
