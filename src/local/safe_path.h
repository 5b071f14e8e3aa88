// safe_path.h -- opens a directory that no other user can replace.
//
// The owner of a directory, and every user that can write to it, can rename what is in it. So every directory from / on is checked, and every
// link on the way: each must belong to this user or to root, and only its owner may write to it. A directory that all may write to is accepted
// if it is sticky, as /tmp is: then only its owner can rename an entry. The owner of / counts as root: inside a user namespace root may have
// another number.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/descriptor.h"

namespace holdfast::local {

template <typename T>
using Result = tl::expected<T, std::string>;  // or one sentence

enum class Missing { leave, create };

// `path` is absolute and not a link itself; missing parts are created for this user only. Without a descriptor if it does not exist
// and was not to be created. It belongs to this user, and other users cannot write to it.
Result<base::Descriptor> open_safe_directory(const std::string& path, Missing missing);

// The text of an errno.
std::string error_text(int error);

}  // namespace holdfast::local
