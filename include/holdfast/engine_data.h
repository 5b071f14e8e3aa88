// engine_data.h -- the directories of an engine, for the operator: are they whole, and a way on if they are not.
//
// An engine refuses to start where it can be shown that something is damaged or missing. Restore the directories from a copy then; only if
// there is none, accept the loss. docs/operating.md has both, step by step. Throws holdfast::Error, with one sentence.
#pragma once

#include <string>
#include <vector>

#include "holdfast/language.h"

namespace holdfast {

struct EngineDataReport {
  // Nothing is damaged or missing. What a crash leaves at the end of the log is neither.
  bool whole = false;
  // What is there, file by file; the last line is the verdict.
  std::vector<std::string> lines;
};

// Reads everything, changes nothing. Also beside an engine that runs. `log_dir` as in EngineOptions.
EngineDataReport check_engine_data(const std::string& data_dir, const std::string& log_dir = {});

// Makes the directories whole by leaving out what is damaged or missing; files that are left out are kept as *.damaged. Raises what
// tokens begin with, so that none is given out twice even if the directories are an older copy: do this as well after a copy was
// restored. The lines say what was lost. Not while an engine runs.
EngineDataReport accept_engine_data_loss(const std::string& data_dir, const std::string& log_dir = {});

}  // namespace holdfast
