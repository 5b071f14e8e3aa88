// failures.h -- the sentences of a Failure, in one form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "store/failure.h"

namespace holdfast::store {

// What to do when bytes are gone that were there.
inline constexpr std::string_view kRestore = "restore the store from a copy";

// "/var/lib/x/log.01: cannot be written: No space left on device"
Failure cannot(std::string_view verb, const std::string& file, std::error_code error);

// "/var/lib/x/log.01: at offset 4711 <what>"
Failure damaged(const std::string& file, std::uint64_t offset, std::string_view what);

// "/var/lib/x: <what>": the files are whole, but do not fit together.
Failure unfit(const std::string& file, std::string_view what);

}  // namespace holdfast::store
