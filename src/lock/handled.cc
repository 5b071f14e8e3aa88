#include "lock/handled.h"

#include <algorithm>

#include "base/log.h"

namespace holdfast::lock {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

void tell_error(LockHandler& handler, const LockRequest& request, const std::exception_ptr& error) noexcept {
  try {
    handler.on_error(request, error);
  } catch (...) {
    base::log().error("a handler threw in on_error() of {}: {}", request.path(), text_of(std::current_exception()));
  }
}

void Handled::drop_kept(std::size_t level) {
  // Out of the list first: what is destroyed may come back here.
  decltype(kept_) dropped;
  std::erase_if(kept_, [&](auto& each) {
    if (each.first != level) return false;
    dropped.push_back(std::move(each));
    return true;
  });
  // The last first, as local variables.
  while (!dropped.empty()) dropped.pop_back();
}

void Handled::complete() noexcept {
  {
    const std::lock_guard lock(mutex_);
    complete_ = true;
    if (!lost_ || std::exchange(told_, true)) return;
  }
  tell_loss();
}

void Handled::signal_loss() noexcept {
  {
    const std::lock_guard lock(mutex_);
    lost_ = true;
    if (!complete_ || std::exchange(told_, true)) return;
  }
  tell_loss();
}

void Handled::tell_loss() noexcept {
  for (const auto& handler : *chain_) {
    try {
      handler->on_lost(held_);
    } catch (...) {
      base::log().error("a handler threw in on_lost() of {}: {}", held_.path(), text_of(std::current_exception()));
    }
  }
}

}  // namespace holdfast::lock
