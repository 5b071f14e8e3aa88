#include "base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <mutex>

#include "base/process.h"

namespace holdfast::base {
namespace {

// spdlog's own sinks share one mutex in the whole program, which may be locked for ever in a child.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
  }
  void flush_() override { (void)std::fflush(stderr); }
};

std::shared_ptr<spdlog::logger> find_or_make() {
  if (auto registered = spdlog::get("holdfast")) return registered;
  auto made = std::make_shared<spdlog::logger>("holdfast", std::make_shared<StderrSink>());
  made->set_level(spdlog::level::warn);
  return made;
}

struct Chosen {
  const std::shared_ptr<spdlog::logger> logger = find_or_make();
};

}  // namespace

spdlog::logger& log() {
  static constinit PerProcess<Chosen> chosen;
  return *chosen.get().logger;
}

}  // namespace holdfast::base
