// transcript.h -- what one server did with a script, so written that another's can be compared word by word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "script.h"

namespace holdfast::testing {

// Around what differs from server to server, until settle().
inline constexpr char kMarkBegin = '\1';
inline constexpr char kMarkEnd = '\2';

struct StepRecord {
  // What each slot received, in order.
  std::array<std::vector<std::string>, kSlots> received{};

  bool operator==(const StepRecord&) const = default;
};

struct Transcript {
  std::vector<StepRecord> steps{};

  // Zxids become their rank among all that were seen, sessions their number in order of appearance.
  void settle();
};

// The index of the first step that differs.
std::optional<std::size_t> first_difference(const Transcript& left, const Transcript& right);

// The difference in words: the step, both answers, and the steps before it.
std::string difference_text(const std::vector<Step>& script, const Transcript& left, const Transcript& right,
                            std::size_t step);

}  // namespace holdfast::testing
