#include "cli/run/shared_engine.h"

#include <algorithm>
#include <string>

#include "local/engine_process.h"

namespace holdfast::cli {
namespace {

// spawn_engine() always sets it for the engine.
constexpr std::string_view kStateDirectory = "HOLDFAST_STATE_DIR=";

// The variables are separated by zeros.
std::string state_directory_in(const std::string& environment) {
  for (std::size_t begin = 0; begin < environment.size();) {
    const auto end = std::min(environment.find('\0', begin), environment.size());
    const auto variable = std::string_view(environment).substr(begin, end - begin);
    if (variable.starts_with(kStateDirectory)) return std::string(variable.substr(kStateDirectory.size()));
    begin = end + 1;
  }
  return {};
}

bool is_shared_engine(const ProcessInfo& process, std::string_view run_id) {
  if (!may_be_shared_engine(process)) return false;
  const auto environment = environment_of(process.pid);
  if (environment.find(run_id) != std::string::npos) return false;
  return local::is_engine_of(state_directory_in(environment), process.pid);
}

}  // namespace

bool may_be_shared_engine(const ProcessInfo& process) { return process.name == local::kEngineProcessName; }

std::vector<ProcessInfo> to_be_ended(std::vector<ProcessInfo> below, std::string_view run_id) {
  if (std::none_of(below.begin(), below.end(), may_be_shared_engine)) return below;
  const bool others_first = std::any_of(below.begin(), below.end(), [](const ProcessInfo& process) {
    return !may_be_shared_engine(process) && can_be_killed(process.pid);
  });
  std::erase_if(below, [&](const ProcessInfo& process) {
    return others_first ? may_be_shared_engine(process) : is_shared_engine(process, run_id);
  });
  return below;
}

bool only_shared_engine_left(std::string_view run_id) {
  const auto children = own_children();
  if (!children) return false;
  std::vector<ProcessInfo> found;
  std::transform(children->begin(), children->end(), std::back_inserter(found), process_info);
  if (!std::all_of(found.begin(), found.end(), may_be_shared_engine)) return false;
  return std::all_of(found.begin(), found.end(), [&](const ProcessInfo& process) {
    return is_shared_engine(process, run_id) && descendants_of(process.pid).empty();
  });
}

}  // namespace holdfast::cli
