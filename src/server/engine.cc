#include "holdfast/engine.h"

#include "holdfast/error.h"
#include "server/engines.h"
#include "server/runtime.h"

namespace holdfast {

class Engine::Impl {
 public:
  explicit Impl(EngineOptions options) {
    auto started = server::start_engine(std::move(options));
    if (!started) throw Error(Errc::refused, started.error());
    runtime = std::move(*started);
  }
  std::shared_ptr<server::Runtime> runtime;
};

Engine::Engine(EngineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Engine::~Engine() {
  if (impl_) stop();
}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&& other) noexcept {
  if (impl_) stop();
  impl_ = std::move(other.impl_);
  return *this;
}

const std::vector<std::string>& Engine::addresses() const noexcept { return impl_->runtime->addresses(); }
std::size_t Engine::sessions() const { return impl_->runtime->sessions(); }
bool Engine::stop_if_unused(std::chrono::milliseconds for_that_long, const std::function<void()>& before) {
  return impl_->runtime->stop_if_unused(for_that_long, before);
}
void Engine::stop() { impl_->runtime->stop(); }
void Engine::stop_now() noexcept { impl_->runtime->stop_now(); }

}  // namespace holdfast
