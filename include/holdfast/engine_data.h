// engine_data.h -- the directories of an engine, for the operator: whether they are whole, and what to do if they are not.
//
// An engine refuses to start if it can be shown that something is damaged or missing. Then restore the directories from a copy; only if there
// is none, accept the loss. docs/operating.md has both, step by step.
//
// Example:
//
//   const auto report = holdfast::check_engine_data(directory);
//   for (const auto& line : report.lines) std::cout << line << "\n";
//   if (!report.whole) return;
//
// Both functions read every file once, and throw Error with one sentence if they cannot do their work: a directory that cannot be read, an
// engine that runs (the second one).
#pragma once

#include <string>
#include <vector>

#include "holdfast/language.h"

namespace holdfast {

struct EngineDataReport {
  // Nothing is damaged or missing. An incomplete record at the end of the log, as a crash leaves it, does not count.
  bool whole = false;
  // The files, one per line; the last line is the verdict.
  std::vector<std::string> lines;
};

// Changes nothing, and may be called while an engine runs there. `log_dir` as in EngineOptions.
EngineDataReport check_engine_data(const std::string& data_dir, const std::string& log_dir = {});

// Makes the directories whole by leaving out what is damaged or missing; files that are left out are kept as *.damaged. The lines say what
// was lost. Also raises the number at which tokens go on, so that no token is given out twice: do this after a copy was restored, too. Not
// while an engine runs there.
EngineDataReport accept_engine_data_loss(const std::string& data_dir, const std::string& log_dir = {});

}  // namespace holdfast
