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

LocalHandle::LocalHandle(std::shared_ptr<FoundPtr> known, std::chrono::milliseconds patience, spi::Executor& executor,
                         zookeeper::HandleOptions options, Events events)
    : LibraryHandle(executor, std::move(options),
                    {[this](int state, auto session, auto timeout) { on_session(state, session, timeout); },
                     [this](auto watch, int type) {
                       if (connected_ && watches_.erase(watch) > 0) told_.watch(watch, type);
                     }}),
      known_(std::move(known)),
      patience_(patience),
      told_(std::move(events)) {}

LocalHandle::~LocalHandle() { stop_search(); }

std::string LocalHandle::open(const std::string&) {
  auto trouble = LibraryHandle::open(engine().engine().address, {engine().engine().auth});
  if (trouble.empty()) watch_later(kLookAgain);
  return trouble;
}

// From now on, as the watch may fire before the answer is here; until we learn that there is none.
zookeeper::Handle::Done LocalHandle::noted(const std::string& path, bool of_children, WatchId watch, Done done) {
  watches_[watch] = {path, of_children};
  return [this, watch, done = std::move(done)](zookeeper::Answer answer) {
    if (answer.rc != ZOK) watches_.erase(watch);
    done(std::move(answer));
  };
}

void LocalHandle::get_and_watch(const std::string& path, WatchId watch, Done done) {
  LibraryHandle::get_and_watch(path, watch, noted(path, false, watch, std::move(done)));
}

void LocalHandle::get_children_and_watch(const std::string& path, WatchId watch, Done done) {
  LibraryHandle::get_children_and_watch(path, watch, noted(path, true, watch, std::move(done)));
}

void LocalHandle::remove_watch(const std::string& path, bool of_children, Done done) {
  std::erase_if(watches_,
                [&](const auto& each) { return each.second.path == path && each.second.of_children == of_children; });
  LibraryHandle::remove_watch(path, of_children, std::move(done));
}

void LocalHandle::fire_all_watches() {
  for (const auto& [watch, watched] : std::exchange(watches_, {})) {
    told_.watch(watch, watched.of_children ? ZOO_CHILD_EVENT : ZOO_CHANGED_EVENT);
  }
}

void LocalHandle::abandon(int rc) {
  stop_search();
  LibraryHandle::abandon(rc);
}

void LocalHandle::on_session(int state, spi::SessionId session, Clock::duration timeout) {
  connected_ = state == ZOO_CONNECTED_STATE && engine().alive();
  if (!connected_) watch_later({});
  if (state == ZOO_CONNECTED_STATE && !connected_) return;  // to a stranger
  told_.session(state, session, timeout);
  if (connected_ && std::exchange(moved_, false)) fire_all_watches();
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
  if (engine().alive()) return watch_later(kLookAgain);
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
  const auto& next = (*result)->engine();
  if (const auto trouble = reopen(next.address, {next.auth}); !trouble.empty()) {
    base::log().warn("cannot connect to the local engine at {}: {}", next.address, trouble);
    return watch_later(kSearchAgain);
  }
  *known_ = *result;
  moved_ = true;
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
