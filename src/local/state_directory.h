// state_directory.h -- where the local engine keeps its state, and that nobody else can meddle with it.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/descriptor.h"

namespace holdfast::local {

template <typename T>
using Result = tl::expected<T, std::string>;  // or one sentence

// $XDG_STATE_HOME/holdfast, ~/.local/state/holdfast; the home directory of the password file if there is no HOME.
Result<std::string> state_path();

// Opened, so that a rename meanwhile changes nothing. It is ours, and others cannot write to it.
struct StateDirectory {
  std::string path;
  base::Descriptor fd;

  std::string file(const char* name) const { return path + "/" + name; }
  // A file in it that is not a link; -1 and errno if that fails.
  base::Descriptor open(const char* name, int flags) const;
};

enum class Missing { leave, create };
// Without a descriptor if it is not there and was not to be created.
Result<StateDirectory> open_state_directory(Missing missing);

// Of this process's own errno.
std::string error_text(int error);

}  // namespace holdfast::local
