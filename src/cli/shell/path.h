// path.h -- where a node is, as a person types it.
#pragma once

#include <string>
#include <string_view>

#include "cli/config/setting_value.h"

namespace holdfast::cli::shell {

// "/a/" is "/a". Or what is wrong with it. What characters a name may have is the server's to say.
Parsed<std::string> read_path(std::string_view text);

// Of a sequential node: the server puts a number after it, so "/a/" is something else than "/a".
Parsed<std::string> read_sequential_path(std::string_view text);

std::string child_of(std::string_view parent, std::string_view name);
// "/" of what has none.
std::string parent_of(std::string_view path);

}  // namespace holdfast::cli::shell
