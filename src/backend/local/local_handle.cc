#include "backend/local/local_handle.h"

#include <thread>
#include <utility>

#include "base/log.h"

namespace holdfast::local {
namespace {

// Between two looks at whether the engine lives, while there is no connection. A look is one system call.
constexpr auto kLookAgain = std::chrono::milliseconds(20);
// After an engine could not be found nor started.
constexpr auto kSearchAgain = std::chrono::seconds(1);

}  // namespace

// Shared with the thread that searches, which nobody waits for.
struct LocalHandle::Search {
  std::mutex mutex;
  spi::Executor* executor;  // none once nobody wants to know
};

LocalHandle::LocalHandle(FoundPtr first, std::chrono::milliseconds patience, spi::Executor& executor,
                         zookeeper::HandleOptions options, Events events)
    : LibraryHandle(executor, std::move(options),
                    {[this](int state, auto session, auto timeout) { on_session(state, session, timeout); },
                     [this](auto watch, int type) {
                       if (connected_) told_.watch(watch, type);
                     }}),
      engine_(std::move(first)),
      patience_(patience),
      told_(std::move(events)) {}

LocalHandle::~LocalHandle() { stop_search(); }

std::string LocalHandle::open(const std::string&) {
  auto trouble = LibraryHandle::open(engine_->engine().address);
  if (!trouble.empty()) return trouble;
  log_in(engine_->engine().auth);
  watch_later(kLookAgain);
  return {};
}

void LocalHandle::abandon(int rc) {
  stop_search();
  LibraryHandle::abandon(rc);
}

void LocalHandle::on_session(int state, spi::SessionId session, Clock::duration timeout) {
  connected_ = state == ZOO_CONNECTED_STATE && engine_->alive();
  if (!connected_) watch_later({});
  if (state == ZOO_CONNECTED_STATE && !connected_) return;  // to a stranger
  told_.session(state, session, timeout);
}

void LocalHandle::watch_later(Clock::duration pause) {
  if (std::exchange(watching_, true)) return;
  executor().at(executor().now() + pause, [weak = weak_from_this()] {
    const auto self = std::static_pointer_cast<LocalHandle>(weak.lock());
    if (self && !self->abandoned()) self->watch();
  });
}

void LocalHandle::watch() {
  watching_ = false;
  if (connected_ || search_) return;
  if (engine_->alive()) return watch_later(kLookAgain);
  search();
}

void LocalHandle::search() {
  search_ = std::make_shared<Search>();
  search_->executor = &executor();
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  std::thread([search = search_, deadline, weak = weak_from_this()] {
    auto result = find_or_start(deadline);
    const std::lock_guard lock(search->mutex);
    if (search->executor == nullptr) return;
    search->executor->post([search, weak, result = std::move(result)] {
      const auto self = std::static_pointer_cast<LocalHandle>(weak.lock());
      if (self && self->search_ == search) self->found(result);
    });
  }).detach();
}

void LocalHandle::found(const tl::expected<FoundPtr, StartFailure>& result) {
  search_.reset();
  if (!result) {
    base::log().warn("{}", result.error().sentence);
    return watch_later(kSearchAgain);
  }
  engine_ = *result;
  // In this order: the new servers are connected to at once. The old secret goes along, and means nothing there.
  log_in(engine_->engine().auth);
  set_servers(engine_->engine().address);
  watch_later(kLookAgain);
}

void LocalHandle::stop_search() {
  if (!search_) return;
  {
    const std::lock_guard lock(search_->mutex);
    search_->executor = nullptr;
  }
  search_.reset();
}

}  // namespace holdfast::local
