// hold_terms.h -- what counts for the next hold of one lock object: what code said, then settings by its name.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "holdfast/client.h"
#include "lock/call.h"

namespace holdfast::lock {

// Thread safety: apply() from any thread.
class HoldTerms {
 public:
  // `name` is that of the lock, without the name space. `may_delay`: this kind of lock has a lock delay.
  HoldTerms(const ClientOptions& client, std::string name, LockOptions said, bool may_delay = true);

  // Fills in options and hand-over of a call.
  void apply(Call& call);

 private:
  void look_up();

  const std::shared_ptr<LockRules> rules_;  // may be none
  const HandOver hand_over_of_client_;
  const std::string name_;
  const LockOptions said_;
  const bool may_delay_;

  std::mutex mutex_;
  std::uint64_t version_ = 0;  // of the rules that the two below are by
  LockOptions options_;
  std::optional<HandOver> hand_over_{};
};

}  // namespace holdfast::lock
