// auth_file.h -- who may use a server started with --require-auth: one user:base64(sha1(user:password)) per line.
//
// Empty lines and lines that begin with # are skipped. A hash of SHA-1 is quickly guessed from, so a file that others can
// read is refused.
#pragma once

#include <string>
#include <vector>

#include "cli/config/setting_value.h"

namespace holdfast::cli {

// Or one sentence with file and line; it never quotes a hash.
Parsed<std::vector<std::string>> read_auth_file(const std::string& file);

}  // namespace holdfast::cli
