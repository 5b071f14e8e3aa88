#include "cli/demo/hold_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace holdfast::cli::demo {
namespace {

class HoldCheck {
 public:
  explicit HoldCheck(std::span<const HoldEvent> events) : events_(events) {}

  HoldVerdict verdict() && {
    for (std::size_t number = 0; number < events_.size(); ++number) see(number);
    std::vector<CheckedHold> holds;
    for (auto& [key, seen] : holds_) holds.push_back(std::move(seen.hold));
    std::stable_sort(holds.begin(), holds.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    find_overlaps(holds);
    return {std::move(holds), std::move(objections_)};
  }

 private:
  using Key = std::pair<std::string, Token>;

  struct Seen {
    CheckedHold hold{};
    std::optional<std::size_t> wrote{};   // its last admitted write
    std::optional<std::size_t> closed{};  // the first admitted write of another hold after that
  };

  void see(std::size_t number) {
    const auto& event = events_[number];
    if (event.kind == HoldEvent::Kind::granted) return see_grant(number);
    const auto found = holds_.find({event.holder, event.token});
    const bool write = event.kind == HoldEvent::Kind::wrote || event.kind == HoldEvent::Kind::refused;
    if (found == holds_.end()) {
      if (write) {
        object("shared_token",
               fmt::format("{} wrote with token {}, which was not granted to it", event.holder, event.token), {number});
      }
      return;
    }
    auto& hold = found->second.hold;
    if (event.valid_until > hold.promised) {
      hold.promised = event.valid_until;
      hold.promise = number;
    }
    if (event.kind == HoldEvent::Kind::released) hold.released = event.at;
    if (write) see_write(found->first, found->second, number);
  }

  void see_grant(std::size_t number) {
    const auto& event = events_[number];
    const auto [owner, is_new] = owners_.emplace(event.token, Key(event.holder, event.token));
    if (!is_new) {
      return object(
          "shared_token",
          fmt::format("{} was granted token {} after {} had it", event.holder, event.token, owner->second.first),
          {holds_.at(owner->second).hold.granted, number});
    }
    holds_[owner->second].hold = {.holder = event.holder,
                                  .token = event.token,
                                  .granted = number,
                                  .promise = number,
                                  .from = event.at,
                                  .promised = event.valid_until};
  }

  void see_write(const Key& key, Seen& seen, std::size_t number) {
    const auto& event = events_[number];
    const auto largest = largest_ ? events_[*largest_].token : Token{0};
    if (event.kind == HoldEvent::Kind::refused) {
      if (event.token >= largest) {
        object("refused_write",
               fmt::format("a write of {} was refused, though token {} is the largest", event.holder, event.token),
               {number});
      }
      return;
    }
    if (largest_ && event.token < largest) {
      object("stale_write",
             fmt::format("a late write of {} was admitted: token {} after {}", event.holder, event.token, largest),
             {*largest_, number});
    } else {
      largest_ = number;
    }
    if (seen.closed) {
      object("overlapping_writes", fmt::format("{} went on writing after another hold had begun to", event.holder),
             {*seen.closed, number});
    }
    if (writing_ && *writing_ != key) {
      auto& before = holds_.at(*writing_);
      if (!before.closed) before.closed = number;
      if (!seen.wrote && event.token <= writing_->second) {
        object("token_order",
               fmt::format("{} wrote with token {} after {} with token {}", event.holder, event.token, writing_->first,
                           writing_->second),
               {*before.wrote, number});
      }
    }
    seen.wrote = number;
    writing_ = key;
  }

  void find_overlaps(const std::vector<CheckedHold>& holds) {
    const CheckedHold* inside = nullptr;  // the one that ends last, of those so far
    for (const auto& hold : holds) {
      if (inside != nullptr && hold.from < inside->until()) {
        const auto early = std::chrono::duration<double>(inside->until() - hold.from).count();
        object("overlapping_holds",
               fmt::format("{} was granted token {} while {} held token {}, {:.3f} s early", hold.holder, hold.token,
                           inside->holder, inside->token, early),
               {inside->promise, hold.granted});
      }
      if (inside == nullptr || hold.until() > inside->until()) inside = &hold;
    }
  }

  void object(std::string rule, std::string what, std::vector<std::size_t> events) {
    objections_.push_back({std::move(rule), std::move(what), std::move(events)});
  }

  const std::span<const HoldEvent> events_;
  std::map<Key, Seen> holds_;
  std::map<Token, Key> owners_;
  std::optional<std::size_t> largest_;  // the admitted write with the largest token
  std::optional<Key> writing_;          // the hold of the last admitted write
  std::vector<HoldObjection> objections_;
};

}  // namespace

HoldVerdict check_holds(std::span<const HoldEvent> events) { return HoldCheck(events).verdict(); }

}  // namespace holdfast::cli::demo
