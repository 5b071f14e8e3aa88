#include "lock/hold_terms.h"

#include <algorithm>

namespace holdfast::lock {
namespace {

using std::chrono::milliseconds;

// Code says nothing with zero, its default.
milliseconds either(milliseconds said, const std::optional<milliseconds>& setting) {
  return said.count() != 0 ? said : setting.value_or(milliseconds(0));
}

}  // namespace

HoldTerms::HoldTerms(const ClientOptions& client, std::string name, LockOptions said, bool may_delay)
    : rules_(client.locks),
      hand_over_of_client_(client.hand_over),
      name_(std::move(name)),
      said_(std::move(said)),
      may_delay_(may_delay),
      options_(said_) {}

void HoldTerms::apply(Call& call) {
  if (!rules_) {
    call.options = said_;
    return;
  }
  const std::lock_guard guard(mutex_);
  if (rules_->version() != version_) look_up();
  call.options = options_;
  call.hand_over = hand_over_;
}

void HoldTerms::look_up() {
  // Read first: what is replaced meanwhile is looked up again next time.
  version_ = rules_->version();
  const auto settings = rules_->find(name_);
  options_ = said_;
  options_.min_hold = either(said_.min_hold, settings.min_hold);
  options_.max_hold = either(said_.max_hold, settings.max_hold);
  options_.lock_delay = may_delay_ ? either(said_.lock_delay, settings.lock_delay) : milliseconds(0);
  // Each of them may be from another place.
  if (options_.max_hold.count() > 0) options_.min_hold = std::min(options_.min_hold, options_.max_hold);
  hand_over_.reset();
  const auto& said = settings.hand_over;
  if (said == HandOverSettings{}) return;
  hand_over_ = {.count = said.count.value_or(hand_over_of_client_.count),
                .time = said.time.value_or(hand_over_of_client_.time),
                .keep = said.keep.value_or(hand_over_of_client_.keep)};
}

}  // namespace holdfast::lock
