#include "server/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <random>
#include <utility>

#include "base/log.h"
#include "engine/engine.h"
#include "server/listener.h"
#include "server/recovery.h"
#include "server/service.h"
#include "server/threaded_loop.h"
#include "store/posix_disk.h"
#include "store/store.h"

namespace holdfast::server {
namespace {

// For clients to read their last answers when the engine stops.
constexpr auto kDrain = std::chrono::seconds(1);
constexpr auto kDrainLook = std::chrono::milliseconds(2);

std::string objection_to(const EngineOptions& options) {
  if (options.tick_time.count() <= 0) return "tick_time must be positive";
  if (options.container_check_interval.count() <= 0) return "container_check_interval must be positive";
  if (options.max_session_timeout.count() > 0 && options.max_session_timeout < options.min_session_timeout) {
    return fmt::format("max_session_timeout ({} ms) must not be less than min_session_timeout ({} ms)",
                       options.max_session_timeout.count(), options.min_session_timeout.count());
  }
  if (options.snapshots_kept == 0) return "snapshots_kept must be at least 1";
  if (!options.log_dir.empty() && options.data_dir.empty()) return "log_dir makes no sense without data_dir";
  return {};
}

// Another one in every life, and known to no client.
base::HashKey random_key() {
  std::random_device random;
  const auto half = [&] { return std::uint64_t{random()} << 32 | random(); };
  return {half(), half()};
}

}  // namespace

// Destroyed from the bottom up: sockets, service, store, state.
class Runtime::Impl {
 public:
  Impl(EngineOptions options, store::Disk* disk)
      : options_(std::move(options)),
        disk_(disk == nullptr ? machine_ : *disk),
        engine_(rules_of(options_), random_key()) {}

  std::string start() {
    if (auto objection = objection_to(options_); !objection.empty()) return objection;
    if (!options_.data_dir.empty()) {
      auto recovered = recover(engine_, disk_, options_, loop_.now());
      if (!recovered) return std::move(recovered.error());
      store_ = std::move(*recovered);
    }
    service_ = std::make_unique<Service>(loop_, options_, engine_, store_.get());
    auto listener = Listener::open(loop_.context(), *service_, options_, [this](std::string_view word) {
      auto report = service_->report(word);
      // As they are, where the kernel chose.
      report.configuration.client_port = listener_->port(false);
      report.configuration.secure_client_port = listener_->port(true);
      return report;
    });
    if (!listener) return listener.error();
    listener_ = std::move(*listener);
    addresses_ = listener_->addresses();
    loop_.start();
    running_ = true;
    return {};
  }

  void post(std::function<void(Service&)> function) {
    loop_.post([this, function = std::move(function)] {
      if (service_) function(*service_);
    });
  }

  void stop() {
    const std::lock_guard lock(stop_mutex_);
    if (!std::exchange(running_, false)) return;
    loop_.post([this] { begin_stop(); });
    loop_.join();
  }

  std::size_t sessions() {
    const std::lock_guard lock(stop_mutex_);
    if (!running_) return 0;
    return ask<std::size_t>([this] { return engine_.sessions().size(); });
  }

  bool stop_if_unused(std::chrono::milliseconds for_that_long, const std::function<void()>& before) {
    const std::lock_guard lock(stop_mutex_);
    if (!running_) return true;
    const bool stops = ask<bool>([this, for_that_long, &before] {
      const auto unused_for = service_->unused_for();
      const bool unused = unused_for && *unused_for >= for_that_long;
      if (unused && before) before();
      if (unused) begin_stop();
      return unused;
    });
    if (stops) {
      running_ = false;
      loop_.join();
    }
    return stops;
  }

  void stop_now() {
    const std::lock_guard lock(stop_mutex_);
    if (!std::exchange(running_, false)) return;
    loop_.post([this] { end(); });
    loop_.join();
  }

  bool stopped() const { return stopped_; }
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  // Answered in the loop. The caller has stop_mutex_, so that it runs.
  template <class Answer>
  Answer ask(std::function<Answer()> question) {
    const auto answer = std::make_shared<std::promise<Answer>>();
    loop_.post([answer, question = std::move(question)] { answer->set_value(question()); });
    return answer->get_future().get();
  }

  // In the loop.
  void begin_stop() {
    // Not inside its own call.
    service_->stop([this] { loop_.post([this] { drain(loop_.now() + kDrain); }); });
  }

  // The last answers leave, unless a client does not read them.
  void drain(engine::Moment deadline) {
    if (listener_->connections() > 0 && loop_.now() < deadline) {
      return loop_.at(loop_.now() + kDrainLook, [this, deadline] { drain(deadline); });
    }
    if (store_) {
      if (const auto closed = store_->close(); !closed) base::log().error("{}", closed.error().message);
    }
    end();
  }

  // In the loop; nothing of it runs after this.
  void end() {
    listener_.reset();
    service_.reset();
    store_.reset();
    stopped_ = true;
    loop_.context().stop();
  }

  const EngineOptions options_;
  std::vector<std::string> addresses_;
  store::PosixDisk machine_;
  store::Disk& disk_;
  engine::Engine engine_;
  std::unique_ptr<store::Store> store_;
  ThreadedLoop loop_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Listener> listener_;
  std::atomic<bool> stopped_ = false;
  std::mutex stop_mutex_;
  bool running_ = false;  // guarded by stop_mutex_
};

Runtime::Runtime(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Runtime::~Runtime() { stop_now(); }

tl::expected<std::unique_ptr<Runtime>, std::string> Runtime::start(EngineOptions options, store::Disk* disk) {
  auto impl = std::make_unique<Impl>(std::move(options), disk);
  if (auto trouble = impl->start(); !trouble.empty()) return tl::unexpected(std::move(trouble));
  return std::unique_ptr<Runtime>(new Runtime(std::move(impl)));
}

const std::vector<std::string>& Runtime::addresses() const noexcept { return impl_->addresses(); }
void Runtime::post(std::function<void(Service&)> function) { impl_->post(std::move(function)); }
bool Runtime::stopped() const noexcept { return impl_->stopped(); }
std::size_t Runtime::sessions() { return impl_->sessions(); }
bool Runtime::stop_if_unused(std::chrono::milliseconds for_that_long, const std::function<void()>& before) {
  return impl_->stop_if_unused(for_that_long, before);
}
void Runtime::stop() { impl_->stop(); }
void Runtime::stop_now() noexcept { impl_->stop_now(); }

}  // namespace holdfast::server
