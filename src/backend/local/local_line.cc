#include "backend/local/local_line.h"

#include <utility>

#include "base/log.h"
#include "base/thread.h"

namespace holdfast::local {

// Shared with the thread that searches, which is never waited for.
struct LocalLine::Search {
  std::mutex mutex;
  spi::Executor* executor;  // none once the line is not wanted any more
};

std::shared_ptr<LocalLine> LocalLine::make(std::shared_ptr<FoundPtr> known, std::chrono::milliseconds to_start,
                                           net::Reactor& reactor, Clock::duration timeout, Events events) {
  std::shared_ptr<LocalLine> line(new LocalLine(std::move(known), reactor, timeout, std::move(events)));
  if (line->engine().alive()) {
    line->dial();
  } else {
    line->search(to_start);
  }
  return line;
}

void LocalLine::dial() {
  const auto weak = weak_from_this();
  socket_ = zk::SocketLine::make(reactor_, {engine().engine().address, ""}, timeout_,
                                 {[weak](std::string_view frame) {
                                    const auto self = weak.lock();
                                    if (!self || self->over_) return;
                                    self->engine().we_arrived();
                                    self->events_.received(frame);
                                  },
                                  [weak](const std::string& why) {
                                    if (const auto self = weak.lock()) self->lose(why);
                                  }});
  for (auto& frame : std::exchange(unsent_, {})) socket_->send(std::move(frame));
}

void LocalLine::search(std::chrono::milliseconds to_start) {
  search_ = std::make_shared<Search>();
  search_->executor = &reactor_;
  const auto deadline = std::chrono::steady_clock::now() + to_start;
  base::start_thread("hf-local", [search = search_, deadline, weak = weak_from_this()] {
    auto result = find_or_start(deadline);
    const std::lock_guard lock(search->mutex);
    if (search->executor == nullptr) return;
    search->executor->post([search, weak, result = std::move(result)] {
      const auto self = weak.lock();
      if (self && self->search_ == search) self->found(result);
    });
  }).detach();
}

void LocalLine::stop_search() {
  if (!search_) return;
  {
    const std::lock_guard lock(search_->mutex);
    search_->executor = nullptr;
  }
  search_.reset();
}

void LocalLine::found(const tl::expected<FoundPtr, StartFailure>& result) {
  search_.reset();
  if (!result) {
    base::log().warn("{}", result.error().sentence);
    return lose(result.error().sentence);
  }
  *known_ = *result;
  dial();
}

void LocalLine::send(std::string frame) {
  if (socket_) return socket_->send(std::move(frame));
  unsent_.push_back(std::move(frame));
}

void LocalLine::attend() {
  if (const auto socket = socket_) socket->attend();
}

void LocalLine::lose(const std::string& why) {
  if (over_) return;
  const auto self = shared_from_this();
  let_go();
  events_.lost(why);
}

void LocalLine::let_go() {
  over_ = true;
  stop_search();
  if (socket_) socket_->let_go();
}

void LocalLine::close(std::string goodbye) {
  if (socket_) socket_->close(std::move(goodbye));
}

}  // namespace holdfast::local
