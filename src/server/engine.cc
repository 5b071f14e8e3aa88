#include "holdfast/engine.h"

#include "base/process.h"
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
  base::Birthplace made;
};

Engine::Engine(EngineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Engine::~Engine() { stop(); }
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&& other) noexcept {
  if (this == &other) return *this;
  stop();
  impl_ = std::move(other.impl_);
  return *this;
}

server::Runtime& Engine::runtime() const {
  if (!impl_) throw Error(Errc::invalid_argument, "this engine was moved from; use the one that it was moved to");
  if (!impl_->made.is_here()) {
    throw Error(Errc::forked, "this engine runs in the process that called fork(); start a new one in the child");
  }
  return *impl_->runtime;
}

const std::vector<std::string>& Engine::addresses() const noexcept {
  static const std::vector<std::string> none;
  return impl_ ? impl_->runtime->addresses() : none;
}
std::size_t Engine::sessions() const { return runtime().sessions(); }
bool Engine::stop_if_unused(std::chrono::milliseconds for_that_long, const std::function<void()>& before) {
  return runtime().stop_if_unused(for_that_long, before);
}
void Engine::stop() {
  if (impl_ && impl_->made.is_here()) impl_->runtime->stop();
}
void Engine::stop_now() noexcept {
  if (impl_ && impl_->made.is_here()) impl_->runtime->stop_now();
}

}  // namespace holdfast
