// runtime.h -- a running engine: recovered state, service, sockets, and the thread they live in.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/engine.h"

namespace holdfast::store {
class Disk;
}

namespace holdfast::server {

class Service;

class Runtime {
 public:
  // Or one sentence that says what is wrong.
  // `disk`: another than the machine's, which must outlive the runtime.
  static tl::expected<std::unique_ptr<Runtime>, std::string> start(EngineOptions options, store::Disk* disk = nullptr);
  // stop_now(), unless stopped before.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const std::vector<std::string>& addresses() const noexcept;

  // In the service's thread, in the order of the calls. Never, if it has been stopped.
  void post(std::function<void(Service&)> function);

  // Nothing that is posted runs any more, and its directory is free.
  bool stopped() const noexcept;

  // See holdfast::Engine.
  std::size_t sessions();
  bool stop_if_unused(std::chrono::milliseconds for_that_long, const std::function<void()>& before);
  void stop();
  void stop_now() noexcept;

 private:
  class Impl;
  explicit Runtime(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::server
