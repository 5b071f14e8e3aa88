// figures.h -- what is left of many measurements, and how it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::bench {

// Sorts; the value that `fraction` of all are not above. 0 of none.
double percentile(std::vector<double>& values, double fraction);
double median(std::vector<double> values);

// "12,345" from 100 on, "12.3" below: nobody needs more digits of a measurement.
std::string readable(double value);

// Two rivals that took turns: one figure of each per round.
struct Duel {
  std::vector<double> ours{};
  std::vector<double> theirs{};
};

// Of what is better when larger: ours over theirs. Of pairs of neighbouring rounds, so that a machine that becomes
// slower in the course of a run does not count for or against anybody.
struct Ratio {
  double middle = 0;
  double lowest = 0;
  double highest = 0;
};
Ratio ratio_of(const Duel& duel);

// A table in Markdown, printed as it grows.
class Table {
 public:
  explicit Table(const std::vector<std::string>& heads);
  void row(const std::vector<std::string>& cells);
};

// The usual row: work, ours, theirs, ratio (lowest to highest of the rounds), goal.
std::vector<std::string> duel_heads();
std::vector<std::string> duel_row(const std::string& work, const Duel& duel, const std::string& goal);

}  // namespace holdfast::bench
