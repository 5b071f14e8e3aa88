// hold_check.h -- the rules about holds and writes, which are those of cli/demo/hold_check.h, on lines of a history.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "check.h"
#include "cli/demo/hold_check.h"

namespace holdfast::testing {

class HoldCheck {
 public:
  explicit HoldCheck(Report& report) : report_(report) {}

  void see(const HistoryLine& line);
  // When all have been seen.
  void finish();

 private:
  Report& report_;
  std::vector<cli::demo::HoldEvent> events_;
  std::vector<HistoryLine> lines_;  // of the events
};

}  // namespace holdfast::testing
