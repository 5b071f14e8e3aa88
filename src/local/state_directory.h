// state_directory.h -- where the local engine keeps its state, safe from other users.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "local/safe_path.h"

namespace holdfast::local {

// $HOLDFAST_STATE_DIR, else .local/state/holdfast in the home directory of this user, as the password database has it. $HOME and XDG_STATE_HOME
// do not count: cron, sudo and service managers set them differently, and all processes of one user have to find one engine.
Result<std::string> state_path();

// Kept open, so that a rename changes nothing. It belongs to this user; other users can neither write to it nor replace it.
struct StateDirectory {
  std::string path;
  base::Descriptor fd;

  std::string file(const char* name) const { return path + "/" + name; }
  // A file in it that is not a link; -1 and errno if that fails.
  base::Descriptor open(const char* name, int flags) const;
};

// Without a descriptor if it does not exist and was not to be created. A home directory is never created.
Result<StateDirectory> open_state_directory(Missing missing);

}  // namespace holdfast::local
