#include "local/engine_process.h"

#include "local/announcement.h"

namespace holdfast::local {

bool is_engine_of(const std::string& state_directory, pid_t pid) {
  if (!state_directory.starts_with('/')) return false;
  auto opened = open_safe_directory(state_directory, Missing::leave);
  if (!opened || !*opened) return false;
  const auto found = find(StateDirectory{state_directory, *std::move(opened)});
  return found && *found && (*found)->engine().pid == pid;
}

}  // namespace holdfast::local
