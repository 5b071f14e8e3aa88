#include "server/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <random>
#include <utility>

#include "base/log.h"
#include "engine/engine.h"
#include "server/listener.h"
#include "server/loop.h"
#include "server/now.h"
#include "server/service.h"
#include "store/posix_disk.h"
#include "store/store.h"

namespace holdfast::server {
namespace {

// For clients to read their last answers when the engine stops.
constexpr auto kDrain = std::chrono::seconds(1);
constexpr auto kDrainLook = std::chrono::milliseconds(2);

class EngineRecovery final : public store::Recovery {
 public:
  explicit EngineRecovery(engine::Engine& engine) : engine_(engine) {}

  tl::expected<void, std::string> snapshot_record(std::string_view bytes) override {
    if (engine_.restore(bytes, monotonic_time())) return {};
    return tl::unexpected(std::string("is no node or session that this version knows"));
  }
  tl::expected<void, std::string> log_record(store::Index, std::string_view bytes) override {
    if (engine_.replay(bytes, monotonic_time())) return {};
    return tl::unexpected(std::string("is no change that this version knows"));
  }

 private:
  engine::Engine& engine_;
};

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

// A request changes little more than what it brings along.
constexpr std::size_t kTransactionPerFrame = 4;
// Half of what a record may be: the other half is room for all that is in there beside paths, data and names.
constexpr std::size_t kLongestTransaction = store::kRecordLimit / 2;
static_assert(engine::Rules{}.ephemeral_bytes <= kLongestTransaction);

// Bytes are wrong or missing, and not only out of reach: the operator has to decide.
std::string with_next_step(const store::Failure& failure) {
  if (failure.error) return failure.message;
  return failure.message + " (holdfast server --check DIR shows what is there; docs/operating.md says what to do)";
}

// Another one in every life, and known to nobody.
base::HashKey random_key() {
  std::random_device random;
  const auto half = [&] { return std::uint64_t{random()} << 32 | random(); };
  return {half(), half()};
}

engine::Rules rules_of(const EngineOptions& options) {
  return {
      .ttl_nodes = options.ttl_nodes,
      .path_depth = options.limits.path_depth,
      .answer = options.limits.answer,
      .watches = options.limits.watches,
      .watches_per_session = options.limits.watches_per_session,
      .transaction = std::min(options.limits.frame, kLongestTransaction / kTransactionPerFrame) * kTransactionPerFrame};
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
      if (auto trouble = recover(); !trouble.empty()) return trouble;
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
    asio::post(loop_.context(), [this, function = std::move(function)] {
      if (service_) function(*service_);
    });
  }

  void stop() {
    const std::lock_guard lock(stop_mutex_);
    if (!std::exchange(running_, false)) return;
    asio::post(loop_.context(), [this] { begin_stop(); });
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
    asio::post(loop_.context(), [this] { end(); });
    loop_.join();
  }

  bool stopped() const { return stopped_; }
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  // Answered in the loop. The caller has stop_mutex_, so that it runs.
  template <class Answer>
  Answer ask(std::function<Answer()> question) {
    const auto answer = std::make_shared<std::promise<Answer>>();
    asio::post(loop_.context(), [answer, question = std::move(question)] { answer->set_value(question()); });
    return answer->get_future().get();
  }

  // In the loop.
  void begin_stop() {
    // Not inside its own call.
    service_->stop(
        [this] { asio::post(loop_.context(), [this] { drain(std::chrono::steady_clock::now() + kDrain); }); });
  }

  std::string recover() {
    EngineRecovery recovery(engine_);
    auto opened = store::Store::open(
        disk_,
        {.data_directory = options_.data_dir,
         .log_directory = options_.log_dir,
         .durability = options_.durability == Durability::power ? store::Durability::power : store::Durability::process,
         .snapshots_kept = options_.snapshots_kept},
        recovery);
    if (!opened) return with_next_step(opened.error());
    store_ = std::move(*opened);
    return {};
  }

  // The last answers leave, unless somebody does not read them.
  void drain(std::chrono::steady_clock::time_point deadline) {
    if (listener_->connections() > 0 && std::chrono::steady_clock::now() < deadline) {
      auto timer = std::make_shared<asio::steady_timer>(loop_.context(), kDrainLook);
      return timer->async_wait([this, timer, deadline](const std::error_code&) { drain(deadline); });
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
  Loop loop_;
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
