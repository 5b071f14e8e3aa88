// log.h -- the library's logger: "holdfast" in spdlog's registry if the program registered one before it was first needed, else warnings to
// stderr. In a child of fork() it is looked for anew.
#pragma once

#include <spdlog/logger.h>

namespace holdfast::base {

spdlog::logger& log();

}  // namespace holdfast::base
