// log.h -- the library's logger: "holdfast" in spdlog's registry if the program registered one, else warnings to stderr.
#pragma once

#include <spdlog/logger.h>

namespace holdfast::base {

spdlog::logger& log();

}  // namespace holdfast::base
