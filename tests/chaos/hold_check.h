// hold_check.h -- the rules about holds and writes: who may write when.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "check.h"
#include "holdfast/fence.h"

namespace holdfast::testing {

class HoldCheck {
 public:
  explicit HoldCheck(Report& report) : report_(report) {}

  void see(const HistoryLine& line);
  // When all have been seen.
  void finish();

 private:
  // A process of a client, "c0/1", and the token granted to it.
  using Section = std::pair<std::string, Token>;

  // Nobody else may be granted between `from` and `until`.
  struct Hold {
    HistoryLine granted;
    double from = 0;
    double promised = 0;                  // the latest valid_until that it was told
    std::optional<double> released{};     // when it began to release
    HistoryLine promise{};                // the line that told it
    std::optional<HistoryLine> wrote{};   // its last admitted write
    std::optional<HistoryLine> closed{};  // the first admitted write of somebody else after that
    double until() const { return released && *released < promised ? *released : promised; }
  };

  void see_grant(const Section& section, const HistoryLine& line);
  void see_write(const Section& section, const HistoryLine& line);
  void promise(Hold& hold, const HistoryLine& line);
  void blame(std::string rule, std::string what, std::vector<HistoryLine> lines);

  Report& report_;
  std::map<Section, Hold> holds_;
  std::map<Token, Section> owners_;
  std::optional<HistoryLine> largest_;  // the admitted write with the largest token
  std::optional<Section> writing_;      // the section of the last admitted write
};

}  // namespace holdfast::testing
