// state_directory.h -- where the local engine keeps its state, and that no other user can meddle with it.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "local/safe_path.h"

namespace holdfast::local {

// $HOLDFAST_STATE_DIR, else .local/state/holdfast in the home directory of this user. That is the one in the password database, not $HOME,
// and XDG_STATE_HOME does not count either: cron, sudo and service managers set those as they like, and everything that one user runs is
// to meet at one engine.
Result<std::string> state_path();

// Opened, so that a rename meanwhile changes nothing. It is ours, and other users can neither write to it nor put another in its place.
struct StateDirectory {
  std::string path;
  base::Descriptor fd;

  std::string file(const char* name) const { return path + "/" + name; }
  // A file in it that is not a link; -1 and errno if that fails.
  base::Descriptor open(const char* name, int flags) const;
};

// Without a descriptor if it is not there and was not to be created. A home directory is never created.
Result<StateDirectory> open_state_directory(Missing missing);

}  // namespace holdfast::local
