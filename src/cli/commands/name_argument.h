// name_argument.h -- a name of a lock, as it was typed. Checked before any server is connected to.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

// The name as it is meant. Throws Error(invalid_argument).
std::string name_argument(std::string_view name);

// A name below which to look. Empty, or a slash alone: everywhere.
std::string root_argument(std::string_view root);

}  // namespace holdfast::cli
