#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace holdfast::base {

spdlog::logger& log() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    if (auto registered = spdlog::get("holdfast")) return registered;
    auto made = std::make_shared<spdlog::logger>("holdfast", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_level(spdlog::level::warn);
    return made;
  }();
  return *logger;
}

}  // namespace holdfast::base
