// safe_path.h -- opening a directory that no other user can put another one in the place of.
//
// The owner of a directory, and those who can write to it, can rename what is in it. So every directory from / on is looked at, and every link
// on the way: each belongs to this user or to root, and is writable by its owner only. One that all can write to is good enough if it is
// sticky, as /tmp is: then what is in it can be renamed by its own owner only. The owner of / is as good as root: inside a user
// namespace root may have another number.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/descriptor.h"

namespace holdfast::local {

template <typename T>
using Result = tl::expected<T, std::string>;  // or one sentence

enum class Missing { leave, create };

// `path` is absolute and not a link itself; what is missing of it is created for this user only. Without a descriptor if it is not there
// and was not to be created. It belongs to this user, and other users cannot write to it.
Result<base::Descriptor> open_safe_directory(const std::string& path, Missing missing);

// Of this process's own errno.
std::string error_text(int error);

}  // namespace holdfast::local
